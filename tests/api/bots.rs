//! Bots act with tokens that their owner creates, can do nothing else, and are marked in all lists of players.

use serde_json::{Value, json};

use crate::support::player::PASSWORD;
use crate::support::{Player, TestApp, id, until};

async fn bot_id(owner: &Player, name: &str) -> String {
    let list = owner.get("/v1/bots").await.expect(200);
    let found = list["items"].as_array().unwrap().iter().find(|bot| bot["username"] == name).cloned();
    found.unwrap()["bot_id"].as_str().unwrap().to_owned()
}

fn token(scopes: &Value) -> Value {
    json!({"name": "its server", "scopes": scopes, "expires_in_days": 30})
}

/// Names of the marked players in a list.
fn marked(people: &Value) -> Vec<&str> {
    let people = people.as_array().unwrap().iter();
    people.filter(|one| one["bot"] == true).map(|one| one["username"].as_str().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bot_is_marked_wherever_it_is_shown() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let bot = ada.bot("ada_bot").await;
    assert_eq!(bot.get("/v1/account").await.expect(200)["bot"], true);
    let body = json!({"size": 3, "visibility": "public"});
    let created = bot.create(&body).await.expect(201);
    assert_eq!(marked(&created["seats"]), ["ada_bot"]);
    ada.join(created["join_code"].as_str().unwrap(), "").await.expect(201);
    let listed = bob.get("/v1/open-matches").await.expect(200);
    assert_eq!(listed["items"][0]["usernames"], json!(["ada_bot", "ada"]));
    assert_eq!(listed["items"][0]["bots"], json!(["ada_bot"]));
    let invitation = bob.get(&format!("/v1/join-codes/{}", created["join_code"].as_str().unwrap())).await;
    assert_eq!(marked(&invitation.expect(200)["players"]), ["ada_bot"]);
    let joined = bob.join(created["join_code"].as_str().unwrap(), "").await.expect(201);
    assert!(joined["seats"][2].get("bot").is_none(), "people are not marked: {joined}");
    let started = bot.start(id(&created)).await.expect(200);
    assert_eq!(marked(&started["seats"]), ["ada_bot"]);
    let list = bob.get("/v1/matches").await.expect(200);
    assert_eq!(marked(&list["items"][0]["seats"]), ["ada_bot"]);
    // In a repeated answer from the log, too.
    bob.put("/v1/friends/ada_bot").await.expect(204);
    assert_eq!(marked(&bob.get("/v1/friends").await.expect(200)["items"]), ["ada_bot"]);
    // A bot token cannot add friends.
    bot.put("/v1/friends/bob").await.expect_problem(403, "insufficient_scope");
    let challenge = bob.post("/v1/challenges", None, &json!({"opponents": ["ada_bot"]})).await.expect(201);
    assert_eq!(marked(&challenge["members"]), ["ada_bot"]);
    bob.put("/v1/blocks/ada_bot").await.expect(204);
    assert_eq!(marked(&bob.get("/v1/blocks").await.expect(200)["items"]), ["ada_bot"]);
    assert_eq!(bob.get("/v1/profiles/ada_bot").await.expect(200)["bot"], true);
    let several = bob.get("/v1/profiles?usernames=ada,ada_bot,bob").await.expect(200);
    assert_eq!(marked(&several["items"]), ["ada_bot"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_answer_marks_bots_like_the_first() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let bot = ada.bot("ada_bot").await;
    let (key, body) = ("key-0000-0000-0000-0001", json!({"size": 2}));
    let first = bot.post("/v1/matches", Some(key), &body).await;
    first.expect(201);
    let again = bot.at(app.second().await).post("/v1/matches", Some(key), &body).await;
    assert_eq!(again.body, first.body);
    assert!(again.body.contains("\"bot\":true"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bots_tokens_are_its_owners_affair() {
    let app = TestApp::start().await;
    let (ada, eve) = (app.player("ada").await, app.player("eve").await);
    let second = app.second().await;
    let bot = ada.bot("ada_bot").await;
    let path = format!("/v1/bots/{}", bot_id(&ada, "ada_bot").await);
    let tokens = format!("{path}/tokens");
    let list = ada.get(&tokens).await.expect(200);
    assert_eq!(list["items"][0]["scopes"], json!(["read", "play"]));
    assert_eq!(ada.get("/v1/tokens").await.expect(200)["items"], json!([]), "not among the owner's own");
    for scopes in [json!(["account"]), json!(["read", "account"]), json!([]), json!(["read", "read", "play"])]
    {
        ada.post(&tokens, None, &token(&scopes)).await.expect_problem(422, "invalid_body");
    }
    let looks = ada.post(&tokens, None, &token(&json!(["read"]))).await.expect(201);
    let looking = Player { token: looks["token"].as_str().unwrap().to_owned(), ..bot.clone() };
    assert_eq!(looking.get("/v1/account").await.expect(200)["username"], "ada_bot");
    looking.create(&json!({"size": 2})).await.expect_problem(403, "insufficient_scope");
    // It cannot manage its own account.
    for answer in [
        bot.get("/v1/bots").await,
        bot.get("/v1/sessions").await,
        bot.get("/v1/account/export").await,
        bot.post("/v1/account/delete", None, &json!({})).await,
        bot.patch("/v1/account", &json!({"display_name": "Ada"})).await,
    ] {
        answer.expect_problem(403, "insufficient_scope");
    }
    // For other accounts, there is no such bot.
    let random = "/v1/bots/0193aa00-0000-7000-8000-000000000001";
    let wanted = token(&json!(["read"]));
    let pairs = [
        (eve.get(&tokens).await, eve.get(&format!("{random}/tokens")).await),
        (eve.post(&tokens, None, &wanted).await, eve.post(&format!("{random}/tokens"), None, &wanted).await),
        (eve.delete(&path).await, eve.delete(random).await),
    ];
    for (theirs, none) in pairs {
        theirs.expect_problem(404, "bot_not_found");
        assert_eq!(theirs.body, none.body);
    }
    let own = ada.get("/v1/account").await.expect(200)["account_id"].as_str().unwrap().to_owned();
    ada.post(&format!("/v1/bots/{own}/tokens"), None, &wanted).await.expect_problem(404, "bot_not_found");
    ada.delete(&format!("/v1/bots/{own}")).await.expect_problem(404, "bot_not_found");

    let one = format!("{tokens}/{}", looks["personal_token"]["token_id"].as_str().unwrap());
    eve.delete(&one).await.expect_problem(404, "bot_not_found");
    looking.at(second).get("/v1/account").await.expect(200);
    ada.delete(&one).await.expect(204);
    ada.delete(&one).await.expect(204);
    looking.get("/v1/account").await.expect_problem(401, "invalid_token");
    until("refused on the other instance", async || {
        looking.at(second).get("/v1/account").await.status == 401
    })
    .await;
    ada.delete(&format!("{tokens}/0193aa00-0000-7000-8000-000000000001"))
        .await
        .expect_problem(404, "token_not_found");

    // A password change ends them like the owner's own tokens, unless requested otherwise.
    let change =
        |keep: bool| json!({"current_password": PASSWORD, "new_password": PASSWORD, "keep_tokens": keep});
    ada.post("/v1/account/change-password", None, &change(true)).await.expect(204);
    bot.get("/v1/account").await.expect(200);
    ada.post("/v1/account/change-password", None, &change(false)).await.expect(204);
    bot.get("/v1/account").await.expect_problem(401, "invalid_token");
}

#[tokio::test(flavor = "multi_thread")]
async fn bots_are_few_and_log_in_nowhere() {
    let app = TestApp::start().await;
    let (ada, guest) = (app.player("ada").await, Player::guest(app.address).await);
    let body = |number: usize| json!({"username": format!("robot_{number}"), "display_name": format!("Robot {number}")});
    guest.post("/v1/bots", None, &body(0)).await.expect_problem(409, "guest_not_allowed");
    let first = ada.post("/v1/bots", None, &body(0)).await.expect(201);
    assert_eq!(first["display_name"], "Robot 0");
    ada.post("/v1/bots", None, &body(0)).await.expect_problem(409, "username_taken");
    let same = json!({"username": "other", "display_name": "ROBOT O"});
    ada.post("/v1/bots", None, &same).await.expect_problem(409, "display_name_taken");
    let reserved = json!({"username": "guest_bot"});
    ada.post("/v1/bots", None, &reserved).await.expect_problem(422, "username_reserved");
    for number in 2..10 {
        ada.post("/v1/bots", None, &body(number)).await.expect(201);
    }
    // Two concurrent requests for the last free slot.
    let (one, two) = (body(10), body(11));
    let (one, two) = futures_util::join!(ada.post("/v1/bots", None, &one), ada.post("/v1/bots", None, &two));
    let mut statuses = [one.status.as_u16(), two.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409]);
    ada.post("/v1/bots", None, &body(12)).await.expect_problem(409, "too_many_bots");
    assert_eq!(ada.get("/v1/bots").await.expect(200)["items"].as_array().unwrap().len(), 10);
    for password in ["", PASSWORD] {
        let credentials = json!({"username": "robot_0", "password": password});
        let refused = Player::anonymous(app.address).post("/v1/sessions", None, &credentials).await;
        refused.expect_problem(401, "invalid_credentials");
    }
    let path = format!("/v1/bots/{}", first["bot_id"].as_str().unwrap());
    ada.delete(&path).await.expect(202);
    ada.delete(&path).await.expect_problem(404, "bot_not_found");
    ada.post("/v1/bots", None, &body(12)).await.expect(201);
    ada.get("/v1/profiles/robot_0").await.expect_problem(404, "account_not_found");
}
