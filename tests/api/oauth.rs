//! OAuth 2.1: third-party apps get a token without seeing a password. Attacks are those of RFC 9700, section 4.

use std::net::SocketAddr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::future::join_all;
use reqwest::{Client, Method, Url};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::sign_up::admin;
use crate::support::player::PASSWORD;
use crate::support::{Answer, Player, TestApp};

const AUTHORIZE: &str = "/v1/account/authorize-app";
const CALLBACK: &str = "https://app.example/callback?from=yaniv";
/// Example of RFC 7636, appendix B.
const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

/// An authorization request, with some fields changed.
fn request(changes: Value) -> Value {
    let mut request = json!({
        "approved": true,
        "response_type": "code",
        "client_id": "Table Watch",
        "redirect_uri": CALLBACK,
        "scope": "read play",
        "state": "a state & more",
        "code_challenge": CHALLENGE,
        "code_challenge_method": "S256",
    });
    let fields = request.as_object_mut().unwrap();
    for (name, value) in changes.as_object().unwrap() {
        fields.insert(name.clone(), value.clone());
    }
    fields.retain(|_, value| !value.is_null());
    request
}

async fn answer(player: &Player, changes: Value) -> Answer {
    player.post(AUTHORIZE, None, &request(changes)).await
}

/// The parameters that an answer adds to the redirect URI.
fn parameter(answer: &Value, name: &str) -> Option<String> {
    let url = Url::parse(answer["redirect_to"].as_str().unwrap()).unwrap();
    let mut found = url.query_pairs().filter(|(key, _)| key == name).map(|(_, value)| value.into_owned());
    let value = found.next();
    assert_eq!(found.next(), None, "{name} twice in {url}");
    value
}

async fn code(player: &Player) -> String {
    parameter(&answer(player, json!({})).await.expect(200), "code").unwrap()
}

/// Sends a form; the status and the body, which is empty or JSON.
async fn send(address: SocketAddr, path: &str, form: &[(&str, &str)]) -> (u16, Value) {
    let mut url = Url::parse("http://form").unwrap();
    url.query_pairs_mut().extend_pairs(form);
    let sent = Client::new().post(format!("http://{address}{path}"));
    let sent = sent.header("content-type", "application/x-www-form-urlencoded");
    let received = sent.body(url.query().unwrap_or_default().to_owned()).send().await.unwrap();
    assert_eq!(received.headers()["cache-control"], "no-store");
    let (status, text) = (received.status().as_u16(), received.text().await.unwrap());
    (status, if text.is_empty() { Value::Null } else { serde_json::from_str(&text).unwrap() })
}

/// A token request, with some parameters changed; an empty one is left out.
async fn exchange(address: SocketAddr, code: &str, changes: &[(&str, &str)]) -> (u16, Value) {
    let usual = [
        ("grant_type", "authorization_code"),
        ("client_id", "Table Watch"),
        ("code_verifier", VERIFIER),
        ("redirect_uri", CALLBACK),
        ("code", code),
    ];
    let changed = |name| changes.iter().find(|(other, _)| *other == name).map(|(_, value)| *value);
    let form = usual.map(|(name, value)| (name, changed(name).unwrap_or(value)));
    let form: Vec<(&str, &str)> = form.into_iter().filter(|(_, value)| !value.is_empty()).collect();
    send(address, "/oauth/token", &form).await
}

#[track_caller]
fn expect_error((status, body): (u16, Value), error: &str) {
    assert_eq!((status, body["error"].as_str()), (400, Some(error)), "{body}");
    assert!(!body["error_description"].as_str().unwrap().is_empty());
}

fn app_with((status, body): (u16, Value), address: SocketAddr) -> Player {
    assert_eq!(status, 200, "{body}");
    let token = body["access_token"].as_str().unwrap().to_owned();
    Player { token, ..Player::anonymous(address) }
}

/// Libraries that know no public clients send the client by HTTP Basic, with an empty secret.
#[tokio::test(flavor = "multi_thread")]
async fn the_client_may_come_by_http_basic_without_a_secret() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let basic = async |user: &str, password: &str| {
        let form = [
            ("grant_type", "authorization_code"),
            ("code_verifier", VERIFIER),
            ("redirect_uri", CALLBACK),
            ("code", &code(&ada).await),
        ];
        let mut url = Url::parse("http://form").unwrap();
        url.query_pairs_mut().extend_pairs(form);
        let sent = Client::new().post(app.url("/oauth/token")).basic_auth(user, Some(password));
        let sent = sent.header("content-type", "application/x-www-form-urlencoded");
        sent.body(url.query().unwrap().to_owned()).send().await.unwrap().status().as_u16()
    };
    assert_eq!(basic("Table+Watch", "").await, 200);
    assert_eq!(basic("Table%20Watch", "").await, 200);
    assert_eq!(basic("Another", "").await, 400);
    assert_eq!(basic("Table+Watch", "secret").await, 400);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_gets_a_token_that_the_player_sees_and_revokes() {
    let app = TestApp::start().await;
    let (other, ada) = (app.second().await, app.player("ada").await);
    // The screen asks first what to show, and how to refuse.
    let asked = answer(&ada, json!({"approved": false})).await.expect(200);
    assert_eq!(
        (&asked["client_id"], &asked["issued_to"]),
        (&json!("Table Watch"), &json!("https://app.example"))
    );
    assert_eq!(asked["scopes"], json!(["read", "play"]));
    assert_eq!(parameter(&asked, "error").as_deref(), Some("access_denied"));
    assert_eq!((parameter(&asked, "code"), parameter(&asked, "iss")), (None, None));
    assert_eq!(app.count("SELECT count(*) FROM authorization_codes").await, 0);

    let allowed = answer(&ada, json!({})).await.expect(200);
    let redirect = allowed["redirect_to"].as_str().unwrap();
    assert!(redirect.starts_with(&format!("{CALLBACK}&code=")), "{redirect}");
    assert_eq!(parameter(&allowed, "state").as_deref(), Some("a state & more"));
    let code = parameter(&allowed, "code").unwrap();
    // The code is a secret of 32 bytes and its seal.
    let bytes = URL_SAFE_NO_PAD.decode(&code).unwrap();
    let hash = Sha256::digest(&bytes[..32]);
    let hex: String = hash.iter().map(|byte| format!("{byte:02x}")).collect();
    let stored = format!("SELECT count(*) FROM authorization_codes WHERE encode(hash, 'hex') = '{hex}'");
    assert_eq!(app.count(&stored).await, 1, "only its hash is stored");

    let (status, body) = exchange(other, &code, &[]).await;
    assert_eq!((status, &body["token_type"], &body["scope"]), (200, &json!("Bearer"), &json!("read play")));
    assert_eq!(body["expires_in"], 365 * 24 * 3600);
    let watch = app_with((status, body), app.address);
    assert_eq!(watch.get("/v1/account").await.expect(200)["username"], "ada");
    watch.create(&json!({"size": 2})).await.expect(201);
    watch.get("/v1/tokens").await.expect_problem(403, "insufficient_scope");

    let listed = ada.get("/v1/tokens").await.expect(200)["items"].clone();
    assert_eq!(
        (&listed[0]["name"], &listed[0]["issued_to"]),
        (&json!("Table Watch"), &json!("https://app.example"))
    );
    let token = listed[0]["token_id"].as_str().unwrap();
    ada.delete(&format!("/v1/tokens/{token}")).await.expect(204);
    watch.get("/v1/account").await.expect_problem(401, "invalid_token");
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_holds_a_token_can_revoke_it() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let watch = app_with(exchange(app.address, &code(&ada).await, &[]).await, app.address);
    assert_eq!(send(app.address, "/oauth/revoke", &[("token", "yaniv_pat_x")]).await.0, 200);
    for (token, error) in [("", "invalid_request"), (&ada.token, "unsupported_token_type")] {
        expect_error(send(app.address, "/oauth/revoke", &[("token", token)]).await, error);
    }
    watch.get("/v1/account").await.expect(200);
    ada.get("/v1/account").await.expect(200);
    for _ in 0..2 {
        let form = [("token", watch.token.as_str()), ("token_type_hint", "access_token")];
        assert_eq!(send(app.address, "/oauth/revoke", &form).await, (200, Value::Null));
        watch.get("/v1/account").await.expect_problem(401, "invalid_token");
    }
    expect_error(send(app.address, "/oauth/revoke", &[("key", "value")]).await, "invalid_request");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_that_is_shown_twice_revokes_its_token() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let stolen = code(&ada).await;
    let watch = app_with(exchange(app.address, &stolen, &[]).await, app.address);
    watch.get("/v1/account").await.expect(200);
    // A second exchange revokes the token only if it has the right code verifier (RFC 9700, 4.5).
    expect_error(exchange(app.address, &stolen, &[("code_verifier", CHALLENGE)]).await, "invalid_grant");
    watch.get("/v1/account").await.expect(200);
    expect_error(exchange(app.address, &stolen, &[]).await, "invalid_grant");
    watch.get("/v1/account").await.expect_problem(401, "invalid_token");

    // Of several at once one is first, and what it got is void.
    let raced = code(&ada).await;
    let answers = join_all((0..8).map(|_| exchange(app.address, &raced, &[]))).await;
    let given: Vec<_> = answers.into_iter().filter(|(status, _)| *status == 200).collect();
    assert_eq!(given.len(), 1);
    for answer in given {
        app_with(answer, app.address).get("/v1/account").await.expect_problem(401, "invalid_token");
    }
    assert_eq!(ada.get("/v1/tokens").await.expect(200)["items"], json!([]));
}

/// RFC 9700, 4.5 and 4.8: injection of a code, and a downgrade of PKCE.
#[tokio::test(flavor = "multi_thread")]
async fn a_code_is_good_only_for_the_app_that_asked_for_it() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let code = code(&ada).await;
    for change in [
        ("code_verifier", CHALLENGE),
        ("client_id", "Table Watch 2"),
        ("redirect_uri", "https://app.example/callback"),
        ("redirect_uri", "https://evil.example/"),
        ("code", "x"),
        ("code", &ada.token),
    ] {
        expect_error(exchange(app.address, &code, &[change]).await, "invalid_grant");
    }
    for missing in ["code_verifier", "client_id", "code", "grant_type"] {
        expect_error(exchange(app.address, &code, &[(missing, "")]).await, "invalid_request");
    }
    expect_error(exchange(app.address, &code, &[("grant_type", "password")]).await, "unsupported_grant_type");
    for (field, value) in [
        ("code_challenge", json!(null)),
        ("code_challenge", json!("")),
        ("code_challenge", json!(VERIFIER.get(1..))),
        ("code_challenge_method", json!(null)),
        ("code_challenge_method", json!("plain")),
        // The token in the address of the page (RFC 9700, 2.1.2).
        ("response_type", json!("token")),
        ("client_id", json!("")),
        ("client_id", json!("a\nb")),
        ("scope", json!("read admin")),
        ("scope", json!("")),
        ("state", json!("x".repeat(501))),
    ] {
        let problem = answer(&ada, json!({field: value})).await.expect_problem(422, "invalid_body");
        assert_eq!(problem["fields"][0]["name"], field, "{problem}");
    }
    // OAuth 2.1 no longer has redirect_uri in this request.
    app_with(exchange(app.address, &code, &[("redirect_uri", "")]).await, app.address);
}

/// RFC 9700, 4.1 and 4.11: no open redirector, and no code over an open network or to a scheme that a browser runs.
#[tokio::test(flavor = "multi_thread")]
async fn a_code_goes_to_https_to_the_device_itself_or_to_an_app_scheme() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    for uri in
        ["http://app.example/", "javascript:alert(1)", "//app.example/", "https://app.example/#x", "myapp:/x"]
    {
        for approved in [true, false] {
            let refused = answer(&ada, json!({"redirect_uri": uri, "approved": approved})).await;
            let problem = refused.expect_problem(422, "invalid_body");
            assert_eq!(problem["fields"][0]["name"], "redirect_uri");
            assert!(!refused.body.contains("redirect_to"), "{}", refused.body);
        }
    }
    for (uri, known) in
        [("http://127.0.0.1:49152/back", "http://127.0.0.1"), ("com.example.app:/back", "com.example.app")]
    {
        let allowed = answer(&ada, json!({"redirect_uri": uri})).await.expect(200);
        assert_eq!(allowed["issued_to"], known);
        let code = parameter(&allowed, "code").unwrap();
        app_with(exchange(app.address, &code, &[("redirect_uri", uri)]).await, app.address);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_is_void_when_it_is_late_or_its_session_has_ended() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let late = code(&ada).await;
    app.run("UPDATE authorization_codes SET expires_at = expires_at - interval '5 minutes'").await;
    expect_error(exchange(app.address, &late, &[]).await, "invalid_grant");

    let phone = Player::log_in(app.address, "ada").await;
    let before = code(&phone).await;
    let change = json!({"current_password": PASSWORD, "new_password": "another long secret"});
    ada.post("/v1/account/change-password", None, &change).await.expect(204);
    expect_error(exchange(app.address, &before, &[]).await, "invalid_grant");
    answer(&phone, json!({})).await.expect_problem(401, "invalid_token");

    let before = code(&ada).await;
    ada.delete("/v1/sessions/current").await.expect(204);
    expect_error(exchange(app.address, &before, &[]).await, "invalid_grant");

    let bob = app.player("bob").await;
    let before = code(&bob).await;
    admin(&app, Some("because")).suspend("bob", None).await.unwrap();
    expect_error(exchange(app.address, &before, &[]).await, "invalid_grant");

    let cleo = app.player("cleo").await;
    let before = code(&cleo).await;
    cleo.post("/v1/account/delete", None, &json!({"password": PASSWORD})).await.expect(202);
    expect_error(exchange(app.address, &before, &[]).await, "invalid_grant");
    let own = "SELECT count(*) FROM authorization_codes c JOIN sessions s ON s.id = c.session_id \
               JOIN accounts a ON a.id = s.account_id WHERE a.deletion_asked_at IS NOT NULL";
    assert_eq!(app.count(own).await, 0);
    assert_eq!(app.count("SELECT count(*) FROM personal_tokens").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_password_ends_the_tokens_of_apps() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let watch = app_with(exchange(app.address, &code(&ada).await, &[]).await, app.address);
    let change = json!({"current_password": PASSWORD, "new_password": "another long secret"});
    ada.post("/v1/account/change-password", None, &change).await.expect(204);
    watch.get("/v1/account").await.expect_problem(401, "invalid_token");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_allows_no_other_app() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let all =
        parameter(&answer(&ada, json!({"scope": "account play read"})).await.expect(200), "code").unwrap();
    let app_of_ada = app_with(exchange(app.address, &all, &[]).await, app.address);
    answer(&app_of_ada, json!({})).await.expect_problem(403, "session_required");
    let scope = answer(&ada, json!({"scope": null, "state": null})).await.expect(200);
    assert_eq!((&scope["scopes"], parameter(&scope, "state")), (&json!(["read"]), None));
}

/// Adds tokens of another app for the only account, newer than all others.
async fn add_tokens(app: &TestApp, count: usize, named: &str) {
    let statement = format!(
        "INSERT INTO personal_tokens SELECT ('ff000000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, accounts.id, now(), \
         now() + interval '1 day', NULL, NULL, 1, {named}, sha256(n::text::bytea), 'https://x.example' \
         FROM accounts, generate_series(1, {count}) n"
    );
    app.run(&statement).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_has_five_tokens_and_all_apps_have_fifty() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let own = json!({"name": "own", "scopes": ["read"], "expires_in_days": 1});
    ada.post("/v1/tokens", None, &own).await.expect(201);
    let tokens = async || ada.get("/v1/tokens").await.expect(200)["items"].as_array().unwrap().clone();
    let mut watches = Vec::new();
    for _ in 0..6 {
        watches.push(app_with(exchange(app.address, &code(&ada).await, &[]).await, app.address));
    }
    watches[0].get("/v1/account").await.expect_problem(401, "invalid_token");
    watches[1].get("/v1/account").await.expect(200);
    assert_eq!(tokens().await.len(), 6);
    // An app that logs in again and again takes no place of another one.
    add_tokens(&app, 45, "'other'").await;
    watches.push(app_with(exchange(app.address, &code(&ada).await, &[]).await, app.address));
    assert_eq!(tokens().await.iter().filter(|token| token["name"] == "other").count(), 45);
    watches[1].get("/v1/account").await.expect_problem(401, "invalid_token");

    app.run("DELETE FROM personal_tokens WHERE name = 'other'").await;
    add_tokens(&app, 49, "'app ' || n").await;
    watches.push(app_with(exchange(app.address, &code(&ada).await, &[]).await, app.address));
    let left = tokens().await;
    assert_eq!(left.iter().filter(|token| token["name"] == "Table Watch").count(), 5);
    assert_eq!(left.iter().filter(|token| token["name"] == "own").count(), 1);
    assert_eq!(left.len(), 51);

    app.run("DELETE FROM personal_tokens WHERE issued_to IS NOT NULL").await;
    let before = code(&ada).await;
    add_tokens(&app, 99, "'other'").await;
    app.run("UPDATE personal_tokens SET issued_to = NULL").await;
    answer(&ada, json!({})).await.expect_problem(409, "too_many_tokens");
    answer(&ada, json!({"approved": false})).await.expect(200);
    let (status, body) = exchange(app.address, &before, &[]).await;
    assert_eq!((status, &body["code"]), (409, &json!("too_many_tokens")));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_metadata_names_the_issuer_of_the_answers() {
    let issuer = "https://yaniv.example";
    let app = TestApp::start_with(|options| options.public_url = Some(issuer.to_owned())).await;
    let path = "/.well-known/oauth-authorization-server";
    let metadata: Value = serde_json::from_str(
        &reqwest::get(app.url(path)).await.unwrap().error_for_status().unwrap().text().await.unwrap(),
    )
    .unwrap();
    assert_eq!(metadata["issuer"], issuer);
    assert_eq!(metadata["token_endpoint"], format!("{issuer}/oauth/token"));
    assert_eq!(metadata["code_challenge_methods_supported"], json!(["S256"]));
    // RFC 9207, against a mix-up of two servers (RFC 9700, 4.4).
    let ada = app.player("ada").await;
    for approved in [true, false] {
        let answered = answer(&ada, json!({"approved": approved})).await.expect(200);
        assert_eq!(parameter(&answered, "iss").as_deref(), Some(issuer));
        // The player would be told that this service asks.
        let own = format!("{issuer}/oauth/authorize");
        let refused = answer(&ada, json!({"approved": approved, "redirect_uri": own})).await;
        assert_eq!(refused.expect_problem(422, "invalid_body")["fields"][0]["name"], "redirect_uri");
    }
    let without = TestApp::start().await;
    let missing = reqwest::get(without.url(path)).await.unwrap();
    assert_eq!(missing.status(), 404);
    assert!(missing.text().await.unwrap().contains("YANIV_PUBLIC_URL"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_whose_origin_is_allowed_may_send_headers_of_its_own() {
    let app =
        TestApp::start_with(|options| options.cors_origins = "https://app.example".parse().unwrap()).await;
    let preflight = Client::new()
        .request(Method::OPTIONS, app.url("/oauth/token"))
        .header("origin", "https://app.example")
        .header("access-control-request-method", "POST");
    let allowed = preflight.send().await.unwrap();
    assert_eq!(allowed.status(), 204);
    assert_eq!(allowed.headers()["access-control-allow-origin"], "https://app.example");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_request_is_one_form() {
    let app = TestApp::start().await;
    let twice = [("grant_type", "authorization_code"), ("code", "a"), ("code", "b")];
    expect_error(send(app.address, "/oauth/token", &twice).await, "invalid_request");
    let url = app.url("/oauth/token");
    let json = Client::new().post(&url).header("content-type", "application/json").body("{}");
    let refused = json.send().await.unwrap();
    assert_eq!(refused.status(), 400);
    assert!(refused.text().await.unwrap().contains("x-www-form-urlencoded"));
    for parameter in ["code", "code_verifier", "client_id", "grant_type"] {
        let mut form = vec![
            ("grant_type", "authorization_code"),
            ("code", "a"),
            ("code_verifier", "b"),
            ("client_id", "c"),
        ];
        form.iter_mut().filter(|(name, _)| *name == parameter).for_each(|(_, value)| *value = "");
        expect_error(send(app.address, "/oauth/token", &form).await, "invalid_request");
    }
    let large = Client::new().post(&url).header("content-type", "application/x-www-form-urlencoded");
    assert_eq!(large.body("x".repeat(20_000)).send().await.unwrap().status(), 413);
    for path in ["/oauth/token", "/oauth/revoke"] {
        let browser = Client::new().get(app.url(path)).header("accept", "text/html").send().await.unwrap();
        assert_eq!((browser.status().as_u16(), &browser.headers()["allow"]), (405, &"POST".parse().unwrap()));
    }
}
