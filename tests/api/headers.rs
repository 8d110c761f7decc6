//! Headers of all answers, unsupported methods, and clients that are slow or send too much.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use reqwest::Method;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::TestApp;

/// Pause between two bytes of a slow client.
const BETWEEN_DROPS: Duration = Duration::from_millis(300);

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_says_what_a_browser_may_do_with_it() {
    let app = TestApp::start().await;
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let answers = [
        ("GET", "/healthz", 200, "no-store"),
        ("GET", "/v1/account", 401, "no-store"),
        ("GET", "/v1/nothing", 404, "no-store"),
        ("GET", "/v1/rule-presets", 200, "no-store"),
        ("POST", "/v1/accounts", 415, "no-store"),
        ("DELETE", "/v1/accounts", 405, "no-store"),
        ("GET", "/openapi.json", 200, "no-cache"),
        ("GET", "/docs", 308, "no-cache"),
        ("GET", "/docs/", 200, "no-cache"),
        ("GET", "/docs/swagger-ui-bundle.js", 200, "no-cache"),
    ];
    for (method, path, status, cache) in answers {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let response = client.request(method, app.url(path)).send().await.unwrap();
        assert_eq!(response.status(), status, "{path}");
        let header = |name: &str| {
            let values: Vec<_> = response.headers().get_all(name).iter().collect();
            assert_eq!(values.len(), 1, "{name} of {path}");
            values[0].to_str().unwrap().to_owned()
        };
        assert_eq!(header("cache-control"), cache, "{path}");
        assert_eq!(header("x-content-type-options"), "nosniff");
        assert_eq!(header("x-frame-options"), "DENY");
        assert_eq!(header("referrer-policy"), "no-referrer");
        let (shared, origin) = ("cross-origin-resource-policy", "access-control-allow-origin");
        if path == "/openapi.json" {
            // Editors on the web load it.
            assert_eq!((header(shared).as_str(), header(origin).as_str()), ("cross-origin", "*"));
        } else {
            assert_eq!(header(shared), "same-origin");
            assert!(!response.headers().contains_key(origin), "{path}");
        }
        assert_eq!(header("x-request-id").len(), 36);
        let policy = header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; "), "{policy}");
        assert!(policy.ends_with("frame-ancestors 'none'"), "{policy}");
        assert_eq!(policy.contains("script-src 'self';"), path.starts_with("/docs"), "{path}");
    }
}

/// Only scripts of its own origin: the policy would block others.
#[tokio::test(flavor = "multi_thread")]
async fn the_page_of_the_documentation_has_no_script_that_its_policy_forbids() {
    let app = TestApp::start().await;
    let page = reqwest::get(app.url("/docs/")).await.unwrap().text().await.unwrap();
    for script in page.split("<script").skip(1) {
        let tag = script.split('>').next().unwrap();
        assert!(tag.contains("src=\"./") || tag.contains("src=\"/"), "{tag}");
    }
    assert!(!page.contains(" onload=") && !page.contains("javascript:"));
}

#[tokio::test(flavor = "multi_thread")]
async fn methods_that_there_are_not_are_refused_with_those_that_there_are() {
    let app = TestApp::start().await;
    for method in ["TRACE", "CONNECTED", "PROPFIND", "PATCH", "OPTIONS", "QUERY"] {
        for (path, allow) in
            [("/healthz", "GET, HEAD"), ("/v1/accounts", "POST"), ("/openapi.json", "GET, HEAD")]
        {
            let method = Method::from_bytes(method.as_bytes()).unwrap();
            let response = reqwest::Client::new().request(method, app.url(path)).send().await.unwrap();
            assert_eq!(response.status(), 405, "{path}");
            assert_eq!(response.headers()["allow"], allow);
        }
    }
}

/// The result of a client that sends slowly until the connection is closed.
struct Ended {
    said: String,
    /// How often it sent.
    sent: usize,
}

/// Sends the start of a request, then a byte now and then, until the service closes the connection.
async fn trickle(address: SocketAddr, begin: &str, drop_of: &str) -> Ended {
    let (mut reader, mut writer) = TcpStream::connect(address).await.unwrap().into_split();
    writer.write_all(begin.as_bytes()).await.unwrap();
    let drop_of = drop_of.to_owned();
    let sent = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&sent);
    let sending = tokio::spawn(async move {
        loop {
            tokio::time::sleep(BETWEEN_DROPS).await;
            counted.fetch_add(1, Ordering::Relaxed);
            if writer.write_all(drop_of.as_bytes()).await.is_err() {
                break;
            }
        }
    });
    let mut said = Vec::new();
    let reading = async {
        let mut buffer = [0; 4096];
        while let Ok(count) = reader.read(&mut buffer).await
            && count > 0
        {
            said.extend_from_slice(&buffer[..count]);
        }
    };
    let closed = tokio::time::timeout(Duration::from_secs(120), reading).await;
    sending.abort();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert!(closed.is_ok(), "still open: {begin} {said}");
    Ended { said, sent: sent.load(Ordering::Relaxed) }
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_connections_are_closed() {
    let app = TestApp::start().await;
    let json = "Host: x\r\nContent-Type: application/json\r\n";
    let length = "Content-Length: 16000\r\n\r\n{";
    let chunked = "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n";
    let chunk = "1\r\n \r\n";
    let ways = [
        // Headers that never end.
        (String::new(), "", ""),
        ("POST /v1/sessions HTTP/1.1\r\nHost: x\r\n".to_owned(), "x: y\r\n", "408"),
        // Endless bodies, to a handler that reads them, and to one that does not.
        (format!("POST /v1/sessions HTTP/1.1\r\n{json}{length}"), " ", "request_timeout"),
        (format!("POST /v1/sessions HTTP/1.1\r\n{json}{chunked}"), chunk, "request_timeout"),
        (format!("POST /v1/matches HTTP/1.1\r\n{json}{length}"), " ", "invalid_token"),
        (format!("POST /v1/matches HTTP/1.1\r\n{json}{chunked}"), chunk, "invalid_token"),
        (format!("POST /v1/nothing HTTP/1.1\r\n{json}{length}"), " ", "not_found"),
        (format!("POST /v1/nothing HTTP/1.1\r\n{json}{chunked}"), chunk, "not_found"),
        (format!("GET /healthz HTTP/1.1\r\n{json}{length}"), " ", "ok"),
        (format!("GET /healthz HTTP/1.1\r\n{json}{chunked}"), chunk, "ok"),
    ];
    let ended = ways.iter().map(|(begin, drop_of, _)| trickle(app.address, begin, drop_of));
    let ended = futures_util::future::join_all(ended).await;
    for ((begin, _, says), Ended { said, sent }) in ways.iter().zip(ended) {
        // Fifteen seconds, unless the machine stalls.
        assert!(sent <= 50, "{sent} drops: {begin}");
        assert!(said.contains(says), "{says}: {begin}: {said}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_that_are_too_large_or_too_deep_are_refused_and_cost_nothing() {
    let app = TestApp::start().await;
    let nested = |depth: usize| format!("{{\"username\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
    let bodies = [
        (nested(64), 422, "invalid_body"),
        (nested(5_000), 400, "invalid_json"),
        (nested(500_000), 413, "body_too_large"),
        (format!("{{\"username\":\"{}\"}}", "x".repeat(1 << 20)), 413, "body_too_large"),
        (
            format!("{{\"x\":{}{}}}", "{\"x\":".repeat(2000), "1".to_owned() + &"}".repeat(2000)),
            400,
            "invalid_json",
        ),
    ];
    for (body, status, code) in bodies {
        let client = reqwest::Client::new();
        let request = client.post(app.url("/v1/sessions")).header("content-type", "application/json");
        let response = request.body(body).send().await.unwrap();
        assert_eq!(response.status(), status, "{code}");
        assert!(response.text().await.unwrap().contains(code), "{code}");
    }
}
