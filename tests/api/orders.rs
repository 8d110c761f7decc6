//! Standing orders: for the next turn only, private, and void when anything unexpected happens.

use serde_json::{Value, json};

use crate::support::player::PASSWORD;
use crate::support::{Answer, Player, TestApp, id, until};

/// A running match of two: the player to act, the other one, and its identifier.
async fn two(app: &TestApp, rules: Value) -> (Player, Player, String) {
    let players = app.players(2).await;
    two_of(app, [&players[0], &players[1]], rules).await
}

/// The same with existing players.
async fn two_of(app: &TestApp, players: [&Player; 2], rules: Value) -> (Player, Player, String) {
    let players = players.map(Player::clone);
    let view = app.started(&players, rules).await;
    let turn = usize::try_from(view["table"]["to_act"][0].as_u64().unwrap()).unwrap();
    (players[turn].clone(), players[1 - turn].clone(), id(&view).to_owned())
}

async fn place(player: &Player, id: &str, body: &Value) -> Answer {
    player.put_json(&format!("/v1/matches/{id}/standing-orders"), body).await
}

async fn orders(player: &Player, id: &str) -> Value {
    player.get(&format!("/v1/matches/{id}/standing-orders")).await.expect(200)
}

/// Orders to discard the first card of the hand, and to draw from the stock.
fn first_card(view: &Value) -> Value {
    let card = &view["hand"]["cards"][0];
    json!({"expected_version": view["version"], "plays": [{"cards": [card], "draw_from": "stock"}]})
}

#[tokio::test(flavor = "multi_thread")]
async fn orders_are_placed_replaced_and_withdrawn() {
    let app = TestApp::start().await;
    let (mover, waiter, id) = two(&app, json!({"slam_down": "any"})).await;
    let none = orders(&waiter, &id).await;
    assert_eq!((&none["state"], none.get("version")), (&json!("none"), None));
    let view = waiter.view(&id).await;
    let card = &view["hand"]["cards"][0];
    let plays = json!([
        {"cards": [card], "draw_from": "pile", "draw_card": "AS"},
        {"cards": [card], "draw_from": "stock", "if_pickable": ["KH", "XR"]}
    ]);
    let mut body = json!({"expected_version": view["version"], "call_at_most": 5, "plays": plays, "slam_down": "if_fits_first"});
    let placed = place(&waiter, &id, &body).await;
    let seen = placed.expect(200);
    assert_eq!((&seen["state"], &seen["version"]), (&json!("waiting"), &view["version"]));
    assert_eq!((&seen["call_at_most"], &seen["slam_down"]), (&json!(5), &json!("if_fits_first")));
    assert_eq!(
        seen["plays"][0],
        json!({"cards": [card], "draw_from": "pile", "draw_card": "AS", "if_pickable": []})
    );
    assert_eq!(seen["plays"][1]["if_pickable"], json!(["KH", "XR"]));
    // A repetition gets the same answer, even after the match has advanced.
    assert_eq!(place(&waiter, &id, &body).await.body, placed.body);
    let read = orders(&waiter, &id).await;
    assert_eq!((&read["plays"], &read["placed_at"]), (&seen["plays"], &seen["placed_at"]));

    body["call_at_most"] = json!(4);
    assert_eq!(place(&waiter, &id, &body).await.expect(200)["call_at_most"], json!(4));
    let path = format!("/v1/matches/{id}/standing-orders");
    waiter.delete(&path).await.expect(204);
    waiter.delete(&path).await.expect(204);
    assert_eq!(orders(&waiter, &id).await["state"], "none");
    mover.delete(&path).await.expect(204);
    assert_eq!(app.count("SELECT sum(ordered)::bigint AS count FROM match_states").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn orders_that_cannot_be_are_refused() {
    let app = TestApp::start().await;
    let (mover, waiter, id) = two(&app, json!({"preset": "yaniv"})).await;
    let view = waiter.view(&id).await;
    let version = view["version"].as_i64().unwrap();
    let good = first_card(&view);
    place(&mover, &id, &first_card(&mover.view(&id).await)).await.expect_problem(409, "already_your_turn");
    let mut stale = good.clone();
    stale["expected_version"] = json!(version - 1);
    let conflict = place(&waiter, &id, &stale).await.expect_problem(409, "version_conflict");
    assert_eq!(conflict["match"]["version"], json!(version));
    let hand: Vec<&str> =
        view["hand"]["cards"].as_array().unwrap().iter().map(|card| card.as_str().unwrap()).collect();
    let missing = ["2C", "3C", "4C", "5C", "6C", "7C"].into_iter().find(|card| !hand.contains(card)).unwrap();
    let throw = |cards: &[&str]| json!({"plays": [{"cards": cards, "draw_from": "stock"}]});
    for (status, code, change) in [
        (422, "invalid_body", json!({})),
        (422, "invalid_body", json!({"call_at_most": -1})),
        (422, "invalid_body", json!({"give_from": 101})),
        (422, "invalid_body", json!({"slam_down": "if_fits"})),
        (422, "invalid_body", json!({"plays": [{"cards": [hand[0]], "draw_from": "pile"}]})),
        (
            422,
            "invalid_body",
            json!({"plays": [{"cards": [hand[0]], "draw_from": "stock", "draw_card": "AS"}]}),
        ),
        (422, "invalid_body", throw(&[])),
        (422, "invalid_body", json!({"plays": vec![json!({"cards": [hand[0]], "draw_from": "stock"}); 9]})),
        (422, "card_not_in_hand", throw(&[missing])),
        (422, "card_not_in_hand", throw(&[hand[0], hand[0]])),
        (422, "not_a_meld", throw(&hand)),
        (422, "call_over_limit", json!({"call_at_most": 6})),
        (422, "not_allowed_by_rules", json!({"give_from": 5})),
        (422, "not_allowed_by_rules", json!({"challenge_at_most": 5})),
        (422, "not_allowed_by_rules", json!({"swap_from": 5})),
    ] {
        let mut body = json!({"expected_version": version});
        for (name, value) in change.as_object().unwrap() {
            body[name] = value.clone();
        }
        place(&waiter, &id, &body).await.expect_problem(status, code);
    }
    let mut wish = good.clone();
    wish["slam_down"] = json!("if_fits");
    place(&waiter, &id, &wish).await.expect_problem(422, "not_allowed_by_rules");
    assert_eq!(orders(&waiter, &id).await["state"], "none");

    let waiting = waiter.create(&json!({"size": 2})).await.expect(201);
    let body = json!({"expected_version": 1, "call_at_most": 5});
    place(&waiter, waiting["match_id"].as_str().unwrap(), &body)
        .await
        .expect_problem(409, "match_not_started");
    let resigning = json!({"expected_version": version});
    mover.act(&id, "resignations", &resigning).await.expect(200);
    place(&waiter, &id, &good).await.expect_problem(409, "match_over");
}

/// All answers to the other player are the same with and without orders, byte for byte.
#[tokio::test(flavor = "multi_thread")]
async fn orders_are_invisible_to_others() {
    let app = TestApp::start().await;
    let (mover, waiter, id) = two(&app, json!({"preset": "yaniv"})).await;
    let paths = ["", "?since=1", "/log", "/rounds", "/record", "/fairness", "/standing-orders"]
        .map(|end| format!("/v1/matches/{id}{end}"));
    let paths: Vec<String> = paths.into_iter().chain(["/v1/matches".to_owned()]).collect();
    let look = async || {
        let mut seen = Vec::new();
        for path in &paths {
            let answer = mover.get(path).await;
            let mut body = answer.expect(200);
            body.as_object_mut().unwrap().remove("server_time");
            seen.push((answer.header("etag").map(str::to_owned), body));
        }
        seen
    };
    let stale = json!({"expected_version": 1, "cards": ["AS"], "draw_from": "stock"});
    let refusal = async || mover.act(&id, "plays", &stale).await.expect_problem(409, "version_conflict");
    let before = (look().await, refusal().await);
    place(&waiter, &id, &first_card(&waiter.view(&id).await)).await.expect(200);
    assert_eq!(orders(&waiter, &id).await["state"], "waiting");
    assert_eq!((look().await, refusal().await), before);
    let stranger = app.player("stranger").await;
    stranger.get(&format!("/v1/matches/{id}/standing-orders")).await.expect_problem(404, "match_not_found");
}

/// Waits until the orders of a player have ended.
async fn ended(player: &Player, id: &str) -> Value {
    until("the orders are carried out", async || orders(player, id).await["state"] != "waiting").await;
    orders(player, id).await
}

/// Discards the last card of the hand, and draws from the stock.
async fn play_last_card(player: &Player, id: &str) -> Value {
    let view = player.view(id).await;
    let card = view["hand"]["cards"].as_array().unwrap().last().unwrap().clone();
    let body = json!({"expected_version": view["version"], "cards": [card], "draw_from": "stock"});
    player.act(id, "plays", &body).await.expect(200)
}

#[tokio::test(flavor = "multi_thread")]
async fn orders_are_carried_out_once_when_it_becomes_their_turn() {
    let app = TestApp::start().await;
    let (mover, waiter, id) = two(&app, json!({"preset": "yaniv"})).await;
    let view = waiter.view(&id).await;
    place(&waiter, &id, &first_card(&view)).await.expect(200);
    let played = play_last_card(&mover, &id).await;
    let done = ended(&waiter, &id).await;
    let after = played["version"].as_i64().unwrap() + 1;
    assert_eq!((&done["state"], &done["ended_version"]), (&json!("carried_out"), &json!(after)));
    for player in [&mover, &waiter] {
        let log = player.get(&format!("/v1/matches/{id}/log?after={}", after - 1)).await.expect(200);
        let entry = &log["items"][0];
        assert_eq!((&entry["version"], &entry["automatic"]), (&json!(after), &json!("standing_order")));
        assert_eq!(entry["play"]["cards"], json!([view["hand"]["cards"][0]]));
        assert_eq!(entry["play"]["draw_card"].is_string(), player.name == waiter.name, "{entry}");
    }
    // For one turn only.
    play_last_card(&mover, &id).await;
    tokio::time::sleep(std::time::Duration::from_millis(700)).await;
    let now = waiter.view(&id).await;
    assert_eq!((&now["version"], &now["your_turn"]), (&json!(after + 1), &json!(true)));
    assert_eq!(orders(&waiter, &id).await["ended_version"], json!(after));
    assert_eq!(app.count("SELECT sum(ordered)::bigint AS count FROM match_states").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_is_made_by_order() {
    let app = TestApp::start().await;
    let (mover, waiter, id) = two(&app, json!({"call_limit": 200, "max_rounds": 1})).await;
    let view = waiter.view(&id).await;
    place(&waiter, &id, &json!({"expected_version": view["version"], "call_at_most": 200})).await.expect(200);
    play_last_card(&mover, &id).await;
    assert_eq!(ended(&waiter, &id).await["state"], "carried_out");
    let over = waiter.view(&id).await;
    let log = mover.get(&format!("/v1/matches/{id}/log?after={}", view["version"])).await.expect(200);
    assert_eq!(
        (&log["items"][1]["type"], &log["items"][1]["automatic"]),
        (&json!("call"), &json!("standing_order"))
    );
    assert!(over["scores"].as_array().is_some_and(|rounds| rounds.len() == 1), "{over}");
}

#[tokio::test(flavor = "multi_thread")]
async fn void_orders_leave_the_turn_to_the_player_and_say_why() {
    let app = TestApp::start().await;
    let (mover, waiter, id) = two(&app, json!({"preset": "yaniv"})).await;
    let view = waiter.view(&id).await;
    let hand: Vec<&str> =
        view["hand"]["cards"].as_array().unwrap().iter().map(|card| card.as_str().unwrap()).collect();
    // A card of the own hand is never in the pile.
    let play = json!({"cards": [hand[0]], "draw_from": "pile", "draw_card": hand[1]});
    place(&waiter, &id, &json!({"expected_version": view["version"], "plays": [play]})).await.expect(200);
    let played = play_last_card(&mover, &id).await;
    let void = ended(&waiter, &id).await;
    assert_eq!((&void["state"], &void["reason"]), (&json!("void"), &json!("nothing_fits")));
    let now = waiter.view(&id).await;
    assert_eq!((&now["version"], &now["your_turn"]), (&played["version"], &json!(true)));
    assert_eq!(mover.get(&format!("/v1/matches/{id}/standing-orders")).await.expect(200)["state"], "none");

    // Another round is dealt before their turn.
    play_last_card(&waiter, &id).await;
    let (mover, waiter, id) = two_of(&app, [&mover, &waiter], json!({"call_limit": 200})).await;
    place(&waiter, &id, &first_card(&waiter.view(&id).await)).await.expect(200);
    let version = mover.view(&id).await["version"].clone();
    mover.act(&id, "calls", &json!({"expected_version": version})).await.expect(200);
    // Void at once, whoever begins.
    let void = orders(&waiter, &id).await;
    assert_eq!((&void["state"], &void["reason"]), (&json!("void"), &json!("round_over")));
}

/// A write between an action and the order that follows, here of a calendar, must not make the order be lost.
#[tokio::test(flavor = "multi_thread")]
async fn orders_of_many_matches_are_carried_out_by_two_instances_once_each() {
    let app = TestApp::start().await;
    let second = app.second().await;
    let players = app.players(2).await;
    let mut matches = Vec::new();
    for number in 0..20 {
        let (mover, waiter, id) = two_of(&app, [&players[0], &players[1]], json!({"preset": "yaniv"})).await;
        let (mover, waiter) =
            if number % 2 == 0 { (mover, waiter.at(second)) } else { (mover.at(second), waiter) };
        place(&waiter, &id, &first_card(&waiter.view(&id).await)).await.expect(200);
        matches.push((mover, waiter, id));
    }
    let playing = async {
        for (mover, _, id) in &matches {
            play_last_card(mover, id).await;
        }
    };
    let changing = async {
        for hour in 10..20 {
            let hours = json!({"from_time": format!("{hour}:00"), "to_time": "20:00", "time_zone": "UTC"});
            players[0].put_json("/v1/account/quiet-hours", &hours).await.expect(200);
        }
    };
    futures_util::join!(playing, changing);
    for (mover, waiter, id) in &matches {
        assert_eq!(ended(waiter, id).await["state"], "carried_out");
        assert_eq!(mover.view(id).await["your_turn"], true);
        let log = mover.get(&format!("/v1/matches/{id}/log")).await.expect(200);
        let kinds = log["items"].as_array().unwrap().iter().filter(|entry| entry["type"] == "play");
        let automatic: Vec<bool> = kinds.map(|entry| entry["automatic"] == "standing_order").collect();
        assert_eq!(automatic, [false, true], "one each: {log}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn orders_are_deleted_with_their_owner() {
    let app = TestApp::start().await;
    let (_, waiter, id) = two(&app, json!({"preset": "yaniv"})).await;
    place(&waiter, &id, &first_card(&waiter.view(&id).await)).await.expect(200);
    let exported = waiter.get("/v1/account/export").await.expect(200);
    assert_eq!(exported["matches"][0]["standing_orders"]["state"], "waiting");
    waiter.post("/v1/account/delete", None, &json!({"password": PASSWORD})).await.expect(202);
    let left = "SELECT count(*) FROM standing_orders";
    until("nothing is left of them", async || app.count(left).await == 0).await;
}
