//! Sessions: they last, a lost answer is repeated, and an ended session is refused everywhere within a second.

use std::net::SocketAddr;
use std::time::Duration;

use diesel_async::RunQueryDsl;
use reqwest::Method;
use serde_json::{Value, json};
use yaniv_db::connect;

use crate::support::player::PASSWORD;
use crate::support::{Answer, Player, TestApp, options, serve, until, within_a_second};

async fn sql(app: &TestApp, statement: &str) {
    let mut connection = connect(app.database.url()).await.unwrap();
    diesel::sql_query(statement).execute(&mut connection).await.unwrap();
}

/// Moves all times of sessions back.
async fn later(app: &TestApp, by: &str) {
    let columns = ["created_at", "last_used_at", "rotated_at", "expires_at"];
    let moved = columns.map(|column| format!("{column} = {column} - interval '{by}'")).join(", ");
    sql(app, &format!("UPDATE sessions SET {moved}")).await;
}

async fn log_in(address: SocketAddr, path: &str, name: &str, device: &str) -> Value {
    let body = json!({"username": name, "password": PASSWORD, "device": device});
    Player::anonymous(address).post(path, None, &body).await.expect(201)
}

fn text<'a>(session: &'a Value, field: &str) -> &'a str {
    session[field].as_str().unwrap()
}

fn with(address: SocketAddr, session: &Value) -> Player {
    Player { token: text(session, "access_token").to_owned(), ..Player::anonymous(address) }
}

async fn refresh(address: SocketAddr, token: &str) -> Answer {
    let body = json!({"refresh_token": token});
    Player::anonymous(address).post("/v1/sessions/refresh", None, &body).await
}

async fn delete(player: &Player, path: &str) -> Answer {
    player.request(Method::DELETE, path, &[], None).await
}

#[tokio::test(flavor = "multi_thread")]
async fn who_comes_back_after_three_weeks_is_still_logged_in() {
    let app = TestApp::start().await;
    let session = log_in(app.address, "/v1/accounts", "ada", "phone").await;
    later(&app, "21 days").await;
    let again = refresh(app.address, text(&session, "refresh_token")).await.expect(200);
    assert_eq!(again["session_id"], session["session_id"]);
    assert_eq!(again["account"], session["account"]);
    assert_ne!(again["refresh_token"], session["refresh_token"]);
    with(app.address, &again).get("/v1/account").await.expect(200);
    // Sixty days from the last use, not from the log-in.
    later(&app, "59 days").await;
    let again = refresh(app.address, text(&again, "refresh_token")).await.expect(200);
    later(&app, "60 days").await;
    let late = refresh(app.address, text(&again, "refresh_token")).await;
    late.expect_problem(401, "invalid_refresh_token");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_answer_is_given_again_for_ten_seconds() {
    let app = TestApp::start().await;
    let other = app.second().await;
    let first = log_in(app.address, "/v1/accounts", "ada", "phone").await;
    let lost = refresh(app.address, text(&first, "refresh_token")).await.expect(200);
    later(&app, "8 seconds").await;
    let again = refresh(other, text(&first, "refresh_token")).await.expect(200);
    assert_eq!(again["refresh_token"], lost["refresh_token"]);
    let next = refresh(other, text(&again, "refresh_token")).await.expect(200);
    // The one before the last is taken for stolen.
    let stolen = refresh(app.address, text(&first, "refresh_token")).await;
    stolen.expect_problem(401, "refresh_token_reused");
    let ended = refresh(app.address, text(&next, "refresh_token")).await;
    ended.expect_problem(401, "invalid_refresh_token");
    with(app.address, &next).get("/v1/account").await.expect_problem(401, "invalid_token");
    within_a_second("refused", async || with(other, &next).is_refused().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_without_a_network_for_days_after_a_lost_answer_stays_logged_in() {
    let app = TestApp::start().await;
    let other = app.second().await;
    let guest = Player::anonymous(app.address).post("/v1/guests", None, &json!({})).await.expect(201);
    for pause in ["11 seconds", "20 minutes", "30 days"] {
        let lost = refresh(app.address, text(&guest, "refresh_token")).await.expect(200);
        later(&app, pause).await;
        let again = refresh(other, text(&guest, "refresh_token")).await.expect(200);
        assert_ne!(again["refresh_token"], lost["refresh_token"], "{pause}");
        assert_eq!(again["session_id"], guest["session_id"]);
        later(&app, "11 seconds").await;
    }
    let last = refresh(app.address, text(&guest, "refresh_token")).await.expect(200);
    let me = with(other, &last);
    me.get("/v1/account").await.expect(200);
    until("the use is noted", async || repeatable(&app).await == 0).await;
    let next = refresh(app.address, text(&last, "refresh_token")).await.expect(200);
    with(app.address, &next).get("/v1/account").await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_clients_with_the_token_of_a_lost_answer_the_second_to_use_its_own_ends_the_session() {
    let app = TestApp::start().await;
    // The thief's token is void after the owner's retry, or the owner's after the thief's.
    for (name, owner_first) in [("ada", true), ("bob", false)] {
        let first = log_in(app.address, "/v1/accounts", name, "phone").await;
        let one = refresh(app.address, text(&first, "refresh_token")).await.expect(200);
        later(&app, "11 seconds").await;
        let two = refresh(app.address, text(&first, "refresh_token")).await.expect(200);
        let (before, after) = if owner_first { (&two, &one) } else { (&one, &two) };
        let answer = refresh(app.address, text(before, "refresh_token")).await;
        if owner_first {
            answer.expect(200);
            refresh(app.address, text(after, "refresh_token"))
                .await
                .expect_problem(401, "refresh_token_reused");
        } else {
            answer.expect_problem(401, "refresh_token_reused");
        }
        for session in [&first, &one, &two] {
            let ended = refresh(app.address, text(session, "refresh_token")).await;
            ended.expect_problem(401, "invalid_refresh_token");
        }
        with(app.address, &two).get("/v1/account").await.expect_problem(401, "invalid_token");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_first_used_after_minutes_has_arrived_all_the_same() {
    let app = TestApp::start().await;
    let first = log_in(app.address, "/v1/accounts", "ada", "phone").await;
    let second = refresh(app.address, text(&first, "refresh_token")).await.expect(200);
    later(&app, "10 minutes").await;
    with(app.address, &second).get("/v1/account").await.expect(200);
    until("the use is noted", async || repeatable(&app).await == 0).await;
    let stolen = refresh(app.address, text(&first, "refresh_token")).await;
    stolen.expect_problem(401, "refresh_token_reused");
}

/// Number of sessions whose last refresh could be repeated.
async fn repeatable(app: &TestApp) -> i64 {
    app.count("SELECT count(*) FROM sessions WHERE salt IS NOT NULL").await
}

#[tokio::test(flavor = "multi_thread")]
async fn who_follows_the_owner_with_a_stolen_token_is_found_once_the_next_one_is_in_use() {
    let app = TestApp::start().await;
    let other = app.second().await;
    for (used_at, followed_at) in [(app.address, other), (other, app.address)] {
        let name = if used_at == app.address { "ada" } else { "bob" };
        let first = log_in(app.address, "/v1/accounts", name, "phone").await;
        with(app.address, &first).get("/v1/account").await.expect(200);
        let second = refresh(app.address, text(&first, "refresh_token")).await.expect(200);
        // Neither the previous access token nor a repetition confirms that the answer has arrived.
        with(other, &first).get("/v1/account").await.expect(200);
        tokio::time::sleep(Duration::from_millis(1500)).await;
        assert_eq!(repeatable(&app).await, 1);
        let again = refresh(followed_at, text(&first, "refresh_token")).await.expect(200);
        assert_eq!(again["refresh_token"], second["refresh_token"]);
        // Concurrent requests, each with its own refresh, are not a theft.
        with(used_at, &second).get("/v1/account").await.expect(200);
        refresh(followed_at, text(&first, "refresh_token")).await.expect(200);
        until("the use is noted", async || repeatable(&app).await == 0).await;
        let stolen = refresh(followed_at, text(&first, "refresh_token")).await;
        stolen.expect_problem(401, "refresh_token_reused");
        for token in [&first, &second] {
            let ended = refresh(used_at, text(token, "refresh_token")).await;
            ended.expect_problem(401, "invalid_refresh_token");
        }
        within_a_second("refused", async || with(used_at, &second).is_refused().await).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_goes_on_after_a_confirmed_refresh_stays_logged_in() {
    let app = TestApp::start().await;
    let mut session = log_in(app.address, "/v1/accounts", "ada", "phone").await;
    for _ in 0..3 {
        session = refresh(app.address, text(&session, "refresh_token")).await.expect(200);
        assert_eq!(repeatable(&app).await, 1);
        with(app.address, &session).get("/v1/account").await.expect(200);
        until("the use is noted", async || repeatable(&app).await == 0).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn last_use_of_sessions_and_tokens_is_rounded() {
    let app = TestApp::start().await;
    let phone = log_in(app.address, "/v1/accounts", "ada", "phone").await;
    let desk = log_in(app.address, "/v1/sessions", "ada", "desk").await;
    let me = with(app.address, &phone);
    let wanted = json!({"name": "script", "scopes": ["read"], "expires_in_days": 30});
    let script = me.post("/v1/tokens", None, &wanted).await.expect(201);
    let script = Player { token: text(&script, "token").to_owned(), ..Player::anonymous(app.address) };
    script.get("/v1/account").await.expect(200);
    sql(&app, "UPDATE sessions SET last_used_at = '2026-05-05 12:00', expires_at = '2999-07-04 12:00'").await;
    // In the earlier precision of a minute.
    sql(&app, "UPDATE personal_tokens SET last_used_at = '2026-05-05 12:34'").await;
    sql(&app, "UPDATE sessions SET last_used_at = '2026-05-05 13:00' WHERE device = 'phone'").await;
    let exported = me.get("/v1/account/export").await.expect(200);
    let listed = me.get("/v1/sessions").await.expect(200);
    assert_eq!(listed["items"], exported["sessions"]);
    let seen: Vec<[&str; 3]> = listed["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| ["device", "last_used_on", "expires_on"].map(|field| text(item, field)))
        .collect();
    let (used, ends) = ("2026-05-05", "2999-07-04");
    // Their order reveals no more than the day, either.
    assert_eq!(seen, [["desk", used, ends], ["phone", used, ends]]);
    let tokens = me.get("/v1/tokens").await.expect(200);
    for tokens in [&tokens["items"], &exported["personal_tokens"]] {
        assert_eq!(tokens[0]["last_used_on"], used);
    }
    refresh(app.address, text(&desk, "refresh_token")).await.expect(200);
    let listed = me.get("/v1/sessions").await.expect(200);
    assert_eq!(text(&listed["items"][0], "last_used_on").len(), "2026-05-05".len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_from_before_the_last_one_ends_the_session() {
    let app = TestApp::start().await;
    let first = log_in(app.address, "/v1/accounts", "ada", "phone").await;
    let bystander = log_in(app.address, "/v1/sessions", "ada", "desk").await;
    let second = refresh(app.address, text(&first, "refresh_token")).await.expect(200);
    let third = refresh(app.address, text(&second, "refresh_token")).await.expect(200);
    let stolen = refresh(app.address, text(&first, "refresh_token")).await;
    stolen.expect_problem(401, "refresh_token_reused");
    for session in [&first, &second, &third] {
        let answer = refresh(app.address, text(session, "refresh_token")).await;
        answer.expect_problem(401, "invalid_refresh_token");
    }
    refresh(app.address, text(&bystander, "refresh_token")).await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn sixteen_refreshes_at_once_get_one_chain() {
    let app = TestApp::start().await;
    let other = app.second().await;
    let mut session = log_in(app.address, "/v1/accounts", "ada", "phone").await;
    for _ in 0..5 {
        let token = text(&session, "refresh_token").to_owned();
        let addresses = (0..16).map(|number| if number % 2 == 0 { app.address } else { other });
        let answers = futures_util::future::join_all(addresses.map(|address| refresh(address, &token))).await;
        let sessions: Vec<Value> = answers.iter().map(|answer| answer.expect(200)).collect();
        for each in &sessions {
            assert_eq!(each["refresh_token"], sessions[0]["refresh_token"]);
            with(app.address, each).get("/v1/account").await.expect(200);
        }
        session = sessions[0].clone();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_shut_out_is_out_on_every_instance_within_a_second() {
    let app = TestApp::start().await;
    let other = app.second().await;
    let phone = log_in(app.address, "/v1/accounts", "ada", "phone").await;
    let me = with(app.address, &phone);
    for way in ["end", "others", "log out", "password"] {
        let lost = log_in(other, "/v1/sessions", "ada", way).await;
        let (here, there) = (with(app.address, &lost), with(other, &lost));
        there.get("/v1/account").await.expect(200);
        here.get("/v1/account").await.expect(200);
        let ended = match way {
            "end" => delete(&me, &format!("/v1/sessions/{}", text(&lost, "session_id"))).await,
            "others" => delete(&me, "/v1/sessions/others").await,
            "log out" => delete(&here, "/v1/sessions/current").await,
            _ => {
                let change = json!({"current_password": PASSWORD, "new_password": PASSWORD});
                me.post("/v1/account/change-password", None, &change).await
            }
        };
        ended.expect(204);
        here.get("/v1/account").await.expect_problem(401, "invalid_token");
        within_a_second(way, async || there.is_refused().await).await;
        let answer = refresh(other, text(&lost, "refresh_token")).await;
        answer.expect_problem(401, "invalid_refresh_token");
    }
    me.get("/v1/account").await.expect(200);
    // An instance that starts later knows it, too.
    let lost = log_in(other, "/v1/sessions", "ada", "late").await;
    delete(&me, "/v1/sessions/others").await.expect(204);
    let third = app.second().await;
    with(third, &lost).get("/v1/account").await.expect_problem(401, "invalid_token");
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_are_listed_with_their_devices_and_ended_by_their_owner_alone() {
    let app = TestApp::start().await;
    let phone = log_in(app.address, "/v1/accounts", "ada", "Ada's phone 📱").await;
    let desk = log_in(app.address, "/v1/sessions", "ada", "desk").await;
    let bob = app.player("bob").await;
    let me = with(app.address, &phone);
    let list = me.get("/v1/sessions").await.expect(200);
    let seen: Vec<(&str, bool)> = list["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| (text(item, "device"), item["current"].as_bool().unwrap()))
        .collect();
    assert_eq!(seen, [("desk", false), ("Ada's phone 📱", true)]);
    let list = bob.get("/v1/sessions").await.expect(200);
    assert_eq!(list["items"][0]["device"], "unnamed");
    let path = format!("/v1/sessions/{}", text(&desk, "session_id"));
    let strange = delete(&bob, &path).await;
    strange.expect_problem(404, "session_not_found");
    let absent = delete(&bob, "/v1/sessions/0193aa00-0000-7000-8000-000000000001").await;
    assert_eq!(absent.body, strange.body);
    assert_eq!(delete(&bob, "/v1/sessions/x").await.body, strange.body);
    with(app.address, &desk).get("/v1/account").await.expect(200);
    delete(&me, &path).await.expect(204);
    // A lost answer.
    delete(&me, &path).await.expect(204);
    assert_eq!(me.get("/v1/sessions").await.expect(200)["items"].as_array().unwrap().len(), 1);
    for device in ["", "tab\t", &"x".repeat(61)] {
        let body = json!({"username": "ada", "password": PASSWORD, "device": device});
        let answer = Player::anonymous(app.address).post("/v1/sessions", None, &body).await;
        assert_eq!(answer.expect_problem(422, "invalid_body")["fields"][0]["name"], "device");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_hundred_and_first_session_ends_the_one_that_was_not_used_for_longest() {
    let app = TestApp::start().await;
    let old = log_in(app.address, "/v1/accounts", "ada", "old").await;
    later(&app, "1 day").await;
    sql(
        &app,
        "INSERT INTO sessions SELECT gen_random_uuid(), account_id, now(), now(), now(), now() + interval '60 days', \
         NULL, 'other', hash FROM sessions, generate_series(1, 99)",
    )
    .await;
    with(app.address, &old).get("/v1/account").await.expect(200);
    let new = log_in(app.address, "/v1/sessions", "ada", "new").await;
    with(app.address, &old).get("/v1/account").await.expect_problem(401, "invalid_token");
    refresh(app.address, text(&old, "refresh_token")).await.expect_problem(401, "invalid_refresh_token");
    let list = with(app.address, &new).get("/v1/sessions").await.expect(200);
    assert_eq!(list["items"].as_array().unwrap().len(), 100);
    assert_eq!(list["items"][0]["device"], "new");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_password_shuts_everybody_else_out() {
    let app = TestApp::start().await;
    let phone = log_in(app.address, "/v1/accounts", "ada", "phone").await;
    let desk = log_in(app.address, "/v1/sessions", "ada", "desk").await;
    let me = with(app.address, &phone);
    let change = |current: &str, new: &str| json!({"current_password": current, "new_password": new});
    let path = "/v1/account/change-password";
    for wrong in ["wrong password", "", &"x".repeat(129)] {
        let answer = me.post(path, None, &change(wrong, "a new password")).await;
        answer.expect_problem(403, "wrong_password");
    }
    let short = me.post(path, None, &change(PASSWORD, "short")).await.expect_problem(422, "invalid_body");
    assert_eq!(short["fields"][0]["name"], "new_password");
    with(app.address, &desk).get("/v1/account").await.expect(200);
    me.post(path, None, &change(PASSWORD, "a new password")).await.expect(204);
    me.get("/v1/account").await.expect(200);
    refresh(app.address, text(&phone, "refresh_token")).await.expect(200);
    with(app.address, &desk).get("/v1/account").await.expect_problem(401, "invalid_token");
    refresh(app.address, text(&desk, "refresh_token")).await.expect_problem(401, "invalid_refresh_token");
    let old = json!({"username": "ada", "password": PASSWORD});
    let nobody = Player::anonymous(app.address);
    nobody.post("/v1/sessions", None, &old).await.expect_problem(401, "invalid_credentials");
    let new = json!({"username": "ada", "password": "a new password"});
    nobody.post("/v1/sessions", None, &new).await.expect(201);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signing_key_is_rotated_without_logging_users_out() {
    let app =
        TestApp::start_with(|options| options.token_secret = Some("a".repeat(32).as_str().into())).await;
    let instance = async |secrets: &str| {
        let mut options = options();
        options.token_secret = Some(secrets.into());
        serve(&options, app.database.url()).await.0
    };
    let [a, b] = ["a", "b"].map(|letter| letter.repeat(32));
    let (both, next) = (instance(&format!("{a},{b}")).await, instance(&format!("{b}\n{a}\n")).await);
    let session = log_in(app.address, "/v1/accounts", "ada", "phone").await;
    let of_next = log_in(next, "/v1/sessions", "ada", "desk").await;
    for address in [both, next] {
        with(address, &session).get("/v1/account").await.expect(200);
        with(address, &of_next).get("/v1/account").await.expect(200);
    }
    let last = instance(&b).await;
    with(last, &session).get("/v1/account").await.expect_problem(401, "invalid_token");
    let again = refresh(last, text(&session, "refresh_token")).await.expect(200);
    with(last, &again).get("/v1/account").await.expect(200);
}

/// The statements in docs/operations.md.
#[tokio::test(flavor = "multi_thread")]
async fn the_secret_in_the_database_can_be_exchanged_as_well() {
    let guide = std::fs::read_to_string("docs/operations.md").unwrap();
    let statements: Vec<&str> =
        guide.split("```sql\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(statements.len(), 3);
    let app = TestApp::start().await;
    let session = log_in(app.address, "/v1/accounts", "ada", "phone").await;
    let mut before = app.address;
    for (number, step) in (1..).zip(statements) {
        let mut connection = connect(app.database.url()).await.unwrap();
        diesel_async::SimpleAsyncConnection::batch_execute(&mut connection, step).await.unwrap();
        let address = app.second().await;
        let desk = log_in(address, "/v1/sessions", "ada", "desk").await;
        // Instances from before and after this step accept each other's tokens.
        with(before, &desk).get("/v1/account").await.expect(200);
        let status = if number < 3 { 200 } else { 401 };
        with(address, &session).get("/v1/account").await.expect(status);
        refresh(address, text(&desk, "refresh_token")).await.expect(200);
        before = address;
    }
    refresh(before, text(&session, "refresh_token")).await.expect(200);
}

/// The answer of an operation on sessions, from a browser with this cookie: status, `Set-Cookie` and body.
async fn from_browser(
    address: SocketAddr,
    path: &str,
    cookie: Option<&str>,
    body: &Value,
) -> (u16, Option<String>, Value) {
    let mut request = reqwest::Client::new().post(format!("http://{address}{path}")).json(body);
    if let Some(cookie) = cookie {
        request = request.header("cookie", cookie);
    }
    let answer = request.send().await.unwrap();
    let set = answer.headers().get("set-cookie").map(|value| value.to_str().unwrap().to_owned());
    (answer.status().as_u16(), set, answer.json().await.unwrap())
}

/// What a browser sends back.
fn pair(set: &str) -> &str {
    set.split(';').next().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_of_the_service_keeps_the_refresh_token_where_no_script_can_read_it() {
    for public_url in ["https://yaniv.example", "http://yaniv.example"] {
        // Without the header `Origin` the public address decides.
        let app = TestApp::start_with(|options| options.public_url = Some(public_url.to_owned())).await;
        let body = json!({"username": "ada", "password": PASSWORD, "refresh_cookie": true});
        let (status, set, session) = from_browser(app.address, "/v1/accounts", None, &body).await;
        let set = set.unwrap();
        assert_eq!((status, session.get("refresh_token")), (201, None));
        for attribute in ["HttpOnly", "SameSite=Strict", "Path=/v1/sessions"] {
            assert!(set.contains(attribute), "{set}");
        }
        let age = set.split("Max-Age=").nth(1).unwrap().split(';').next().unwrap().parse::<u32>().unwrap();
        assert!((5_183_000..=5_184_001).contains(&age), "sixty days: {set}");
        assert_eq!(set.contains("Secure"), public_url.starts_with("https"), "{set}");

        let wants = json!({"refresh_cookie": true});
        let (status, next, again) =
            from_browser(app.address, "/v1/sessions/refresh", Some(pair(&set)), &wants).await;
        let next = next.unwrap();
        assert_eq!((status, again.get("refresh_token")), (200, None));
        assert_eq!(again["session_id"], session["session_id"]);
        assert_ne!(pair(&next), pair(&set));
        // Unasked, the cookie does nothing: its token would be in the body, for scripts to read.
        let (status, set, problem) =
            from_browser(app.address, "/v1/sessions/refresh", Some(pair(&next)), &json!({})).await;
        assert_eq!((status, set, problem["code"].as_str()), (401, None, Some("invalid_refresh_token")));
        // The cookie of another session stays when this one ends.
        let other = log_in(app.address, "/v1/sessions", "ada", "laptop").await;
        let headers = [("cookie", pair(&next))];
        let out =
            with(app.address, &other).request(Method::DELETE, "/v1/sessions/current", &headers, None).await;
        assert_eq!((out.status.as_u16(), out.header("set-cookie")), (204, None));
        // The rest of a session is as ever; logging out removes the cookie.
        let ada = with(app.address, &again);
        let headers = [("cookie", pair(&next))];
        let out = ada.request(Method::DELETE, "/v1/sessions/current", &headers, None).await;
        assert_eq!(out.status, 204);
        let removed = out.header("set-cookie").unwrap();
        assert!(removed.starts_with("yaniv_refresh=; "), "{removed}");
        assert!(removed.contains("Path=/v1/sessions") && removed.contains("Max-Age=0"), "{removed}");
        let (status, set, problem) =
            from_browser(app.address, "/v1/sessions/refresh", Some(pair(&next)), &wants).await;
        assert_eq!((status, set, problem["code"].as_str()), (401, None, Some("invalid_refresh_token")));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_way_to_log_in_can_set_the_cookie_and_none_does_unasked() {
    let app = TestApp::start().await;
    let ada = log_in(app.address, "/v1/accounts", "ada", "phone").await;
    let code = with(app.address, &ada).post("/v1/account/transfer-codes", None, &json!({})).await.expect(201);
    let named = json!({"username": "ada", "password": PASSWORD});
    let carried = json!({"transfer_code": code["transfer_code"]});
    for (path, body) in
        [("/v1/sessions", named), ("/v1/guests", json!({})), ("/v1/sessions/transfer", carried)]
    {
        // A code is good once.
        if path != "/v1/sessions/transfer" {
            let (_, set, session) = from_browser(app.address, path, None, &body).await;
            assert!(set.is_none() && session["refresh_token"].is_string(), "{path}");
        }
        let mut asks = body;
        asks["refresh_cookie"] = json!(true);
        let (status, set, session) = from_browser(app.address, path, None, &asks).await;
        assert_eq!((status, session.get("refresh_token")), (201, None), "{path}");
        assert!(set.unwrap().starts_with("yaniv_refresh="), "{path}");
    }
    // Neither a token nor a cookie.
    let answer = Player::anonymous(app.address).post("/v1/sessions/refresh", None, &json!({})).await;
    answer.expect_problem(401, "invalid_refresh_token");
}

/// A page of a neighbouring host can set a cookie of the name for the whole domain, which browsers send as well.
#[tokio::test(flavor = "multi_thread")]
async fn a_cookie_that_a_neighbour_has_set_does_not_stand_for_the_right_one() {
    let app = TestApp::start().await;
    let body = json!({"username": "ada", "password": PASSWORD, "refresh_cookie": true});
    let (_, set, session) = from_browser(app.address, "/v1/accounts", None, &body).await;
    let (mut right, wants) = (pair(&set.unwrap()).to_owned(), json!({"refresh_cookie": true}));
    for tossed in ["yaniv_refresh=garbage; {}", "{}; yaniv_refresh=garbage", "yaniv_refresh=; {}"] {
        let cookies = tossed.replace("{}", &right);
        let (status, next, again) =
            from_browser(app.address, "/v1/sessions/refresh", Some(&cookies), &wants).await;
        assert_eq!((status, &again["session_id"]), (200, &session["session_id"]), "{tossed}");
        right = pair(&next.unwrap()).to_owned();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_logs_in_as_phones_write_it_and_counts_as_one() {
    let app = TestApp::start().await;
    app.player("ada").await;
    let log_in = async |name: &str, password: &str| {
        // Not as the document has it.
        let body = json!({"username": name, "password": password});
        let sent = reqwest::Client::new().post(app.url("/v1/sessions")).json(&body).send().await.unwrap();
        sent.status().as_u16()
    };
    for name in ["Ada", " ada ", "ADA"] {
        assert_eq!(log_in(name, PASSWORD).await, 201, "{name}");
    }
    for place in 0..10 {
        assert_eq!(log_in(["Ada", "ada "][place % 2], "not the password").await, 401);
    }
    assert_eq!(log_in("ada", PASSWORD).await, 429);
}
