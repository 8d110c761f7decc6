//! House bots: they take seats automatically, accept all challenges, and belong to no player.

use serde_json::{Value, json};

use crate::support::player::{PASSWORD, new_key};
use crate::support::strategy::{Random, choose};
use crate::support::{Player, TestApp, id, until, version};

/// The names by seat.
fn names(view: &Value) -> Vec<&str> {
    view["seats"].as_array().unwrap().iter().map(|seat| seat["username"].as_str().unwrap()).collect()
}

fn types(log: &Value) -> Vec<&str> {
    log["items"].as_array().unwrap().iter().map(|entry| entry["type"].as_str().unwrap()).collect()
}

async fn log(player: &Player, id: &str) -> Value {
    player.get(&format!("/v1/matches/{id}/log")).await.expect(200)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_is_created_with_bots_in_it() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let created = ada.create(&json!({"size": 4, "bots": ["hard", "easy", "hard"]})).await.expect(201);
    assert_eq!(names(&created), ["ada", "house_hard_1", "house_easy_1", "house_hard_2"]);
    let bots: Vec<bool> = (0..4).map(|seat| created["seats"][seat]["bot"] == true).collect();
    assert_eq!(bots, [false, true, true, true]);
    assert_eq!((version(&created), created["status"].as_str()), (4, Some("waiting")));
    assert_eq!(types(&log(&ada, id(&created)).await), ["joined"; 4]);
    let started = ada.start(id(&created)).await.expect(200);
    assert_eq!(started["status"], "running");
    // Another match has the same bots: there are nine of each level, and no more are created.
    let other =
        ada.create(&json!({"size": 10, "bots": vec!["easy"; 9], "rules": {"decks": 2}})).await.expect(201);
    assert_eq!(names(&other).len(), 10);
    let stored = app.count("SELECT count(*) FROM accounts WHERE level IS NOT NULL").await;
    assert_eq!(stored, 18, "nine easy and nine hard ones");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_creation_with_bots_is_answered_again_byte_for_byte() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let (key, body) = (new_key(), json!({"size": 3, "bots": ["medium", "easy"]}));
    let first = ada.post("/v1/matches", Some(&key), &body).await;
    let made = first.expect(201);
    ada.start(id(&made)).await.expect(200);
    let again = ada.at(app.second().await).post("/v1/matches", Some(&key), &body).await;
    assert_eq!(again.body, first.body);
    assert_eq!(again.header("idempotency-replayed").unwrap(), "true");
    let other = json!({"size": 3, "bots": ["medium"]});
    ada.post("/v1/matches", Some(&key), &other).await.expect_problem(422, "idempotency_key_reused");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_creates_a_match_needs_a_seat_of_it() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    for bots in [json!(["easy", "easy"]), json!(["genius"]), json!("easy"), json!([null])] {
        let refused = ada.create(&json!({"size": 2, "bots": bots})).await;
        let problem = refused.expect_problem(422, "invalid_body");
        assert!(problem["fields"][0]["name"].as_str().unwrap().starts_with("bots"), "{problem}");
    }
    let crowd = json!({"size": 10, "bots": vec!["easy"; 10], "rules": {"decks": 2}});
    ada.create(&crowd).await.expect_problem(422, "invalid_body");
    assert_eq!(app.count("SELECT count(*) FROM accounts").await, 1, "refused before any bot was made");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_house_bot_is_not_an_account_of_a_user() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    for name in ["house_easy_1", "house_of_cards", "h0use_hard_9"] {
        let credentials = json!({"username": name, "password": PASSWORD});
        let nobody = Player::anonymous(app.address);
        nobody.post("/v1/accounts", None, &credentials).await.expect_problem(422, "username_reserved");
        ada.post("/v1/bots", None, &json!({"username": name})).await.expect_problem(422, "username_reserved");
    }
    ada.create(&json!({"size": 2, "bots": ["easy"]})).await.expect(201);
    let credentials = json!({"username": "house_easy_1", "password": PASSWORD});
    let entering = Player::anonymous(app.address).post("/v1/sessions", None, &credentials).await;
    entering.expect_problem(401, "invalid_credentials");
    let profile = ada.get("/v1/profiles/house_easy_1").await.expect(200);
    assert_eq!((&profile["bot"], &profile["level"]), (&json!(true), &json!("easy")));
    let several = ada.get("/v1/profiles?usernames=ada,house_easy_2").await.expect(200);
    assert_eq!(several["items"][1]["level"], "easy");
    assert!(several["items"][0].get("level").is_none(), "{several}");
    ada.put("/v1/friends/house_easy_1").await.expect_problem(409, "house_bot_not_allowed");
    assert_eq!(ada.get("/v1/friends").await.expect(200)["items"], json!([]));
    assert_eq!(ada.get("/v1/bots").await.expect(200)["items"], json!([]));
    ada.put("/v1/blocks/house_easy_1").await.expect(204);
    ada.delete("/v1/blocks/house_easy_1").await.expect(204);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_of_the_house_accepts_every_challenge_at_once() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    // It does not exist yet: naming it creates it.
    let (key, body) = (new_key(), json!({"opponents": ["house_hard_1"]}));
    let first = ada.challenge(Some(&key), &body).await;
    let made = first.expect(201);
    assert_eq!(made["status"], "accepted");
    let view = ada.view(made["match_id"].as_str().unwrap()).await;
    assert_eq!((names(&view), &view["status"]), (vec!["ada", "house_hard_1"], &json!("running")));
    assert_eq!(ada.challenge(Some(&key), &body).await.body, first.body);

    let made = ada.challenge(None, &json!({"opponents": ["house_easy_3", "bob"]})).await.expect(201);
    let answers: Vec<&str> = (0..3).map(|place| made["members"][place]["answer"].as_str().unwrap()).collect();
    assert_eq!((&made["status"], answers), (&json!("open"), vec!["accepted", "accepted", "none"]));
    let accepted = bob.accept_challenge(id(&made), "").await.expect(200);
    assert_eq!(accepted["status"], "accepted");
    ada.challenge(None, &json!({"opponents": ["house_easy_10"]}))
        .await
        .expect_problem(404, "account_not_found");
    // A blocked bot does not accept.
    ada.put("/v1/blocks/house_hard_2").await.expect(204);
    let made = ada.challenge(None, &json!({"opponents": ["house_hard_2"]})).await.expect(201);
    assert!(made.get("match_id").is_none(), "{made}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_of_the_house_plays_again() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let made = ada.challenge(None, &json!({"opponents": ["house_medium_1"]})).await.expect(201);
    let over = made["match_id"].as_str().unwrap();
    ada.resign(over).await;
    let (key, second) = (new_key(), app.second().await);
    let first = ada.offer_rematch(over, Some(&key), "").await;
    let offered = first.expect(201);
    assert_eq!((&offered["status"], &offered["rematch_of"]), (&json!("accepted"), &json!(over)));
    assert_eq!(ada.view(offered["match_id"].as_str().unwrap()).await["status"], "running");
    assert_eq!(ada.at(second).offer_rematch(over, Some(&key), "").await.body, first.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn bots_of_the_house_are_no_hosts_and_do_not_wait_alone() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let created = ada.create(&json!({"size": 4, "bots": ["easy"]})).await.expect(201);
    let code = created["join_code"].as_str().unwrap();
    bob.join(code, "").await.expect(201);
    bob.start(id(&created)).await.expect_problem(403, "host_only");
    ada.leave(id(&created)).await.expect(204);
    bob.renew_code(id(&created), None, &json!({})).await.expect(200);
    assert_eq!(bob.start(id(&created)).await.expect(200)["status"], "running");

    let lonely = ada.create(&json!({"size": 3, "bots": ["easy", "hard"]})).await.expect(201);
    let key = new_key();
    let path = format!("/v1/matches/{}/leave", id(&lonely));
    let left = ada.post(&path, Some(&key), &Value::Null).await;
    assert_eq!(left.status, 204);
    assert_eq!(ada.post(&path, Some(&key), &Value::Null).await.body, left.body);
    let waiting = "SELECT count(*) FROM match_states WHERE status = 'waiting'";
    assert_eq!(app.count(waiting).await, 0, "nobody is left who could start it");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_with_bots_of_the_house_comes_to_its_end() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let rules = json!({"preset": "yaniv", "max_rounds": 3});
    let body = json!({"size": 4, "bots": ["hard", "medium", "easy"], "rules": rules});
    let created = ada.create(&body).await.expect(201);
    ada.start(id(&created)).await.expect(200);
    let mut random = Random(11);
    until("the match is over", async || {
        loop {
            let view = ada.view(id(&created)).await;
            if view["your_turn"] != true {
                return view["status"] == "finished";
            }
            let (kind, body) = choose(&view, &mut random);
            ada.act(id(&created), kind, &body).await;
        }
    })
    .await;
    let log = log(&ada, id(&created)).await;
    let entries = log["items"].as_array().unwrap();
    let by_bots = |entry: &&Value| entry["username"].as_str().unwrap().starts_with("house_");
    assert!(entries.iter().skip(5).filter(by_bots).count() > 0, "they play: {log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn bots_that_play_alone_go_on_to_the_end_without_pauses() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    // At least 40 rounds of two turns for each of three bots: 240 actions.
    let rules = json!({"preset": "yaniv", "max_rounds": 40, "min_turns": 2, "elimination": 1000});
    let body = json!({"size": 4, "bots": ["easy", "easy", "easy"], "rules": rules});
    let created = ada.create(&body).await.expect(201);
    ada.start(id(&created)).await.expect(200);
    ada.resign(id(&created)).await;
    // With fifteen seconds of pause after every twenty actions it would take three minutes.
    until("the match is over", async || ada.view(id(&created)).await["status"] == "finished").await;
    let view = ada.view(id(&created)).await;
    assert!(version(&view) > 240, "{view}");
}
