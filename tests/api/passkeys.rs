//! Passkeys: added with the password, and good for a log-in without one. Each answer of a browser is good once.

use std::net::SocketAddr;

use reqwest::Method;
use serde_json::{Value, json};

use crate::sign_up::admin;
use crate::support::authenticator::Authenticator;
use crate::support::player::PASSWORD;
use crate::support::{Answer, Player, TestApp, options, serve, until_swept, within_a_second};

/// The public URL of the service, and the origin of its pages.
const ORIGIN: &str = "http://localhost:8080";
const BEGIN: &str = "/v1/account/passkey-options";
const PASSKEYS: &str = "/v1/account/passkeys";

async fn start() -> TestApp {
    TestApp::start_with(|options| options.public_url = Some(ORIGIN.to_owned())).await
}

/// Another instance on the same database.
async fn second(app: &TestApp) -> SocketAddr {
    let options = yaniv::config::ServeOptions { public_url: Some(ORIGIN.to_owned()), ..options() };
    serve(&options, app.database.url()).await.0
}

async fn begin(player: &Player) -> Value {
    let begun = player.post(BEGIN, None, &json!({"current_password": PASSWORD})).await.expect(201);
    begun["public_key"].clone()
}

async fn finish(player: &Player, credential: &Value) -> Answer {
    player.post(PASSKEYS, None, &json!({"name": "Ada's phone", "credential": credential})).await
}

async fn add(player: &Player) -> (Authenticator, Value) {
    let (passkey, credential) = Authenticator::create(ORIGIN, &begin(player).await);
    (passkey, finish(player, &credential).await.expect(201))
}

async fn log_in_options(address: SocketAddr) -> Value {
    let nobody = Player::anonymous(address);
    let begun = nobody.request(Method::POST, "/v1/passkey-sessions/options", &[], None).await;
    begun.expect(201)["public_key"].clone()
}

async fn send(address: SocketAddr, credential: &Value) -> Answer {
    let body = json!({"credential": credential, "device": "Ada's phone"});
    Player::anonymous(address).post("/v1/passkey-sessions", None, &body).await
}

async fn log_in(address: SocketAddr, passkey: &mut Authenticator) -> Answer {
    send(address, &passkey.assert(&log_in_options(address).await)).await
}

async fn delete(player: &Player, passkey: &Value) -> Answer {
    let path = format!("{PASSKEYS}/{}", passkey["passkey_id"].as_str().unwrap());
    player.request(Method::DELETE, &path, &[], None).await
}

async fn list(player: &Player) -> Vec<Value> {
    player.get(PASSKEYS).await.expect(200)["items"].as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_passkey_logs_in_without_a_name_until_it_is_deleted() {
    let app = start().await;
    let other = second(&app).await;
    assert_eq!(Player::anonymous(app.address).get("/v1/server").await.expect(200)["passkeys"], true);
    let ada = app.player("ada").await;
    let options = begin(&ada).await;
    assert_eq!(options["rp"], json!({"id": "localhost", "name": "Yaniv"}));
    assert_eq!((&options["user"]["name"], &options["user"]["displayName"]), (&json!("ada"), &json!("ada")));
    assert_eq!(options["excludeCredentials"], json!([]));
    let (mut passkey, credential) = Authenticator::create(ORIGIN, &options);
    // What one instance has begun another one finishes.
    let added = finish(&ada.at(other), &credential).await.expect(201);
    assert_eq!((&added["name"], added.get("last_used_on")), (&json!("Ada's phone"), None));
    assert_eq!(list(&ada).await, std::slice::from_ref(&added));
    assert_eq!(begin(&ada).await["excludeCredentials"][0]["id"], credential["id"]);

    let asserted = passkey.assert(&log_in_options(app.address).await);
    let session = send(other, &asserted).await.expect(201);
    assert_eq!(session["account"]["username"], "ada");
    let phone = Player::of(app.address, &session);
    let sessions = phone.get("/v1/sessions").await.expect(200);
    let current = sessions["items"].as_array().unwrap().iter().find(|one| one["current"] == true);
    assert_eq!(current.unwrap()["device"], "Ada's phone");
    assert!(list(&ada).await[0]["last_used_on"].is_string());
    let export: Value = ada.get("/v1/account/export").await.expect(200);
    assert_eq!(export["passkeys"], json!(list(&ada).await));

    // The passkey of another account is none of one's own.
    let bob = app.player("bob").await;
    assert!(list(&bob).await.is_empty());
    delete(&bob, &added).await.expect_problem(404, "passkey_not_found");
    delete(&ada, &added).await.expect(204);
    delete(&ada, &added).await.expect_problem(404, "passkey_not_found");
    log_in(app.address, &mut passkey).await.expect_problem(404, "passkey_unknown");
    // The session that began with it goes on.
    phone.get("/v1/account").await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_good_once_for_five_minutes_in_the_session_that_asked() {
    let app = start().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let (mut passkey, credential) = Authenticator::create(ORIGIN, &begin(&ada).await);
    // Another session of the account has not given the password.
    let elsewhere = Player::log_in(app.address, "ada").await;
    for other in [&elsewhere, &bob] {
        finish(other, &credential).await.expect_problem(403, "passkey_expired");
    }
    finish(&ada, &credential).await.expect(201);
    finish(&ada, &credential).await.expect_problem(403, "passkey_expired");
    let asserted = passkey.assert(&log_in_options(app.address).await);
    send(app.address, &asserted).await.expect(201);
    send(app.address, &asserted).await.expect_problem(403, "passkey_expired");

    // Also at the same moment, at two instances.
    let other = second(&app).await;
    let asserted = passkey.assert(&log_in_options(app.address).await);
    let both = futures_util::future::join(send(app.address, &asserted), send(other, &asserted)).await;
    let mut statuses = [both.0.status, both.1.status].map(|status| status.as_u16());
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 403]);

    // An answer that was refused has used its challenge up, too.
    let options = log_in_options(app.address).await;
    passkey.origin = "https://evil.example".to_owned();
    let phished = passkey.assert(&options);
    send(app.address, &phished).await.expect_problem(403, "passkey_refused");
    passkey.origin = ORIGIN.to_owned();
    let right = passkey.assert(&options);
    send(app.address, &right).await.expect_problem(403, "passkey_expired");

    // Challenges of log-ins are not those of accounts, nor the other way round.
    let attested = passkey.attest(&log_in_options(app.address).await);
    finish(&ada, &attested).await.expect_problem(403, "passkey_expired");
    let mut options = begin(&ada).await;
    options["rpId"] = json!("localhost");
    options["userVerification"] = json!("required");
    options["allowCredentials"] = json!([]);
    send(app.address, &passkey.assert(&options)).await.expect_problem(403, "passkey_expired");

    let late = passkey.assert(&log_in_options(app.address).await);
    let (_, late_credential) = Authenticator::create(ORIGIN, &begin(&ada).await);
    app.run("UPDATE passkey_challenges SET expires_at = expires_at - interval '301 seconds'").await;
    send(app.address, &late).await.expect_problem(403, "passkey_expired");
    finish(&ada, &late_credential).await.expect_problem(403, "passkey_expired");
    // Housekeeping deletes what has expired. The rest is of the session that has ended.
    let left = "SELECT count(*) FROM passkey_challenges";
    assert!(app.count(left).await > 0);
    second(&app).await;
    until_swept(&app, "no challenge is left", async || app.count(left).await == 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_in_needs_the_right_page_key_account_and_a_verified_user() {
    let app = start().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let (mut hers, _) = add(&ada).await;
    let (mut his, _) = add(&bob).await;
    // The handle of another account.
    std::mem::swap(&mut hers.user, &mut his.user);
    log_in(app.address, &mut hers).await.expect_problem(403, "passkey_refused");
    std::mem::swap(&mut hers.user, &mut his.user);
    // The signature of another key.
    let options = log_in_options(app.address).await;
    let mut forged = hers.assert(&options);
    forged["response"]["signature"] = his.assert(&options)["response"]["signature"].clone();
    send(app.address, &forged).await.expect_problem(403, "passkey_refused");
    // Somebody has the unlocked device, and is not asked for a fingerprint.
    hers.verifies = false;
    log_in(app.address, &mut hers).await.expect_problem(403, "passkey_refused");
    hers.verifies = true;
    // Another port is another origin.
    for origin in ["http://localhost:8081", "https://localhost:8080", "http://evil.localhost:8080"] {
        hers.origin = origin.to_owned();
        log_in(app.address, &mut hers).await.expect_problem(403, "passkey_refused");
    }
    hers.origin = ORIGIN.to_owned();
    log_in(app.address, &mut hers).await.expect(201);

    // The same for a new passkey; and a credential belongs to one account.
    let (_, foreign) = Authenticator::create("https://evil.example", &begin(&ada).await);
    finish(&ada, &foreign).await.expect_problem(403, "passkey_refused");
    let again = his.attest(&begin(&ada).await);
    finish(&ada, &again).await.expect_problem(409, "passkey_taken");
    let mut torn = hers.attest(&begin(&ada).await);
    torn["response"]["attestationObject"] = json!("o2NmbXRkbm9uZQ");
    finish(&ada, &torn).await.expect_problem(403, "passkey_refused");
    torn["response"]["attestationObject"] = json!("no base64!");
    let problem = finish(&ada, &torn).await.expect_problem(422, "invalid_body");
    let mut fields = problem["fields"].as_array().unwrap().iter();
    assert!(fields.any(|field| field["name"] == "credential.response.attestationObject"), "{problem}");
    assert_eq!(list(&ada).await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_counter_that_went_back_is_refused_and_in_the_audit_log() {
    let app = start().await;
    let ada = app.player("ada").await;
    let (mut passkey, _) = add(&ada).await;
    for counter in [1, 5] {
        passkey.counter = counter;
        log_in(app.address, &mut passkey).await.expect(201);
    }
    // A copy that has not seen the newest log-in.
    for counter in [2, 5] {
        passkey.counter = counter;
        log_in(app.address, &mut passkey).await.expect_problem(403, "passkey_refused");
    }
    passkey.counter = 6;
    log_in(app.address, &mut passkey).await.expect(201);
    let entries = admin(&app, None).audit(Some("ada"), 10).await.unwrap();
    let entries: Vec<_> = entries.iter().map(|entry| (entry.by.as_str(), entry.action.as_str())).collect();
    assert_eq!(entries, [("(service)", "passkeys.counter-went-back"); 2]);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_has_a_session_only_adds_no_passkey() {
    let app = start().await;
    let ada = app.player("ada").await;
    let ask = async |player: &Player, body: Value| player.post(BEGIN, None, &body).await;
    ask(&ada, json!({"current_password": "a wrong password"})).await.expect_problem(403, "wrong_password");
    ask(&ada, json!({})).await.expect_problem(422, "invalid_body");
    let wanted = json!({"name": "bot", "scopes": ["account", "read"], "expires_in_days": 9});
    let token = ada.post("/v1/tokens", None, &wanted).await.expect(201);
    let bot = Player { token: token["token"].as_str().unwrap().to_owned(), ..ada.clone() };
    ask(&bot, json!({"current_password": PASSWORD})).await.expect_problem(403, "session_required");
    // What browsers add to a credential is not what is wrong with a body.
    let (_, credential) = Authenticator::create(ORIGIN, &begin(&ada).await);
    assert!(credential["rawId"].is_string(), "{credential}");
    let wrong = ada.post(PASSKEYS, None, &json!({"name": 7, "credential": credential})).await;
    let wrong = wrong.expect_problem(422, "invalid_body").to_string();
    assert!(wrong.contains("name") && !wrong.contains("rawId"), "{wrong}");
    let (_, added) = add(&ada).await;
    delete(&bot, &added).await.expect_problem(403, "session_required");
    let guest = Player::guest(app.address).await;
    ask(&guest, json!({})).await.expect_problem(422, "invalid_body");
    ask(&guest, json!({"current_password": PASSWORD})).await.expect_problem(403, "wrong_password");
    // A changed password ends the other sessions, and what they have begun.
    let thief = Player::log_in(app.address, "ada").await;
    let (_, begun) = Authenticator::create(ORIGIN, &begin(&thief).await);
    let change = json!({"current_password": PASSWORD, "new_password": "another long secret"});
    ada.post("/v1/account/change-password", None, &change).await.expect(204);
    within_a_second("refused", async || thief.is_refused().await).await;
    finish(&thief, &begun).await.expect_problem(401, "invalid_token");
    // It leaves passkeys as they are.
    assert_eq!(list(&ada).await, [added]);
    let create = async || {
        let change = json!({"current_password": "another long secret"});
        let options = ask(&ada, change).await.expect(201)["public_key"].clone();
        Authenticator::create(ORIGIN, &options).1
    };
    // Begun while there was room.
    let late = create().await;
    for count in 2..=20 {
        finish(&ada, &create().await).await.expect(201);
        assert_eq!(list(&ada).await.len(), count);
    }
    finish(&ada, &late).await.expect_problem(409, "too_many_passkeys");
    let full = ask(&ada, json!({"current_password": "another long secret"})).await;
    full.expect_problem(409, "too_many_passkeys");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_rules_of_a_log_in_hold() {
    let app = start().await;
    let ada = app.player("ada").await;
    let (mut passkey, added) = add(&ada).await;
    admin(&app, Some("abuse of bots")).suspend("ada", None).await.unwrap();
    let refused = log_in(app.address, &mut passkey).await.expect_problem(403, "account_suspended");
    assert_eq!(refused["detail"], "the account is suspended: abuse of bots");
    admin(&app, None).restore("ada").await.unwrap();
    let session = log_in(app.address, &mut passkey).await.expect(201);
    let ada = Player::of(app.address, &session);

    // Nobody could log in any more: the account has no password, and its provider is gone.
    app.run(
        "UPDATE accounts SET password_hash = '', oidc_issuer = 'https://gone.example', oidc_subject = '1'",
    )
    .await;
    delete(&ada, &added).await.expect_problem(409, "password_missing");
    ada.post(BEGIN, None, &json!({})).await.expect_problem(403, "identity_required");
    assert_eq!(list(&ada).await.len(), 1);

    // What the administrator resets are all the ways in.
    admin(&app, None).reset_password("ada", Some("another long secret".to_owned())).await.unwrap();
    log_in(app.address, &mut passkey).await.expect_problem(404, "passkey_unknown");
    assert_eq!(app.count("SELECT count(*) FROM passkeys").await, 0);

    // A deleted account has none.
    let bob = app.player("bob").await;
    let (mut his, _) = add(&bob).await;
    bob.post("/v1/account/delete", None, &json!({"password": PASSWORD})).await.expect(202);
    log_in(app.address, &mut his).await.expect_problem(404, "passkey_unknown");
    assert_eq!(app.count("SELECT count(*) FROM passkeys").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_verified_address_is_told_of_a_passkey_and_of_a_new_device() {
    let app = start().await;
    let ada = app.player("ada").await;
    app.run(
        "INSERT INTO channels (id, account_id, created_at, format, url, host, name, kinds, immediate, secret, verified_at) \
         SELECT gen_random_uuid(), id, now(), 'email', 'ada@example.org', 'example.org', 'mail', 0, true, '', now() \
         FROM accounts",
    )
    .await;
    let told =
        async |kind: &str| app.count(&format!("SELECT count(*) FROM deliveries WHERE kind = '{kind}'")).await;
    let (mut passkey, _) = add(&ada).await;
    assert_eq!((told("passkey_added").await, told("new_device").await), (1, 0));
    let session = log_in(app.address, &mut passkey).await.expect(201);
    assert_eq!(told("new_device").await, 1);
    let credential = passkey.assert(&log_in_options(app.address).await);
    let known = json!({"credential": credential, "device_token": session["device_token"]});
    Player::anonymous(app.address).post("/v1/passkey-sessions", None, &known).await.expect(201);
    assert_eq!(told("new_device").await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn there_are_none_where_browsers_do_not_allow_them() {
    for url in [None, Some("http://yaniv.example"), Some("https://192.0.2.1"), Some("http://127.0.0.1:8080")]
    {
        let app = TestApp::start_with(|options| options.public_url = url.map(str::to_owned)).await;
        let nobody = Player::anonymous(app.address);
        assert_eq!(nobody.get("/v1/server").await.expect(200)["passkeys"], false, "{url:?}");
        let begun = nobody.request(Method::POST, "/v1/passkey-sessions/options", &[], None).await;
        begun.expect_problem(409, "passkeys_off");
        let ada = app.player("ada").await;
        let begun = ada.post(BEGIN, None, &json!({"current_password": PASSWORD})).await;
        begun.expect_problem(409, "passkeys_off");
        assert!(list(&ada).await.is_empty());
    }
}
