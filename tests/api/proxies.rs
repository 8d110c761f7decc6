//! What stands between clients and the service: proxies of HTTP/1.0, codings, and clients that announce too much.

use std::time::Duration;

use reqwest::Method;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::TestApp;

/// Time for an answer that comes at once; the time for a body to arrive is longer.
const AT_ONCE: Duration = Duration::from_secs(8);

/// Sends the start of a request; what is read until the end of the connection, or until a text.
async fn said(app: &TestApp, request: &str, until: &str) -> String {
    let mut connection = TcpStream::connect(app.address).await.unwrap();
    connection.write_all(request.as_bytes()).await.unwrap();
    let mut said = String::new();
    let reading = async {
        let mut buffer = [0; 4096];
        loop {
            let count = connection.read(&mut buffer).await.unwrap();
            said.push_str(&String::from_utf8_lossy(&buffer[..count]));
            if count == 0 || said.contains(until) {
                return;
            }
        }
    };
    assert!(tokio::time::timeout(AT_ONCE, reading).await.is_ok(), "not at once: {request}: {said}");
    said
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_to_http_1_0_has_no_chunks() {
    let app = TestApp::start().await;
    let token = app.player("ada").await.token;
    let ask = |path: &str| {
        format!("GET {path} HTTP/1.0\r\nAccept-Encoding: gzip\r\nAuthorization: Bearer {token}\r\n\r\n")
    };
    for (path, until) in [("/v1/server", "}"), ("/v1/rule-presets", "]}"), ("/v1/events/stream", "retry: ")] {
        let said = said(&app, &ask(path), until).await;
        let (head, body) = said.split_once("\r\n\r\n").unwrap();
        let head = head.to_ascii_lowercase();
        assert!(head.starts_with("http/1.0 200"), "{head}");
        assert!(!head.contains("transfer-encoding") && !head.contains("content-encoding: gzip"), "{head}");
        // Without a length the end of the connection is the end, which is the rule of HTTP/1.0.
        assert!(head.contains("content-length: ") || !head.contains("connection: keep-alive"), "{head}");
        assert!(body.starts_with(['{', 'r', ':']), "{body}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn weights_of_codings_are_honoured() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    for (accepted, coding) in [
        ("gzip;q=1.0", Some("gzip")),
        ("br;q=1.0, gzip;q=0.8", Some("gzip")),
        ("gzip;q=0", None),
        ("br", None),
    ] {
        let headers = [("accept-encoding", accepted)];
        let answer = ada.request(Method::GET, "/v1/rule-presets", &headers, None).await;
        assert_eq!(answer.header("content-encoding"), coding, "{accepted}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_encoded_body_is_refused_and_a_long_one_is_not_waited_for() {
    let app = TestApp::start().await;
    let client = reqwest::Client::new();
    let body = json!({"username": "ada", "password": "correct horse"}).to_string();
    for (coding, status, code) in [
        ("gzip", 415, "unsupported_content_encoding"),
        ("br", 415, "unsupported_content_encoding"),
        ("foo", 415, "unsupported_content_encoding"),
        ("Identity", 401, "invalid_credentials"),
    ] {
        let request = client.post(app.url("/v1/sessions")).header("content-type", "application/json");
        let answer = request.header("content-encoding", coding).body(body.clone()).send().await.unwrap();
        assert_eq!(answer.status(), status, "{coding}");
        let problem: serde_json::Value = answer.json().await.unwrap();
        assert_eq!(problem["code"], code, "{coding}");
    }
    let head = "POST /v1/sessions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n";
    let said = said(&app, &format!("{head}Content-Length: 99999999\r\n\r\n"), "body_too_large").await;
    assert!(said.starts_with("HTTP/1.1 413 "), "{said}");
}

/// RFC 6750.
#[tokio::test(flavor = "multi_thread")]
async fn a_refused_token_is_told_from_none_and_from_one_without_the_scope() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let asked = json!({"name": "a", "scopes": ["read"], "expires_in_days": 1});
    let token = ada.post("/v1/tokens", None, &asked).await.expect(201)["token"].as_str().unwrap().to_owned();
    for (token, status, asked) in [
        (None, 401, "Bearer realm=\"yaniv\""),
        (Some("nonsense"), 401, "Bearer realm=\"yaniv\", error=\"invalid_token\""),
        (
            Some(token.as_str()),
            403,
            "Bearer realm=\"yaniv\", error=\"insufficient_scope\", scope=\"account\"",
        ),
    ] {
        let mut request = reqwest::Client::new().get(app.url("/v1/tokens"));
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), status, "{asked}");
        assert_eq!(answer.headers()["www-authenticate"], asked);
    }
}
