//! The web client: its files, the page of its screens, and what it leaves to the API.

use reqwest::{Method, Response};
use serde_json::Value;

use crate::support::{Player, TestApp};

const HTML: &str = "text/html,application/xhtml+xml,*/*;q=0.8";

async fn get(app: &TestApp, path: &str, headers: &[(&str, &str)]) -> Response {
    let mut request = reqwest::Client::new().get(app.url(path));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.send().await.unwrap()
}

fn header<'a>(answer: &'a Response, name: &str) -> &'a str {
    answer.headers().get(name).unwrap().to_str().unwrap()
}

/// Fails with the reason if the client could not be built.
#[test]
fn the_client_is_built_in() {
    assert!(yaniv_web::MISSING.is_empty(), "the web client is missing: {}", yaniv_web::MISSING);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_browser_gets_the_page_for_every_screen_under_a_policy_without_inline_code() {
    let app = TestApp::start().await;
    let page = get(&app, "/", &[("accept", HTML)]).await;
    assert_eq!((page.status().as_u16(), header(&page, "content-type")), (200, "text/html; charset=utf-8"));
    assert_eq!(header(&page, "cache-control"), "no-cache");
    let policy = header(&page, "content-security-policy");
    assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
    assert!(policy.contains("require-trusted-types-for") && !policy.contains("unsafe"), "{policy}");
    assert!(!policy.contains("http:") && !policy.contains("https:"), "{policy}");
    let text = page.text().await.unwrap();
    for (path, headers) in [
        ("/", &[][..]),
        ("/join/22222222", &[]),
        ("/join/22222222", &[("accept", "*/*")]),
        ("/match/0193aa00-0000-7000-8000-000000000001", &[("accept", "*/*")]),
    ] {
        let shared = get(&app, path, headers).await;
        assert_eq!(shared.text().await.unwrap(), text, "also for other programs: {path} {headers:?}");
    }
    for path in ["/join/22222222", "/match/any/replay/3", "/people", "/index.html"] {
        let screen = get(&app, path, &[("accept", HTML)]).await;
        assert_eq!((screen.status().as_u16(), screen.text().await.unwrap()), (200, text.clone()), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_differs_by_what_is_accepted_says_so() {
    let app = TestApp::start().await;
    for (accept, status) in [(HTML, 200), ("*/*", 404), ("application/json", 404)] {
        let answer = get(&app, "/people", &[("accept", accept)]).await;
        assert_eq!(answer.status(), status, "{accept}");
        let vary = answer.headers().get_all("vary").iter().map(|value| value.to_str().unwrap());
        assert!(vary.flat_map(|value| value.split(", ")).any(|name| name == "accept"), "{accept}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_programs_look_for_are_there() {
    let app = TestApp::start().await;
    for (path, media) in [("/robots.txt", "text/plain; charset=utf-8"), ("/favicon.ico", "image/png")] {
        let file = get(&app, path, &[]).await;
        assert_eq!((file.status().as_u16(), header(&file, "content-type")), (200, media), "{path}");
    }
    let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let password = client.get(app.url("/.well-known/change-password")).send().await.unwrap();
    assert_eq!((password.status().as_u16(), header(&password, "location")), (303, "/settings/account"));
}

#[tokio::test(flavor = "multi_thread")]
async fn files_with_a_hash_in_their_name_are_cached_for_ever_and_others_are_asked_for_again() {
    let app = TestApp::start().await;
    for (path, content) in yaniv_web::FILES {
        let plain = get(&app, path, &[]).await;
        assert_eq!(plain.status(), 200, "{path}");
        assert_eq!(header(&plain, "x-content-type-options"), "nosniff");
        assert!(!header(&plain, "content-type").starts_with("application/octet-stream"), "{path}");
        let caching = header(&plain, "cache-control");
        assert_eq!(caching.contains("immutable"), path.starts_with("/assets/"), "{path}: {caching}");
        let tag = header(&plain, "etag").to_owned();
        assert_eq!(plain.bytes().await.unwrap(), *content, "{path}");

        let known = get(&app, path, &[("if-none-match", &tag)]).await;
        assert_eq!((known.status().as_u16(), header(&known, "cache-control")), (304, caching_of(path)));
        let gzip = get(&app, path, &[("accept-encoding", "gzip")]).await;
        assert_eq!(header(&gzip, "content-encoding"), "gzip", "{path}");
    }
}

fn caching_of(path: &str) -> &'static str {
    if path.starts_with("/assets/") { "public, max-age=31536000, immutable" } else { "no-cache" }
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_of_the_api_get_problems_and_no_page() {
    let app = TestApp::start().await;
    for (path, accept) in
        [("/v1/nothing", HTML), ("/v1", HTML), ("/nothing", "application/json"), ("/people", "*/*")]
    {
        let answer = get(&app, path, &[("accept", accept)]).await;
        assert_eq!(
            (answer.status().as_u16(), header(&answer, "content-type")),
            (404, "application/problem+json")
        );
        let problem: Value = serde_json::from_str(&answer.text().await.unwrap()).unwrap();
        assert_eq!(problem["code"], "not_found", "{path}");
    }
    let posted =
        Player::anonymous(app.address).request(Method::POST, "/people", &[("accept", HTML)], None).await;
    posted.expect(404);
}

#[tokio::test(flavor = "multi_thread")]
async fn it_can_be_switched_off_and_is_off_below_a_path() {
    let off = TestApp::start_with(|options| options.web_client = false).await;
    let below = "https://example.org/yaniv";
    let below = TestApp::start_with(|options| options.public_url = Some(below.to_owned())).await;
    for (app, path) in
        [&off, &below].into_iter().flat_map(|app| ["/", "/sw.js", "/people"].map(|path| (app, path)))
    {
        assert_eq!(get(app, path, &[("accept", HTML)]).await.status(), 404, "{path}");
    }
}
