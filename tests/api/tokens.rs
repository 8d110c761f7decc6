//! Personal tokens: limited to their scopes, and useless within a second of being revoked.

use std::net::SocketAddr;

use diesel::QueryableByName;
use diesel::sql_types::{Bool, Text};
use diesel_async::RunQueryDsl;
use reqwest::Method;
use serde_json::{Value, json};
use yaniv_db::connect;

use crate::support::player::{PASSWORD, new_key};
use crate::support::{Answer, Player, TestApp, id, within_a_second};

async fn created(owner: &Player, scopes: &[&str]) -> Value {
    let wanted = json!({"name": "my bot", "scopes": scopes, "expires_in_days": 30});
    owner.post("/v1/tokens", None, &wanted).await.expect(201)
}

fn bot(address: SocketAddr, created: &Value) -> Player {
    Player { token: created["token"].as_str().unwrap().to_owned(), ..Player::anonymous(address) }
}

async fn delete(player: &Player, path: &str) -> Answer {
    player.request(Method::DELETE, path, &[], None).await
}

fn path_of(created: &Value) -> String {
    format!("/v1/tokens/{}", created["personal_token"]["token_id"].as_str().unwrap())
}

async fn sql(app: &TestApp, statement: &str) {
    let mut connection = connect(app.database.url()).await.unwrap();
    diesel::sql_query(statement).execute(&mut connection).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_shown_once_and_listed_by_what_it_is_for() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let made = created(&ada, &["play", "read"]).await;
    let token = made["token"].as_str().unwrap();
    assert!(token.starts_with("yaniv_pat_") && token.len() == 74, "{token}");
    let list = ada.get("/v1/tokens").await.expect(200);
    assert_eq!(list["items"], json!([made["personal_token"]]));
    assert_eq!(list["items"][0]["scopes"], json!(["read", "play"]));
    assert!(list["items"][0].get("last_used_on").is_none());
    let bot = bot(app.address, &made);
    assert_eq!(bot.get("/v1/account").await.expect(200)["username"], "ada");
    let list = ada.get("/v1/tokens").await.expect(200);
    let used = list["items"][0]["last_used_on"].as_str().unwrap().to_owned();
    assert_eq!(used.len(), "2026-05-05".len(), "a date: {used}");
    assert!(!list.to_string().contains(token));
    // The database does not contain the token.
    #[derive(QueryableByName)]
    struct Row {
        #[diesel(sql_type = Text)]
        row: String,
    }
    let mut connection = connect(app.database.url()).await.unwrap();
    let rows: Vec<Row> = diesel::sql_query(
        "SELECT personal_tokens::text || sessions::text AS row FROM personal_tokens, sessions",
    )
    .load(&mut connection)
    .await
    .unwrap();
    assert!(rows.iter().all(|row| row.row.contains("my bot") && !row.row.contains(&token[10..30])));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_use_is_not_written_each_time() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let bot = bot(app.address, &created(&ada, &["read"]).await);
    bot.get("/v1/account").await.expect(200);
    sql(&app, "UPDATE personal_tokens SET last_used_at = 'epoch'").await;
    for _ in 0..20 {
        bot.get("/v1/account").await.expect(200);
    }
    #[derive(QueryableByName)]
    struct Row {
        #[diesel(sql_type = Bool)]
        untouched: bool,
    }
    let mut connection = connect(app.database.url()).await.unwrap();
    let row: Row = diesel::sql_query("SELECT last_used_at = 'epoch' AS untouched FROM personal_tokens")
        .get_result(&mut connection)
        .await
        .unwrap();
    assert!(row.untouched);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_token_is_refused_on_every_instance_within_a_second() {
    let app = TestApp::start().await;
    let other = app.second().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let made = created(&ada, &["read"]).await;
    let (here, there) = (bot(app.address, &made), bot(other, &made));
    here.get("/v1/account").await.expect(200);
    there.get("/v1/account").await.expect(200);
    let strange = delete(&bob, &path_of(&made)).await;
    strange.expect_problem(404, "token_not_found");
    assert_eq!(delete(&bob, "/v1/tokens/0193aa00-0000-7000-8000-000000000001").await.body, strange.body);
    delete(&ada, &path_of(&made)).await.expect(204);
    delete(&ada, &path_of(&made)).await.expect(204);
    here.get("/v1/account").await.expect_problem(401, "invalid_token");
    within_a_second("refused", async || there.is_refused().await).await;
    assert_eq!(ada.get("/v1/tokens").await.expect(200)["items"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_good_until_it_expires() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    for (field, value) in [
        ("expires_in_days", json!(0)),
        ("expires_in_days", json!(367)),
        ("scopes", json!([])),
        ("scopes", json!(["read", "read", "read", "read", "read"])),
        ("name", json!("")),
        ("name", json!("a\nb")),
        ("name", json!("x".repeat(61))),
    ] {
        let mut wanted = json!({"name": "my bot", "scopes": ["read"], "expires_in_days": 1});
        wanted[field] = value;
        let problem = ada.post("/v1/tokens", None, &wanted).await.expect_problem(422, "invalid_body");
        assert_eq!(problem["fields"][0]["name"], field);
    }
    let unknown = json!({"name": "my bot", "scopes": ["admin"], "expires_in_days": 1});
    ada.post("/v1/tokens", None, &unknown).await.expect_problem(422, "invalid_body");
    let made = created(&ada, &["read"]).await;
    sql(&app, "UPDATE personal_tokens SET expires_at = now() - interval '1 second'").await;
    bot(app.address, &made).get("/v1/account").await.expect_problem(401, "invalid_token");
    assert_eq!(ada.get("/v1/tokens").await.expect(200)["items"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_has_a_hundred_tokens_at_most() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    created(&ada, &["read"]).await;
    sql(
        &app,
        "INSERT INTO personal_tokens SELECT gen_random_uuid(), account_id, now(), expires_at, NULL, NULL, 1, 'other', \
         sha256(number::text::bytea) FROM personal_tokens, generate_series(1, 98) AS number",
    )
    .await;
    let last = created(&ada, &["read"]).await;
    let wanted = json!({"name": "my bot", "scopes": ["read"], "expires_in_days": 30});
    ada.post("/v1/tokens", None, &wanted).await.expect_problem(409, "too_many_tokens");
    delete(&ada, &path_of(&last)).await.expect(204);
    created(&ada, &["read"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_makes_no_token() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let keeper = bot(app.address, &created(&ada, &["account"]).await);
    let wanted = json!({"name": "more", "scopes": ["account", "play"], "expires_in_days": 1});
    keeper.post("/v1/tokens", None, &wanted).await.expect_problem(403, "session_required");
    // It has no session.
    delete(&keeper, "/v1/sessions/current").await.expect_problem(404, "session_not_found");
    let list = keeper.get("/v1/sessions").await.expect(200);
    assert_eq!(list["items"][0]["current"], false);
}

/// A revoked token creates nothing that lasts, even on instances that do not know of the revocation yet.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_has_ended_elsewhere_makes_no_token() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    sql(&app, "UPDATE sessions SET ended_at = clock_timestamp()").await;
    let wanted = json!({"name": "back door", "scopes": ["read"], "expires_in_days": 30});
    ada.post("/v1/tokens", None, &wanted).await.expect_problem(401, "invalid_token");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_password_revokes_tokens_unless_it_is_said_otherwise() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let bot = bot(app.address, &created(&ada, &["read"]).await);
    let change =
        |keep: bool| json!({"current_password": PASSWORD, "new_password": PASSWORD, "keep_tokens": keep});
    ada.post("/v1/account/change-password", None, &change(true)).await.expect(204);
    bot.get("/v1/account").await.expect(200);
    ada.post("/v1/account/change-password", None, &change(false)).await.expect(204);
    bot.get("/v1/account").await.expect_problem(401, "invalid_token");
    assert_eq!(ada.get("/v1/tokens").await.expect(200)["items"], json!([]));
}

/// The secrets are shown once: a lost answer is got again by its key.
#[tokio::test(flavor = "multi_thread")]
async fn a_lost_secret_of_a_token_or_a_webhook_is_got_again_by_its_key() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let robot = ada.post("/v1/bots", None, &json!({"username": "robot"})).await.expect(201);
    let of_robot = format!("/v1/bots/{}/tokens", id(&robot));
    let hook = json!({"url": "http://127.0.0.1:9/", "format": "standard"});
    let wanted = json!({"name": "one", "scopes": ["read"], "expires_in_days": 1});
    for (path, list, body) in [
        ("/v1/tokens", "/v1/tokens", &wanted),
        (of_robot.as_str(), of_robot.as_str(), &wanted),
        ("/v1/webhook-channels", "/v1/channels", &hook),
    ] {
        let key = new_key();
        let first = ada.post(path, Some(&key), body).await;
        first.expect(201);
        assert_eq!(first.header("idempotency-replayed"), None);
        // As some libraries send it: a structured field.
        let quoted = format!("\"{key}\"");
        let sent = reqwest::Client::new().post(app.url(path)).bearer_auth(&ada.token).json(body);
        let again = sent.header("idempotency-key", quoted).send().await.unwrap();
        assert_eq!(
            (again.status().as_u16(), &again.headers()["idempotency-replayed"]),
            (201, &"true".parse().unwrap())
        );
        assert_eq!(again.text().await.unwrap(), first.body, "{path}");
        let mut other = body.clone();
        other["name"] = json!("two");
        ada.post(path, Some(&key), &other).await.expect_problem(422, "idempotency_key_reused");
        let made = ada.post(path, Some(&new_key()), body).await.expect(201);
        assert_ne!(made, first.expect(201));
        assert_eq!(ada.get(list).await.expect(200)["items"].as_array().unwrap().len(), 2, "{path}");
        if let Some(token) = first.expect(201)["token"].as_str() {
            Player { token: token.to_owned(), ..ada.clone() }.get("/v1/account").await.expect(200);
        }
    }
}
