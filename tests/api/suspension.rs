//! Suspended accounts are logged out everywhere within a second, and learn the reason only with the right password.

use std::net::SocketAddr;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::sign_up::admin;
use crate::support::player::PASSWORD;
use crate::support::{Answer, Player, TestApp, id, within_a_second};

async fn log_in(address: SocketAddr, name: &str, password: &str) -> Answer {
    let body = json!({"username": name, "password": password});
    Player::anonymous(address).post("/v1/sessions", None, &body).await
}

fn with(address: SocketAddr, token: &Value) -> Player {
    Player { token: token.as_str().unwrap().to_owned(), ..Player::anonymous(address) }
}

async fn is_out_within_a_second(player: &Player) {
    within_a_second("refused", async || player.is_refused().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_tokens_and_log_ins_are_refused_everywhere_and_matches_stay() {
    let app = TestApp::start().await;
    let second = app.second().await;
    let players = app.players(2).await;
    let view = app.started(&players, json!({})).await;
    let session = log_in(app.address, "player_0", PASSWORD).await.expect(201);
    let new = json!({"name": "bot", "scopes": ["read"], "expires_in_days": 9});
    let token = players[0].post("/v1/tokens", None, &new).await.expect(201)["token"].clone();
    let mut ways = Vec::new();
    for address in [app.address, second] {
        ways.push(players[0].at(address));
        ways.push(with(address, &session["access_token"]));
        ways.push(with(address, &token));
    }
    for way in &ways {
        way.get("/v1/account").await.expect(200);
    }
    let revoked = admin(&app, Some("abuse of bots")).suspend("player_0", None).await.unwrap();
    assert_eq!((revoked.sessions, revoked.personal_tokens), (2, 1));
    join_all(ways.iter().map(is_out_within_a_second)).await;
    let refresh = json!({"refresh_token": session["refresh_token"]});
    let answer = Player::anonymous(second).post("/v1/sessions/refresh", None, &refresh).await;
    answer.expect_problem(401, "invalid_refresh_token");
    let refused = log_in(second, "player_0", PASSWORD).await.expect_problem(403, "account_suspended");
    assert_eq!(refused["detail"], "the account is suspended: abuse of bots");
    log_in(second, "player_0", "a wrong password").await.expect_problem(401, "invalid_credentials");
    // The other player's view is unchanged.
    let after = players[1].view(id(&view)).await;
    assert_eq!(after["version"], view["version"]);
    assert_eq!(after["seats"], players[1].at(second).view(id(&view)).await["seats"]);
    // After restoring, they log in again: ended sessions stay ended.
    admin(&app, None).restore("player_0").await.unwrap();
    let session = log_in(second, "player_0", PASSWORD).await.expect(201);
    with(second, &session["access_token"]).view(id(&view)).await;
    with(app.address, &session["access_token"]).get("/v1/account").await.expect(200);
    players[0].get("/v1/account").await.expect_problem(401, "invalid_token");
    with(app.address, &token).get("/v1/account").await.expect_problem(401, "invalid_token");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_suspension_until_a_time_ends_by_itself() {
    let app = TestApp::start().await;
    app.player("ada").await;
    let until = chrono::Utc::now() + chrono::TimeDelta::days(3);
    admin(&app, Some("a break")).suspend("ada", Some(until)).await.unwrap();
    let refused = log_in(app.address, "ada", PASSWORD).await.expect_problem(403, "account_suspended");
    let told = format!("the account is suspended until {}: a break", until.format("%Y-%m-%dT%H:%M:%S%.6fZ"));
    assert_eq!(refused["detail"], told);
    app.run("UPDATE accounts SET suspended_until = clock_timestamp()").await;
    log_in(app.address, "ada", PASSWORD).await.expect(201);
    let shown = admin(&app, None).account("ada").await.unwrap();
    assert!(shown.account.suspension.is_none() && shown.sessions == 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn log_ins_under_way_are_ended_or_refused() {
    let app = TestApp::start().await;
    app.player("ada").await;
    for _ in 0..3 {
        let log_ins = join_all((0..8).map(|_| log_in(app.address, "ada", PASSWORD)));
        let suspending = async {
            tokio::time::sleep(Duration::from_millis(60)).await;
            admin(&app, Some("because")).suspend("ada", None).await.unwrap();
        };
        let (answers, ()) = tokio::join!(log_ins, suspending);
        for answer in answers {
            if answer.status == 201 {
                is_out_within_a_second(&with(app.address, &answer.expect(201)["access_token"])).await;
            } else {
                answer.expect_problem(403, "account_suspended");
            }
        }
        assert_eq!(admin(&app, None).account("ada").await.unwrap().sessions, 0);
        admin(&app, None).restore("ada").await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_password_that_was_reset_lets_in_at_once_and_shuts_everybody_else_out() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    for _ in 0..11 {
        log_in(app.address, "ada", "a wrong password").await;
    }
    log_in(app.address, "ada", PASSWORD).await.expect_problem(429, "too_many_attempts");
    let password = admin(&app, None).reset_password("ada", None).await.unwrap().unwrap();
    is_out_within_a_second(&ada).await;
    log_in(app.address, "ada", &password).await.expect(201);
    log_in(app.address, "ada", PASSWORD).await.expect_problem(401, "invalid_credentials");
}

/// No match may wait for a player who cannot act.
#[tokio::test(flavor = "multi_thread")]
async fn who_is_suspended_waits_for_no_match_any_more() {
    let app = TestApp::start().await;
    let players = app.players(3).await;
    let wait = json!({"size": 2});
    players[0].request_pairing(None, &wait).await.expect(201);
    let body = json!({"opponents": ["player_0", "player_2"]});
    let challenge = players[1].post("/v1/challenges", None, &body).await.expect(201);
    let path = format!("/v1/challenges/{}", id(&challenge));
    players[0].post(&format!("{path}/accept"), None, &json!({})).await.expect(200);
    admin(&app, Some("because")).suspend("player_0", None).await.unwrap();
    assert_eq!(players[1].request_pairing(None, &wait).await.expect(201)["status"], "waiting");
    assert_eq!(players[1].get(&path).await.expect(200)["status"], "declined");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_suspended_bot_gets_no_token_and_what_has_no_password_gets_none() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let bot = ada.bot("ada_bot").await;
    let guest = Player::guest(app.address).await;
    admin(&app, Some("spam")).suspend("ada_bot", None).await.unwrap();
    is_out_within_a_second(&bot).await;
    let bots = ada.get("/v1/bots").await.expect(200);
    let path = format!("/v1/bots/{}/tokens", id(&bots["items"][0]));
    let wanted = json!({"name": "again", "scopes": ["play"], "expires_in_days": 1});
    ada.post(&path, None, &wanted).await.expect_problem(403, "account_suspended");
    for name in ["ada_bot", guest.name.as_str()] {
        assert!(admin(&app, None).reset_password(name, None).await.is_err(), "{name}");
    }
    admin(&app, None).restore("ada_bot").await.unwrap();
    ada.post(&path, None, &wanted).await.expect(201);
}
