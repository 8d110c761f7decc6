//! Transfer codes: a log-in is carried to another device once, within two minutes, while its session is open.

use std::net::SocketAddr;

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

use crate::sign_up::admin;
use crate::support::player::PASSWORD;
use crate::support::{Answer, Player, TestApp, within_a_second};

const CODES: &str = "/v1/account/transfer-codes";

async fn code(player: &Player) -> String {
    let created = player.post(CODES, None, &Value::Null).await.expect(201);
    created["transfer_code"].as_str().unwrap().to_owned()
}

async fn redeem(address: SocketAddr, code: &str) -> Answer {
    let body = json!({"transfer_code": code, "device": "app"});
    Player::anonymous(address).post("/v1/sessions/transfer", None, &body).await
}

async fn devices(player: &Player) -> Vec<String> {
    let listed = player.get("/v1/sessions").await.expect(200);
    let mut devices: Vec<String> = listed["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["device"].as_str().unwrap().to_owned())
        .collect();
    devices.sort();
    devices
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_goes_on_in_the_app_with_a_session_of_its_own() {
    let app = TestApp::start().await;
    let other = app.second().await;
    let browser = Player::guest(app.address).await;
    let shown = code(&browser).await;
    // As a player may type it.
    let session = redeem(other, &shown.replace('-', " ").to_lowercase()).await.expect(201);
    assert_eq!(session["account"]["username"], browser.name);
    let in_app = Player::of(other, &session);
    assert_eq!(devices(&in_app).await, ["app", "unnamed"]);
    let token = json!({"refresh_token": session["refresh_token"]});
    in_app.post("/v1/sessions/refresh", None, &token).await.expect(200);
    // The one ends without the other.
    browser.request(Method::DELETE, "/v1/sessions/current", &[], None).await.expect(204);
    assert_eq!(devices(&in_app).await, ["app"]);
    // The used code is gone.
    assert_eq!(app.count("SELECT count(*) FROM transfer_codes").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_several_clients_with_one_code_one_gets_in() {
    let app = TestApp::start().await;
    let other = app.second().await;
    let ada = app.player("ada").await;
    for _ in 0..3 {
        let shown = code(&ada).await;
        let addresses = (0..8).map(|number| if number % 2 == 0 { app.address } else { other });
        let answers = join_all(addresses.map(|address| redeem(address, &shown))).await;
        let let_in = answers.iter().filter(|answer| answer.status == 201).count();
        assert_eq!(let_in, 1);
        for refused in answers.iter().filter(|answer| answer.status != 201) {
            refused.expect_problem(401, "transfer_code_invalid");
        }
    }
    assert_eq!(devices(&ada).await.len(), 4);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_is_void_after_two_minutes_and_when_another_is_shown() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let created = ada.post(CODES, None, &Value::Null).await.expect(201);
    let shown = created["transfer_code"].as_str().unwrap();
    assert_eq!(shown.len(), 17);
    // Only its hash is stored.
    let stored = format!("SELECT count(*) FROM transfer_codes WHERE hash = sha256('{shown}'::bytea)");
    assert_eq!(app.count(&stored).await, 1);
    let minutes = "SELECT count(*) FROM transfer_codes WHERE expires_at BETWEEN now() + interval '100 s' \
                   AND now() + interval '120 s'";
    assert_eq!(app.count(minutes).await, 1);
    app.run("UPDATE transfer_codes SET expires_at = expires_at - interval '2 minutes'").await;
    redeem(app.address, shown).await.expect_problem(401, "transfer_code_invalid");
    let (first, second) = (code(&ada).await, code(&ada).await);
    let refused = redeem(app.address, &first).await;
    refused.expect_problem(401, "transfer_code_invalid");
    for odd in ["", "nonsense", "22222-22222-22222", &second[1..]] {
        assert_eq!(redeem(app.address, odd).await.body, refused.body, "{odd}");
    }
    let long = json!({"transfer_code": "2".repeat(41)});
    let nobody = Player::anonymous(app.address);
    nobody.post("/v1/sessions/transfer", None, &long).await.expect_problem(422, "invalid_body");
    redeem(app.address, &second).await.expect(201);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_ends_with_its_session_a_changed_password_a_suspension_and_the_account() {
    let app = TestApp::start().await;
    let me = app.player("ada").await;
    for way in ["end", "others", "own others", "password"] {
        let desk = Player::log_in(app.address, "ada").await;
        let maker = if ["own others", "password"].contains(&way) { &me } else { &desk };
        let shown = code(maker).await;
        let ended = match way {
            "end" => desk.request(Method::DELETE, "/v1/sessions/current", &[], None).await,
            "password" => {
                let change = json!({"current_password": PASSWORD, "new_password": PASSWORD});
                me.post("/v1/account/change-password", None, &change).await
            }
            _ => me.request(Method::DELETE, "/v1/sessions/others", &[], None).await,
        };
        ended.expect(204);
        let refused = redeem(app.address, &shown).await;
        refused.expect_problem(401, "transfer_code_invalid");
    }
    let bob = app.player("bob").await;
    let shown = code(&bob).await;
    admin(&app, Some("because")).suspend("bob", None).await.unwrap();
    redeem(app.address, &shown).await.expect_problem(401, "transfer_code_invalid");
    within_a_second("suspended", async || bob.is_refused().await).await;
    bob.post(CODES, None, &Value::Null).await.expect_problem(401, "invalid_token");
    let shown = code(&me).await;
    me.post("/v1/account/delete", None, &json!({"password": PASSWORD})).await.expect(202);
    redeem(app.address, &shown).await.expect_problem(401, "transfer_code_invalid");
    assert_eq!(app.count("SELECT count(*) FROM transfer_codes").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_personal_token_makes_no_code() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let wanted = json!({"name": "script", "scopes": ["account"], "expires_in_days": 1});
    let made = ada.post("/v1/tokens", None, &wanted).await.expect(201);
    let script = Player { token: made["token"].as_str().unwrap().to_owned(), ..ada.clone() };
    script.post(CODES, None, &Value::Null).await.expect_problem(403, "session_required");
}
