//! CORS: only web pages of the configured origins may use the API from browsers.

use reqwest::{Method, Response};

use crate::support::TestApp;

const PAGE: &str = "https://play.example";

async fn app() -> TestApp {
    TestApp::start_with(|options| {
        options.cors_origins = format!("{PAGE}, http://localhost:5173").parse().unwrap();
    })
    .await
}

async fn ask(app: &TestApp, method: &str, path: &str, headers: &[(&str, &str)]) -> Response {
    let method = Method::from_bytes(method.as_bytes()).unwrap();
    let mut request = reqwest::Client::new().request(method, app.url(path));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.send().await.unwrap()
}

fn header<'a>(response: &'a Response, name: &str) -> Option<&'a str> {
    response.headers().get(name).map(|value| value.to_str().unwrap())
}

fn has_no_cors(response: &Response) {
    for name in response.headers().keys() {
        assert!(!name.as_str().starts_with("access-control-"), "{name}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_a_known_origin_reads_answers_and_their_headers_problems_included() {
    let app = app().await;
    for (path, status) in [("/v1/rule-presets", 200), ("/v1/account", 401), ("/v1/nothing", 404)] {
        for origin in [PAGE, "http://localhost:5173"] {
            let response = ask(&app, "GET", path, &[("origin", origin)]).await;
            assert_eq!(response.status(), status);
            assert_eq!(header(&response, "access-control-allow-origin"), Some(origin));
            assert_eq!(header(&response, "access-control-allow-credentials"), None);
            let exposed = header(&response, "access-control-expose-headers").unwrap();
            for name in [
                "etag",
                "retry-after",
                "ratelimit",
                "ratelimit-policy",
                "idempotency-replayed",
                "x-request-id",
            ] {
                assert!(exposed.split(", ").any(|exposed| exposed == name), "{name}");
            }
            let vary = response.headers().get_all("vary").iter();
            assert!(vary.into_iter().any(|vary| vary == "origin"));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_another_origin_gets_no_cors_headers() {
    let app = app().await;
    for origin in [
        "https://evil.example",
        "null",
        "https://play.example.evil",
        "http://play.example",
        "https://PLAY.example",
    ] {
        let asked = [("origin", origin), ("access-control-request-method", "POST")];
        let response = ask(&app, "GET", "/v1/rule-presets", &asked[..1]).await;
        assert_eq!(response.status(), 200);
        has_no_cors(&response);
        assert!(response.headers().get_all("vary").iter().any(|vary| vary == "origin"));
        let response = ask(&app, "OPTIONS", "/v1/sessions", &asked).await;
        assert_eq!(response.status(), 405);
        has_no_cors(&response);
    }
    let none = TestApp::start().await;
    let response = ask(&none, "GET", "/v1/rule-presets", &[("origin", PAGE)]).await;
    has_no_cors(&response);
    assert!(!response.headers().get_all("vary").iter().any(|vary| vary == "origin"));
}

#[tokio::test(flavor = "multi_thread")]
async fn browsers_that_ask_beforehand_are_told_what_may_be_sent() {
    let app = app().await;
    let asked = [
        ("origin", PAGE),
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "authorization,content-type,idempotency-key"),
    ];
    let paths = [
        ("/v1/sessions", "POST, GET, HEAD"),
        ("/v1/matches/0193aa00-0000-7000-8000-000000000001/plays", "POST"),
        ("/v1/account/change-password", "POST"),
    ];
    for (path, methods) in paths {
        let response = ask(&app, "OPTIONS", path, &asked).await;
        assert_eq!(response.status(), 204, "{path}");
        assert_eq!(header(&response, "access-control-allow-origin"), Some(PAGE));
        let mut allowed: Vec<&str> =
            header(&response, "access-control-allow-methods").unwrap().split(", ").collect();
        let mut methods: Vec<&str> = methods.split(", ").collect();
        allowed.sort_unstable();
        methods.sort_unstable();
        assert_eq!(allowed, methods, "{path}");
        let allowed = header(&response, "access-control-allow-headers").unwrap();
        for name in ["authorization", "content-type", "idempotency-key", "if-none-match", "last-event-id"] {
            assert!(allowed.split(", ").any(|allowed| allowed == name), "{name}");
        }
        assert_eq!(header(&response, "access-control-max-age"), Some("7200"));
        assert_eq!(response.text().await.unwrap(), "");
    }
    assert_eq!(ask(&app, "OPTIONS", "/v1/nothing", &asked).await.status(), 404);
    // Without the preflight headers it is an unsupported method.
    assert_eq!(ask(&app, "OPTIONS", "/v1/sessions", &asked[..1]).await.status(), 405);
}
