//! Guests play at once, cannot log in, and claim the account with all its data; abandoned ones are deleted.

use serde_json::{Value, json};

use crate::support::player::{PASSWORD, new_key};
use crate::support::{Player, TestApp, id, until_swept, version, within_a_second};

fn names(view: &Value) -> Vec<&str> {
    view["seats"].as_array().unwrap().iter().map(|seat| seat["username"].as_str().unwrap()).collect()
}

/// A legal play.
fn a_play(view: &Value) -> Value {
    let draw = &view["legal"]["draws"][0]["draw_from"];
    json!({"expected_version": version(view), "cards": view["legal"]["discards"][0], "draw_from": draw})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_display_name_says_why_in_a_word_and_makes_no_guest() {
    let app = TestApp::start().await;
    let anybody = Player::anonymous(app.address);
    for (name, reason) in
        [("Ada 😀", "characters"), ("A  da", "spaces"), ("-a", "spaces"), ("Аda", "scripts")]
    {
        let refused = anybody.post("/v1/guests", None, &json!({"display_name": name})).await;
        let problem = refused.expect_problem(422, "invalid_body");
        assert_eq!(problem["fields"][0]["name"], "display_name", "{name}");
        assert_eq!(problem["parameters"], json!([{"name": "reason", "value": reason}]), "{name}");
    }
    assert_eq!(app.count("SELECT count(*) FROM accounts WHERE username LIKE 'guest%'").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_plays_at_once_and_cannot_be_logged_in_as() {
    let app = TestApp::start().await;
    let body = json!({"device": "somebody's phone", "display_name": "Somebody"});
    let session = Player::anonymous(app.address).post("/v1/guests", None, &body).await.expect(201);
    let guest = Player::of(app.address, &session);
    assert!(guest.name.starts_with("guest_") && guest.name.len() == 16, "{}", guest.name);
    assert_eq!(session["account"]["guest"], true);
    assert_eq!(guest.get("/v1/sessions").await.expect(200)["items"][0]["device"], "somebody's phone");
    let ada = app.player("ada").await;
    let view = app.started(&[ada.clone(), guest.clone()], json!({"preset": "yaniv"})).await;
    assert_eq!(names(&guest.view(id(&view)).await).len(), 2);
    let profile = ada.get(&format!("/v1/profiles/{}", guest.name)).await.expect(200);
    assert_eq!((&profile["guest"], &profile["display_name"]), (&json!(true), &json!("Somebody")));
    assert!(ada.get("/v1/profiles/ada").await.expect(200).get("guest").is_none());

    let refused = async |name: &str, password: &str| {
        let credentials = json!({"username": name, "password": password});
        Player::anonymous(app.address).post("/v1/sessions", None, &credentials).await
    };
    let unknown = refused("guest_nobody", PASSWORD).await;
    unknown.expect_problem(401, "invalid_credentials");
    for password in [PASSWORD, "", "        "] {
        assert_eq!(refused(&guest.name, password).await.body, unknown.body, "{password:?}");
    }
    let change = json!({"current_password": "", "new_password": PASSWORD});
    guest.post("/v1/account/change-password", None, &change).await.expect_problem(403, "wrong_password");
    let same = json!({"display_name": "somebody"});
    let taken = Player::anonymous(app.address).post("/v1/guests", None, &same).await;
    taken.expect_problem(409, "display_name_taken");
    let wrong = Player::anonymous(app.address).post("/v1/guests", None, &json!({"display_name": ""})).await;
    wrong.expect_problem(422, "invalid_body");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_counts_as_a_sign_up() {
    let app = TestApp::start_with(|options| options.rate_limits = true).await;
    let nobody = Player::anonymous(app.address);
    for number in 0..20 {
        let credentials = json!({"username": format!("p_{number}"), "password": "short"});
        match number % 2 {
            0 => nobody.post("/v1/guests", None, &json!({})).await.expect(201),
            _ => nobody.post("/v1/accounts", None, &credentials).await.expect(422),
        };
    }
    nobody.post("/v1/guests", None, &json!({})).await.expect_problem(429, "too_many_sign_ups");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claimed_account_has_everything_that_the_guest_had() {
    let app = TestApp::start().await;
    let second = app.second().await;
    let (ada, guest) = (app.player("ada").await, Player::guest(app.address).await);
    guest.put("/v1/friends/ada").await.expect(204);
    let view = app.started(&[guest.clone(), ada.clone()], json!({"preset": "yaniv"})).await;
    let match_id = id(&view).to_owned();
    let here = ada.get(&format!("/v1/matches/{match_id}")).await;
    let there = ada.at(second).get(&format!("/v1/matches/{match_id}")).await;
    let tag = there.header("etag").unwrap().to_owned();
    assert_eq!(names(&here.expect(200)), [guest.name.as_str(), "ada"]);
    // An action, so that there is an answer to repeat.
    let actor = if view["your_turn"] == true { &guest } else { &ada };
    let (key, body) = (new_key(), a_play(&actor.view(&match_id).await));
    let first = actor.act_with(&match_id, "plays", &key, &body).await.expect(200);
    // Cached by the other instance, too.
    ada.at(second).view(&match_id).await;

    let wanted = json!({"username": "grace", "password": PASSWORD});
    for (name, status, code) in
        [("ada", 409, "username_taken"), ("guest_x", 422, "username_reserved"), ("A", 422, "invalid_body")]
    {
        let refused = json!({"username": name, "password": PASSWORD});
        guest.post("/v1/account/claim", None, &refused).await.expect_problem(status, code);
    }
    let claimed = guest.post("/v1/account/claim", None, &wanted).await.expect(200);
    assert_eq!(claimed["username"], "grace");
    assert!(claimed.get("guest").is_none());
    guest.post("/v1/account/claim", None, &wanted).await.expect_problem(409, "not_a_guest");
    ada.post("/v1/account/claim", None, &wanted).await.expect_problem(409, "not_a_guest");

    assert_eq!(names(&ada.view(&match_id).await), ["grace", "ada"]);
    let path = format!("/v1/matches/{match_id}");
    within_a_second("the new name on the other instance", async || {
        let answer =
            ada.at(second).request(reqwest::Method::GET, &path, &[("if-none-match", &tag)], None).await;
        answer.status == 200 && names(&answer.expect(200)) == ["grace", "ada"]
    })
    .await;
    // The same session continues on both instances; only the name has changed.
    for address in [app.address, second] {
        assert_eq!(guest.at(address).get("/v1/account").await.expect(200)["username"], "grace");
        let again = actor.at(address).act_with(&match_id, "plays", &key, &body).await;
        assert_eq!(again.header("idempotency-replayed"), Some("true"));
        let first: Value = serde_json::from_str(&first.to_string().replace(&guest.name, "grace")).unwrap();
        assert_eq!(again.expect(200), first);
    }
    assert_eq!(ada.get("/v1/friends").await.expect(200)["items"][0]["username"], "grace");
    assert!(!ada.record(&match_id).await.to_string().contains("guest_"));
    let credentials = json!({"username": "grace", "password": PASSWORD});
    let session = Player::anonymous(second).post("/v1/sessions", None, &credentials).await.expect(201);
    assert_eq!(names(&Player::of(second, &session).view(&match_id).await), ["grace", "ada"]);
    ada.get(&format!("/v1/profiles/{}", guest.name)).await.expect_problem(404, "account_not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn guests_without_a_session_are_deleted() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let mut guests = Vec::new();
    for _ in 0..5 {
        guests.push(Player::guest(app.address).await);
    }
    let [playing, waiting, left, expired, open] = &guests[..] else { panic!() };
    app.started(&[ada.clone(), playing.clone()], json!({"preset": "yaniv"})).await;
    waiting.create(&json!({"size": 2})).await.expect(201);
    for gone in [playing, waiting, left] {
        gone.delete("/v1/sessions/current").await.expect(204);
    }
    let statement = format!(
        "UPDATE sessions SET expires_at = now() - interval '1 hour' \
         WHERE account_id = (SELECT id FROM accounts WHERE username = '{}')",
        expired.name
    );
    app.run(&statement).await;
    // Every instance looks for them at its start; two at once do no harm.
    let (_, second) = (app.second().await, app.second().await);
    let there = async |player: &Player| {
        ada.at(second).get(&format!("/v1/profiles/{}", player.name)).await.status == 200
    };
    until_swept(&app, "both are gone", async || {
        let deleted = "SELECT count(*) FROM accounts WHERE deleted_at IS NOT NULL";
        app.count(deleted).await == 2 && !there(left).await && !there(expired).await
    })
    .await;
    assert!(there(playing).await && there(waiting).await && there(open).await);
    open.get("/v1/account").await.expect(200);
}

/// A leaked token must become useless when it is revoked.
#[tokio::test(flavor = "multi_thread")]
async fn a_personal_token_neither_claims_nor_deletes_a_guest() {
    let app = TestApp::start().await;
    let guest = Player::guest(app.address).await;
    let wanted = json!({"name": "script", "scopes": ["account"], "expires_in_days": 1});
    let made = guest.post("/v1/tokens", None, &wanted).await.expect(201);
    let script = Player { token: made["token"].as_str().unwrap().to_owned(), ..guest.clone() };
    let claim = json!({"username": "thief", "password": "a password of theirs"});
    script.post("/v1/account/claim", None, &claim).await.expect_problem(403, "session_required");
    script.post("/v1/account/delete", None, &json!({})).await.expect_problem(403, "session_required");
    assert_eq!(guest.get("/v1/account").await.expect(200)["username"], guest.name);
}
