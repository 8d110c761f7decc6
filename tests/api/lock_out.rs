//! Password guessing is slow, from anywhere; and it cannot lock out the owner.

use std::net::SocketAddr;

use futures_util::future::join_all;
use serde_json::{Value, json};
use yaniv_db::accounts::password_attempts::password_try_forget_old;
use yaniv_db::connect;

use crate::support::player::PASSWORD;
use crate::support::{Answer, Player, TestApp};

async fn log_in(address: SocketAddr, name: &str, password: &str, device_token: Option<&str>) -> Answer {
    let mut body = json!({"username": name, "password": password});
    if let Some(token) = device_token {
        body["device_token"] = json!(token);
    }
    Player::anonymous(address).post("/v1/sessions", None, &body).await
}

/// Sends this many wrong passwords; returns how many were verified.
async fn guess(address: SocketAddr, name: &str, times: usize) -> usize {
    let mut looked_at = 0;
    for _ in 0..times {
        looked_at += usize::from(log_in(address, name, "a wrong password", None).await.status == 401);
    }
    looked_at
}

fn locked(answer: &Answer) -> i64 {
    answer.expect_problem(429, "too_many_attempts");
    let wait: i64 = answer.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=900).contains(&wait), "{wait}");
    assert_eq!(answer.header("ratelimit-policy"), Some("\"attempts\";q=10;w=900"));
    assert_eq!(answer.header("ratelimit"), Some(format!("\"attempts\";r=0;t={wait}").as_str()));
    wait
}

fn text<'a>(session: &'a Value, field: &str) -> &'a str {
    session[field].as_str().unwrap()
}

/// Moves all attempts back in time.
async fn later(app: &TestApp, by: &str) {
    app.run(&format!(
        "UPDATE password_tries SET last_at = last_at - interval '{by}', \
         tries = ARRAY(SELECT tried - interval '{by}' FROM unnest(tries) AS tried)"
    ))
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_wrong_passwords_are_looked_at_on_all_instances_together_and_then_not_even_the_right_one() {
    let app = TestApp::start().await;
    app.player("ada").await;
    let second = app.second().await;
    let tries = (0..20).map(|at| async move {
        let address = if at % 2 == 0 { app.address } else { second };
        log_in(address, "ada", "a wrong password", None).await
    });
    let answers = join_all(tries).await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 401).count(), 10);
    assert!(answers.iter().all(|answer| [401, 429].contains(&answer.status.as_u16())));
    let wait = locked(&log_in(second, "ada", PASSWORD, None).await);
    assert!(wait > 800, "{wait}");
    // Others are not affected.
    app.player("bob").await;
    log_in(app.address, "bob", PASSWORD, None).await.expect(201);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_name_is_counted_and_refused_the_same() {
    let app = TestApp::start().await;
    app.player("ada").await;
    let long = "x".repeat(10_000);
    for name in ["ada", "bob", "No Such Name", &long] {
        assert_eq!(guess(app.address, name, 12).await, 10, "{name}");
    }
    let ada = log_in(app.address, "ada", PASSWORD, None).await;
    let bob = log_in(app.address, "bob", PASSWORD, None).await;
    locked(&ada);
    locked(&bob);
    assert_eq!(ada.body, bob.body);
    let names = |answer: &Answer| answer.headers.keys().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(names(&ada), names(&bob));
    // What is stored of a name has a fixed length; and it is deleted.
    let mut connection = connect(app.database.url()).await.unwrap();
    let lengths = "SELECT 1 FROM password_tries WHERE octet_length(key) = 32 AND cardinality(tries) = 10";
    let rows = diesel_async::RunQueryDsl::execute(diesel::sql_query(lengths), &mut connection).await.unwrap();
    assert_eq!(rows, 4);
    password_try_forget_old(&connection, chrono::TimeDelta::minutes(15)).await.unwrap();
    locked(&log_in(app.address, "ada", PASSWORD, None).await);
    later(&app, "15 minutes").await;
    password_try_forget_old(&connection, chrono::TimeDelta::minutes(15)).await.unwrap();
    let left = diesel::sql_query("SELECT 1 FROM password_tries");
    assert_eq!(diesel_async::RunQueryDsl::execute(left, &mut connection).await.unwrap(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_owner_gets_in_on_a_device_that_was_logged_in_before() {
    let app = TestApp::start().await;
    app.player("ada").await;
    let phone = log_in(app.address, "ada", PASSWORD, None).await.expect(201);
    let device = text(&phone, "device_token");
    assert_eq!(guess(app.address, "ada", 11).await, 10);
    locked(&log_in(app.address, "ada", PASSWORD, None).await);
    let session = log_in(app.address, "ada", PASSWORD, Some(device)).await.expect(201);
    // The device has its own ten attempts.
    for _ in 0..10 {
        log_in(app.address, "ada", "a wrong password", Some(device)).await.expect(401);
    }
    locked(&log_in(app.address, "ada", PASSWORD, Some(device)).await);
    // An invalid device token, or one of another account, does not count.
    let other = app.player("bob").await;
    let of_bob = log_in(app.address, "bob", PASSWORD, None).await.expect(201);
    for token in [text(&of_bob, "device_token"), "nonsense", "", text(&session, "refresh_token")] {
        locked(&log_in(app.address, "ada", PASSWORD, Some(token)).await);
    }
    log_in(app.address, "ada", PASSWORD, Some(text(&session, "device_token"))).await.expect(201);
    let long = log_in(app.address, "ada", PASSWORD, Some(&"x".repeat(201))).await;
    assert_eq!(long.expect_problem(422, "invalid_body")["fields"][0]["name"], "device_token");
    other.get("/v1/account").await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_password_makes_strangers_of_devices_until_they_refresh() {
    let app = TestApp::start().await;
    app.player("ada").await;
    let phone = log_in(app.address, "ada", PASSWORD, None).await.expect(201);
    let me = Player { token: text(&phone, "access_token").to_owned(), ..Player::anonymous(app.address) };
    let new = "another password";
    let change = json!({"current_password": PASSWORD, "new_password": new});
    me.post("/v1/account/change-password", None, &change).await.expect(204);
    assert_eq!(guess(app.address, "ada", 11).await, 10);
    // Someone with the old password may have such a token, too.
    locked(&log_in(app.address, "ada", new, Some(text(&phone, "device_token"))).await);
    let refresh = json!({"refresh_token": phone["refresh_token"]});
    let refreshed = me.post("/v1/sessions/refresh", None, &refresh).await.expect(200);
    log_in(app.address, "ada", new, Some(text(&refreshed, "device_token"))).await.expect(201);
}

#[tokio::test(flavor = "multi_thread")]
async fn right_passwords_do_not_count_and_wrong_ones_for_a_quarter_of_an_hour() {
    let app = TestApp::start().await;
    app.player("ada").await;
    assert_eq!(guess(app.address, "ada", 9).await, 9);
    for _ in 0..12 {
        log_in(app.address, "ada", PASSWORD, None).await.expect(201);
    }
    assert_eq!(guess(app.address, "ada", 2).await, 1);
    // Ten attempts fourteen minutes ago still count, with at most a minute to wait.
    later(&app, "14 minutes").await;
    assert!(locked(&log_in(app.address, "ada", PASSWORD, None).await) <= 60);
    later(&app, "1 minute").await;
    assert_eq!(guess(app.address, "ada", 11).await, 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_in_that_fails_afterwards_does_not_take_the_count_back() {
    let app = TestApp::start().await;
    app.player("ada").await;
    app.run(
        "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''planted''; END'",
    )
    .await;
    app.run("CREATE TRIGGER fail BEFORE INSERT ON sessions FOR EACH ROW EXECUTE FUNCTION fail()").await;
    assert_eq!(guess(app.address, "ada", 6).await, 6);
    for _ in 0..3 {
        log_in(app.address, "ada", PASSWORD, None).await.expect_problem(500, "internal");
    }
    assert_eq!(guess(app.address, "ada", 6).await, 4);
    locked(&log_in(app.address, "ada", PASSWORD, None).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn password_confirmations_count_for_the_session_and_lock_out_no_other() {
    let app = TestApp::start().await;
    let thief = app.player("ada").await;
    let owner = log_in(app.address, "ada", PASSWORD, None).await.expect(201);
    let owner = Player { token: text(&owner, "access_token").to_owned(), ..thief.clone() };
    let change = |current: &str| json!({"current_password": current, "new_password": "another password"});
    let path = "/v1/account/change-password";
    for _ in 0..10 {
        thief.post(path, None, &change("a wrong password")).await.expect_problem(403, "wrong_password");
    }
    locked(&thief.post(path, None, &change(PASSWORD)).await);
    log_in(app.address, "ada", PASSWORD, None).await.expect(201);
    // Personal tokens can create more tokens: all of them share one limit.
    let new = json!({"name": "bot", "scopes": ["account"], "expires_in_days": 1});
    let mut tokens = Vec::new();
    for _ in 0..2 {
        let token = thief.post("/v1/tokens", None, &new).await.expect(201)["token"].clone();
        tokens.push(Player { token: token.as_str().unwrap().to_owned(), ..thief.clone() });
    }
    for at in 0..10 {
        tokens[at % 2].post(path, None, &change("a wrong password")).await.expect(403);
    }
    locked(&tokens[0].post(path, None, &change(PASSWORD)).await);
    locked(&tokens[1].post(path, None, &change(PASSWORD)).await);
    owner.post(path, None, &change(PASSWORD)).await.expect(204);
}
