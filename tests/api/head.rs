//! HEAD: every path with GET answers HEAD with the same status and headers, at once and without a body.

use std::time::Duration;

use reqwest::header::HeaderMap;
use reqwest::{Method, StatusCode};
use serde_json::json;
use yaniv_http::openapi;

use crate::moderation::moderator;
use crate::support::{Player, TestApp, id};

/// Paths outside of the document.
const BESIDE: [&str; 9] = [
    "/openapi.json",
    "/openapi-3.0.json",
    "/docs",
    "/docs/",
    "/docs/codes",
    "/docs/swagger-ui.css",
    "/index.html",
    "/sw.js",
    "/nothing",
];
/// Headers that differ between any two requests.
const OWN: [&str; 2] = ["date", "x-request-id"];

/// All paths with GET, with parameters of this player.
async fn paths(app: &TestApp, ada: &Player) -> Vec<String> {
    let bob = app.player("bob").await;
    let report = json!({"reason": "other"});
    let report = bob.post("/v1/profiles/ada/reports", None, &report).await.expect(201);
    let running = app.started(&[ada.clone(), bob], json!({"preset": "yaniv"})).await;
    let waiting = ada.create(&json!({"size": 3})).await.expect(201);
    let pairing = ada.request_pairing(None, &json!({"size": 8})).await.expect(201);
    let challenge = ada.post("/v1/challenges", None, &json!({"opponents": ["bob"]})).await.expect(201);
    let bot = ada.post("/v1/bots", None, &json!({"username": "robot"})).await.expect(201);
    let webhook = json!({"url": "http://127.0.0.1:9/", "format": "standard", "kinds": []});
    let webhook = ada.post("/v1/webhook-channels", None, &webhook).await.expect(201);
    let parameters = [
        ("match_id", id(&running)),
        ("code", waiting["join_code"].as_str().unwrap()),
        ("pairing_id", id(&pairing)),
        ("challenge_id", id(&challenge)),
        ("bot_id", id(&bot)),
        ("channel_id", id(&webhook["channel"])),
        ("report_id", id(&report)),
        ("round", "1"),
        ("username", "ada"),
        ("opponent", "bob"),
        ("preset", "yaniv"),
    ];
    let of_document =
        openapi::methods().into_iter().filter(|(_, methods)| methods.contains(&"GET".to_owned()));
    let filled = of_document.map(|(path, _)| {
        let put = |path: String, (name, value): &(&str, &str)| path.replace(&format!("{{{name}}}"), value);
        let path = parameters.iter().fold(path, put);
        assert!(!path.contains('{'), "{path}: what is it tried on?");
        if path == "/v1/profiles" { format!("{path}?usernames=ada") } else { path }
    });
    filled.chain(BESIDE.map(str::to_owned)).collect()
}

/// Status and headers; checks that an answer to HEAD has no body.
async fn ask(
    method: Method,
    app: &TestApp,
    path: &str,
    token: &str,
    coding: &str,
) -> (StatusCode, HeaderMap) {
    // The default long poll would take longer.
    let client = reqwest::Client::builder().timeout(Duration::from_secs(15));
    let client = client.redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let mut request = client.request(method.clone(), app.url(path)).header("accept-encoding", coding);
    if !token.is_empty() {
        request = request.bearer_auth(token);
    }
    let answer = request.send().await.unwrap_or_else(|error| panic!("{method} {path}: {error}"));
    let (status, mut headers) = (answer.status(), answer.headers().clone());
    for name in OWN {
        headers.remove(name).unwrap();
    }
    if method == Method::HEAD {
        assert_eq!(answer.bytes().await.unwrap(), "", "{path}");
    }
    (status, headers)
}

#[tokio::test(flavor = "multi_thread")]
async fn head_is_answered_as_get_is_without_the_body() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let mod_1 = moderator(&app, "mod_1").await;
    let (mut refused, mut public) = (Vec::new(), 0);
    for path in paths(&app, &ada).await {
        let now = if path.ends_with("/events") || path == "/v1/events" { "?wait=0" } else { "" };
        let caller = if path.starts_with("/v1/moderation/") { &mod_1 } else { &ada };
        for (token, coding) in
            [(caller.token.as_str(), "identity"), (caller.token.as_str(), "gzip"), ("", "identity")]
        {
            let mut same = false;
            // The resource may change between the two requests.
            for _ in 0..3 {
                let get = ask(Method::GET, &app, &format!("{path}{now}"), token, coding).await;
                let head = ask(Method::HEAD, &app, &path, token, coding).await;
                assert_eq!(get.0, head.0, "{path}");
                same = get == head;
                if same {
                    public += usize::from(token.is_empty() && get.0 != 401);
                    if !token.is_empty() && coding == "gzip" && !get.0.is_success() {
                        refused.push(format!("{} {path}", get.0.as_u16()));
                    }
                    break;
                }
            }
            assert!(same, "{path} has other headers");
        }
    }
    refused.retain(|path| !path.contains("/v1/matches/"));
    assert_eq!(refused, ["308 /docs", "404 /nothing"]);
    assert!(public < 20, "{public}: without a token there is little to read");
}

/// A connection stays usable after HEAD: no bytes are left over.
#[tokio::test(flavor = "multi_thread")]
async fn head_of_a_stream_leaves_its_connection_and_its_place_free() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    let app = TestApp::start_with(|options| options.streams = 1).await;
    let ada = app.player("ada").await;
    let mut connection = tokio::net::TcpStream::connect(app.address).await.unwrap();
    let ask = |method: &str, path: &str, end: &str| {
        format!("{method} {path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\n{end}\r\n", ada.token)
    };
    for _ in 0..3 {
        connection.write_all(ask("HEAD", "/v1/events/stream", "").as_bytes()).await.unwrap();
    }
    connection.write_all(ask("GET", "/healthz", "Connection: close\r\n").as_bytes()).await.unwrap();
    let mut said = String::new();
    let reading = connection.read_to_string(&mut said);
    tokio::time::timeout(Duration::from_secs(15), reading).await.unwrap().unwrap();
    assert_eq!(said.matches("HTTP/1.1 200 OK\r\n").count(), 4, "{said}");
    assert_eq!(said.matches("text/event-stream").count(), 3, "{said}");
    assert!(!said.contains("retry: ") && said.contains("\"status\":\"ok\""), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn head_counts_as_get_does() {
    let app = TestApp::start_with(|options| options.rate_limits = true).await;
    let ada = app.player("ada").await;
    for method in [Method::HEAD, Method::GET, Method::HEAD, Method::HEAD, Method::GET] {
        assert_eq!(ask(method, &app, "/v1/account/export", &ada.token, "identity").await.0, 200);
    }
    assert_eq!(ask(Method::HEAD, &app, "/v1/account/export", &ada.token, "identity").await.0, 429);
}
