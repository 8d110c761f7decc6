//! Links to share: a match has one while it can be joined, and the page behind it reveals nothing.

use serde_json::{Value, json};

use crate::support::player::new_key;
use crate::support::{Player, TestApp, id};

const PUBLIC: &str = "https://yaniv.example/cards";

async fn with_links() -> TestApp {
    TestApp::start_with(|options| options.public_url = Some(PUBLIC.to_owned())).await
}

/// A service without the web client, which has a screen in place of the page.
async fn with_a_page(public_url: Option<&str>) -> TestApp {
    TestApp::start_with(|options| {
        options.public_url = public_url.map(str::to_owned);
        options.web_client = false;
    })
    .await
}

fn link(view: &Value) -> Option<&str> {
    view["join_link"].as_str()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_has_a_link_as_long_as_it_can_be_joined() {
    let app = with_links().await;
    let (ada, bob, eve) = (app.player("ada").await, app.player("bob").await, app.player("eve").await);
    let (key, body) = (new_key(), json!({"size": 2}));
    let created = ada.post("/v1/matches", Some(&key), &body).await;
    let view = created.expect(201);
    let code = view["join_code"].as_str().unwrap();
    let expected = format!("{PUBLIC}/join/{code}");
    assert_eq!(link(&view), Some(expected.as_str()));
    assert_eq!(link(&ada.view(id(&view)).await), Some(expected.as_str()));
    let invitation = bob.get(&format!("/v1/join-codes/{code}")).await.expect(200);
    assert_eq!(link(&invitation), Some(expected.as_str()));

    // After revocation it cannot be used to join; another code has another link.
    assert_eq!(link(&ada.revoke_code(id(&view)).await.expect(200)), None);
    let renewed = ada.renew_code(id(&view), None, &json!({"expires_in_hours": 1})).await.expect(200);
    let code = renewed["join_code"].as_str().unwrap();
    assert_eq!(link(&renewed).unwrap(), format!("{PUBLIC}/join/{code}"));
    // A full match cannot be joined; after a player leaves, it can.
    assert_eq!(link(&bob.join(code, "").await.expect(201)), None);
    assert_eq!(link(&ada.view(id(&view)).await), None);
    bob.leave(id(&view)).await.expect(204);
    assert!(link(&ada.view(id(&view)).await).is_some());
    eve.join(code, "").await.expect(201);
    assert_eq!(link(&ada.start(id(&view)).await.expect(200)), None);
    // The repeated answer is unchanged.
    assert_eq!(ada.post("/v1/matches", Some(&key), &body).await.body, created.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_public_address_there_is_no_link_and_another_address_is_another_tag() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let created = ada.create(&json!({"size": 2})).await.expect(201);
    assert_eq!(link(&created), None);
    let mut options = crate::support::options();
    options.public_url = Some(PUBLIC.to_owned());
    let (address, server) = crate::support::serve(&options, app.database.url()).await;
    let path = format!("/v1/matches/{}", id(&created));
    let tag = ada.get(&path).await.header("etag").unwrap().to_owned();
    let headers = [("if-none-match", tag.as_str())];
    let there = ada.at(address).request(reqwest::Method::GET, &path, &headers, None).await;
    assert!(link(&there.expect(200)).is_some());
    drop(server.stop(false));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_link_of_a_client_is_shared_instead_and_the_page_leads_there() {
    let client = "https://play.example/?code={code}&via=link";
    let app = TestApp::start_with(|options| {
        options.public_url = Some(PUBLIC.to_owned());
        options.join_link = Some(client.to_owned());
        options.web_client = false;
    })
    .await;
    let ada = app.player("ada").await;
    let created = ada.create(&json!({"size": 2})).await.expect(201);
    let code = created["join_code"].as_str().unwrap();
    let expected = client.replace("{code}", code);
    assert_eq!(link(&created), Some(expected.as_str()));
    let preview = Player::anonymous(app.address).get(&format!("/v1/join-codes/{code}")).await.expect(200);
    assert_eq!(link(&preview), Some(expected.as_str()));
    let (status, policy, text) = page(&app, &format!("/join/{code}")).await;
    assert!(status == 200 && !policy.contains("script"));
    assert!(text.contains(&format!("href=\"{}\"", expected.replace('&', "&amp;"))), "{text}");
}

#[test]
fn the_link_of_a_client_has_a_place_for_the_code_or_the_start_is_refused() {
    use clap::Parser;
    use yaniv::config::{Cli, Command};

    let parse =
        |link: &str| match Cli::try_parse_from(["yaniv", "serve", "--join-link", link]).ok()?.command? {
            Command::Serve(options) => options.join_link,
            _ => None,
        };
    for right in ["https://play.example/join/{code}", "http://127.0.0.1:5173/#/join/{code}", ""] {
        assert_eq!(parse(right).as_deref(), Some(right));
    }
    for odd in [
        "https://play.example/join",
        "https://play.example/{code}/{code}",
        "https://{code}.example/",
        "https:///{code}",
        "play.example/{code}",
        "javascript://x/{code}",
        "https://a\"b/{code}",
    ] {
        assert_eq!(parse(odd), None, "{odd}");
    }
}

/// The page: status, relevant headers and body.
async fn page(app: &TestApp, path: &str) -> (u16, String, String) {
    let answer = reqwest::get(app.url(path)).await.unwrap();
    let header = |name: &str| answer.headers().get(name).unwrap().to_str().unwrap().to_owned();
    assert_eq!(header("content-type"), "text/html; charset=utf-8");
    assert_eq!(header("referrer-policy"), "no-referrer");
    assert_eq!(header("x-content-type-options"), "nosniff");
    assert!(answer.headers().get("set-cookie").is_none());
    let policy = header("content-security-policy");
    (answer.status().as_u16(), policy, answer.text().await.unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_says_how_to_join_and_not_whether_there_is_a_match() {
    for app in [with_a_page(Some(PUBLIC)).await, with_a_page(None).await] {
        let ada = app.player("ada").await;
        let created = ada.create(&json!({"size": 2})).await.expect(201);
        let code = created["join_code"].as_str().unwrap();
        let (status, policy, text) = page(&app, &format!("/join/{code}")).await;
        assert_eq!(status, 200);
        assert!(
            policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
            "{policy}"
        );
        assert!(!policy.contains("unsafe") && !policy.contains("script"), "{policy}");
        assert!(!text.contains("<script") && !text.contains("src=") && !text.contains("<form"));
        assert!(text.contains(&format!("href=\"yaniv://join/{code}\"")), "{text}");
        assert!(text.contains(code));

        // The same bytes, except for the code; lower case is accepted, as in the API.
        let other = if code == "22222222" { "33333333" } else { "22222222" };
        let (status, _, none) = page(&app, &format!("/join/{other}")).await;
        assert_eq!((status, none), (200, text.replace(code, other)));
        assert_eq!(page(&app, &format!("/join/{}", code.to_lowercase())).await.2, text);
        ada.revoke_code(id(&created)).await.expect(200);
        assert_eq!(page(&app, &format!("/join/{code}")).await.2, text);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_code_is_not_repeated() {
    let app = with_a_page(Some(PUBLIC)).await;
    let (_, _, usual) = page(&app, "/join/nonsense").await;
    for odd in [
        "%3Cscript%3Ealert(1)%3C%2Fscript%3E",
        "%22%3E%3Cb%3E",
        "AAAAAAAA",
        "2222222%00",
        "%FF%FE",
        "222222222",
    ] {
        let (status, _, text) = page(&app, &format!("/join/{odd}")).await;
        assert_eq!((status, &text), (404, &usual), "{odd}");
    }
    assert!(!usual.contains("nonsense"));
    // The policy allows this style by its hash.
    let (_, policy, text) = page(&app, "/join/22222222").await;
    let style = text.split("<style>").nth(1).unwrap().split("</style>").next().unwrap();
    let hash = {
        use base64::Engine;
        use sha2::Digest;
        base64::engine::general_purpose::STANDARD.encode(sha2::Sha256::digest(style))
    };
    assert!(policy.contains(&format!("style-src 'sha256-{hash}'")), "{policy}");
    // It is not an operation: no log-in is needed, and it is not in the document.
    assert_eq!(reqwest::Client::new().head(app.url("/join/22222222")).send().await.unwrap().status(), 200);
    let document = Player::anonymous(app.address).get("/openapi.json").await.expect(200);
    assert!(document["paths"].as_object().unwrap().keys().all(|path| !path.starts_with("/join")));
}

#[test]
fn a_public_address_is_one_or_the_start_is_refused() {
    use clap::Parser;
    use yaniv::config::{Cli, Command};

    let parse = |url: &str| match Cli::try_parse_from(["yaniv", "serve", "--public-url", url]).ok()?.command?
    {
        Command::Serve(options) => options.public_url,
        _ => None,
    };
    assert_eq!(parse("https://yaniv.example/").as_deref(), Some("https://yaniv.example"));
    assert_eq!(parse("http://127.0.0.1:8080/a").as_deref(), Some("http://127.0.0.1:8080/a"));
    assert_eq!(parse("").as_deref(), Some(""), "an empty value counts as none");
    for odd in [
        "yaniv.example",
        "ftp://yaniv.example",
        "https://",
        "https:///x",
        "https://a\"b",
        "https://a?b",
        "javascript:x",
    ] {
        assert_eq!(parse(odd), None, "{odd}");
    }
}
