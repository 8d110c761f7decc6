//! Rated matches: with unmodified presets, among people or among bots, and marked wherever they are shown.

use serde_json::{Value, json};

use crate::support::{Player, TestApp, id, settings_of};

fn text<'a>(body: &'a Value, field: &str) -> &'a str {
    body[field].as_str().unwrap()
}

fn rated(size: usize) -> Value {
    json!({"size": size, "rated": true, "rules": {"preset": "yaniv"}})
}

fn with(mut body: Value, field: &str, value: Value) -> Value {
    body[field] = value;
    body
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rated_match_has_exactly_the_rules_of_a_preset_and_is_no_sandbox() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let custom = json!({"preset": "yaniv", "call_limit": 3});
    let refused = [
        with(rated(2), "rules", custom.clone()),
        with(rated(2), "sandbox", json!(true)),
        with(with(rated(2), "sandbox", json!(true)), "sandbox_seed", json!("00".repeat(32))),
    ];
    for body in &refused {
        ada.create(body).await.expect_problem(422, "not_ratable");
    }
    let wish = json!({"size": 2, "rated": true, "rules": custom});
    ada.request_pairing(None, &wish).await.expect_problem(422, "not_ratable");
    let challenge = json!({"opponents": ["bob"], "rated": true, "rules": custom});
    ada.challenge(None, &challenge).await.expect_problem(422, "not_ratable");

    // A preset with all options given explicitly is that preset; without rules it is the default one.
    let same = json!({"preset": "yaniv", "hand_size": 5});
    for body in [rated(2), with(rated(2), "rules", same), json!({"size": 2, "rated": true})] {
        assert_eq!(settings_of(&ada.create(&body).await.expect(201))["rated"], true);
    }
    let unrated = ada.create(&json!({"size": 2})).await.expect(201);
    let settings = settings_of(&unrated);
    assert!(settings.is_object() && settings.get("rated").is_none());
    let listed = ada.get("/v1/matches").await.expect(200);
    let marks: Vec<bool> =
        listed["items"].as_array().unwrap().iter().map(|item| item["rated"] == true).collect();
    assert_eq!(marks.iter().filter(|rated| **rated).count(), 3);
    assert_eq!(marks.len(), 4);
    let preview = format!("/v1/join-codes/{}", text(&ada.create(&rated(2)).await.expect(201), "join_code"));
    assert_eq!(bob.get(&preview).await.expect(200)["settings"]["rated"], true, "seen before one joins");
}

#[tokio::test(flavor = "multi_thread")]
async fn open_matches_say_whether_they_are_rated_and_are_found_by_it() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let public = |body: Value| with(body, "visibility", json!("public"));
    let counts = ada.create(&public(rated(2))).await.expect(201);
    let other = ada.create(&public(json!({"size": 2}))).await.expect(201);
    let listed = async |query: &str| {
        let page = bob.get(&format!("/v1/open-matches{query}")).await.expect(200);
        let item = |item: &Value| (text(item, "join_code").to_owned(), item["rated"] == true);
        page["items"].as_array().unwrap().iter().map(item).collect::<Vec<_>>()
    };
    let counts = (text(&counts, "join_code").to_owned(), true);
    let other = (text(&other, "join_code").to_owned(), false);
    assert_eq!(listed("").await, [other.clone(), counts.clone()]);
    assert_eq!(listed("?rated=true").await, [counts]);
    assert_eq!(listed("?rated=false").await, [other]);
    bob.get("/v1/open-matches?rated=perhaps").await.expect_problem(422, "invalid_parameter");
}

#[tokio::test(flavor = "multi_thread")]
async fn people_play_rated_among_themselves_and_bots_among_themselves() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let (robot, machine) = (ada.bot("robot").await, bob.bot("machine").await);
    let mut guest = Player::guest(app.address).await;
    guest.create(&rated(2)).await.expect_problem(409, "rated_not_allowed");
    let house = with(rated(3), "bots", json!(["easy"]));
    ada.create(&house).await.expect_problem(409, "rated_not_allowed");
    assert_eq!(app.count("SELECT count(*) FROM matches").await, 0, "nothing is left of what was refused");

    let of_people = ada.create(&rated(3)).await.expect(201);
    let code = text(&of_people, "join_code");
    for stranger in [&robot, &guest] {
        stranger.join(code, "").await.expect_problem(409, "rated_not_allowed");
    }
    bob.join(code, "").await.expect(201);
    // After the host has left, the next player is the host.
    ada.leave(id(&of_people)).await.expect(204);
    robot.join(code, "").await.expect_problem(409, "rated_not_allowed");
    let claim = json!({"username": "grace", "password": "correct horse battery"});
    let claimed = guest.post("/v1/account/claim", None, &claim).await;
    claimed.expect(200);
    guest.name = "grace".to_owned();
    guest.join(code, "").await.expect(201);

    let of_bots = robot.create(&with(rated(3), "bots", json!(["easy"]))).await.expect(201);
    bob.join(text(&of_bots, "join_code"), "").await.expect_problem(409, "rated_not_allowed");
    machine.join(text(&of_bots, "join_code"), "").await.expect(201);
    // In unrated matches, people and bots may be mixed.
    let mixed = ada.create(&json!({"size": 3, "bots": ["easy"]})).await.expect(201);
    robot.join(text(&mixed, "join_code"), "").await.expect(201);
}

#[tokio::test(flavor = "multi_thread")]
async fn challenges_are_rated_and_so_are_rematches() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let (robot, machine) = (ada.bot("robot").await, bob.bot("machine").await);
    let guest = Player::guest(app.address).await;
    let wanted = |name: &str| json!({"opponents": [name], "rated": true});
    for name in ["robot", "house_easy_1", guest.name.as_str()] {
        ada.challenge(None, &wanted(name)).await.expect_problem(409, "rated_not_allowed");
    }
    robot.challenge(None, &wanted("bob")).await.expect_problem(409, "rated_not_allowed");
    guest.challenge(None, &wanted("bob")).await.expect_problem(409, "rated_not_allowed");
    let of_bots = robot.challenge(None, &wanted("machine")).await.expect(201);
    machine.accept_challenge(id(&of_bots), "").await.expect(200);
    let house = robot.challenge(None, &wanted("house_easy_1")).await.expect(201);
    assert_eq!(text(&house, "status"), "accepted");

    let made = ada.challenge(None, &wanted("bob")).await.expect(201);
    assert_eq!(made["rated"], true);
    let inbox = bob.get("/v1/challenges").await.expect(200);
    assert_eq!(inbox["items"][0]["rated"], true);
    let accepted = bob.accept_challenge(id(&made), "").await.expect(200);
    let match_id = text(&accepted, "match_id");
    assert_eq!(ada.settings(match_id).await["rated"], true);
    bob.resign(match_id).await;
    let offer = ada.offer_rematch(match_id, None, "").await.expect(201);
    assert_eq!(offer["rated"], true);
    let again = bob.offer_rematch(match_id, None, "").await.expect(201);
    assert_eq!(bob.settings(text(&again, "match_id")).await["rated"], true);

    let unrated = ada.challenge(None, &json!({"opponents": ["bob"]})).await.expect(201);
    assert!(unrated.get("rated").is_none());
    let accepted = bob.accept_challenge(id(&unrated), "").await.expect(200);
    assert!(ada.settings(text(&accepted, "match_id")).await.get("rated").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn who_wishes_for_a_rated_match_is_paired_with_their_like() {
    let app = TestApp::start().await;
    let players = app.players(3).await;
    let (robot, machine) = (players[0].bot("robot").await, players[1].bot("machine").await);
    let ask = async |player: &Player, rated: bool| {
        let wish = if rated { json!({"size": 2, "rated": true}) } else { json!({"size": 2}) };
        player.request_pairing(None, &wish).await.expect(201)
    };
    let guest = Player::guest(app.address).await;
    let refused = guest.request_pairing(None, &json!({"size": 2, "rated": true})).await;
    refused.expect_problem(409, "rated_not_allowed");
    let first = ask(&players[0], true).await;
    assert_eq!((text(&first, "status"), &first["rated"]), ("waiting", &json!(true)));
    for other in [ask(&players[1], false).await, ask(&robot, true).await] {
        assert_eq!(text(&other, "status"), "waiting", "that is another wish");
    }
    let waiting = players[0].get("/v1/pairings").await.expect(200);
    assert_eq!(waiting["items"][0]["rated"], true);
    let paired = ask(&players[2], true).await;
    assert_eq!(text(&paired, "status"), "paired");
    let settings = players[0].settings(text(&paired, "match_id")).await;
    assert_eq!(settings["rated"], true);
    let of_bots = ask(&machine, true).await;
    assert_eq!(robot.settings(text(&of_bots, "match_id")).await["rated"], true);
    let unrated = ask(&guest, false).await;
    assert!(players[1].settings(text(&unrated, "match_id")).await.get("rated").is_none());
}
