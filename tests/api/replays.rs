//! Replay of a round, step by step; its analysis; and the recap of events since a version.

use serde_json::{Value, json};

use crate::support::strategy::{Random, choose, weight};
use crate::support::{Player, TestApp, id, version};

/// A match with the same cards each time: the length of a round depends on them.
async fn dealt(app: &TestApp, players: &[Player], rules: Value) -> Value {
    let body = json!({
        "size": players.len(),
        "rules": rules,
        "client_seed": "seed-0",
        "sandbox": true,
        "sandbox_seed": "8a".repeat(32),
    });
    app.started_by(players, &body).await
}

/// Plays until this many rounds are over; returns the match.
async fn play_rounds(players: &[Player], started: &Value, rounds: u64, seed: u64) -> Value {
    let mut random = Random(seed);
    let mut view = started.clone();
    while view["status"] == "running" && view["table"]["round"].as_u64().unwrap() <= rounds {
        view = step(players, &view, &mut random).await;
    }
    view
}

/// One action of the seat to act.
async fn step(players: &[Player], view: &Value, random: &mut Random) -> Value {
    let seat = usize::try_from(view["table"]["to_act"][0].as_u64().unwrap()).unwrap();
    let own = players[seat].view(id(view)).await;
    let (kind, body) = choose(&own, random);
    players[seat].act(id(view), kind, &body).await.expect(200)
}

/// A play of the seat to act, without a call.
async fn quiet_play(players: &[Player], view: &Value, random: &mut Random) -> Value {
    let seat = usize::try_from(view["table"]["to_act"][0].as_u64().unwrap()).unwrap();
    let mut own = players[seat].view(id(view)).await;
    own["legal"]["call"] = json!(false);
    let (kind, mut body) = choose(&own, random);
    body.as_object_mut().unwrap().remove("slam_down");
    players[seat].act(id(view), kind, &body).await.expect(200)
}

async fn round_of(player: &Player, view: &Value, round: u64) -> Value {
    player.get(&format!("/v1/matches/{}/rounds/{round}", id(view))).await.expect(200)
}

/// The pages of a round, joined.
async fn pages_of(player: &Player, view: &Value, round: u64, limit: usize) -> (Value, usize) {
    let path = format!("/v1/matches/{}/rounds/{round}?limit={limit}", id(view));
    let mut whole = player.get(&path).await.expect(200);
    let mut pages = 1;
    while let Some(cursor) = whole.as_object_mut().unwrap().remove("next_cursor") {
        let page = player.get(&format!("{path}&cursor={}", cursor.as_str().unwrap())).await.expect(200);
        let steps = page["steps"].as_array().unwrap();
        assert!((1..=limit).contains(&steps.len()), "{}", steps.len());
        whole["steps"].as_array_mut().unwrap().extend(steps.iter().cloned());
        assert_eq!(page["dealt"], whole["dealt"]);
        if let Some(cursor) = page.get("next_cursor") {
            whole["next_cursor"] = cursor.clone();
        }
        pages += 1;
    }
    (whole, pages)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_round_comes_in_pages() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let started = dealt(&app, &players, json!({"max_rounds": 3})).await;
    let view = play_rounds(&players, &started, 2, 3).await;
    for round in [1, 2] {
        let mut whole = round_of(&players[0], &view, round).await;
        let steps = whole["steps"].as_array().unwrap().len();
        assert!(steps <= 50 && whole.get("next_cursor").is_none());
        for limit in [1, 2, steps, steps + 1] {
            let (mut paged, pages) = pages_of(&players[0], &view, round, limit).await;
            whole["server_time"] = paged["server_time"].take();
            paged["server_time"] = whole["server_time"].clone();
            assert_eq!(paged, whole);
            assert_eq!(pages, steps.div_ceil(limit));
        }
    }
    let path = format!("/v1/matches/{}/rounds/1", id(&view));
    for query in ["limit=0", "limit=101", "cursor=x"] {
        players[0].get(&format!("{path}?{query}")).await.expect_problem(422, "invalid_parameter");
    }
}

fn sorted(cards: &Value) -> Vec<String> {
    let mut cards: Vec<String> =
        cards.as_array().unwrap().iter().map(|card| card.as_str().unwrap().to_owned()).collect();
    cards.sort();
    cards
}

/// Derives the hands of a finished round from its steps alone.
fn follow(replay: &Value) -> Vec<Vec<String>> {
    let mut hands: Vec<Vec<String>> =
        replay["dealt"].as_array().unwrap().iter().map(|seat| sorted(&seat["cards"])).collect();
    for step in replay["steps"].as_array().unwrap() {
        let seat = usize::try_from(step["entry"]["seat"].as_u64().unwrap()).unwrap();
        let mut hand = hands[seat].clone();
        let mut throw = |card: &Value| {
            let place = hand.iter().position(|held| card == held.as_str()).unwrap();
            hand.remove(place);
        };
        match step["entry"]["type"].as_str().unwrap() {
            "play" => step["entry"]["play"]["cards"].as_array().unwrap().iter().for_each(&mut throw),
            "slam" => throw(&step["entry"]["slam"]["card"]),
            _ => {}
        }
        if let Some(card) = step["entry"]["play"]["draw_card"].as_str() {
            hand.push(card.to_owned());
        }
        hand.sort();
        if let Some(table) = step.get("table") {
            assert_eq!(sorted(&table["hand"]), hand, "{step}");
            assert_eq!(table["card_counts"][seat], hand.len(), "{step}");
            if step["entry"]["type"] == "play" {
                assert_eq!(table["pile"], step["entry"]["play"]["cards"], "{step}");
            }
        }
        hands[seat] = hand;
    }
    hands
}

#[tokio::test(flavor = "multi_thread")]
async fn a_round_that_is_over_is_replayed_with_everything_open() {
    let app = TestApp::start().await;
    let players = app.players(3).await;
    let started = dealt(&app, &players, json!({"preset": "speedy", "slam_down": "any"})).await;
    let view = play_rounds(&players, &started, 2, 3).await;
    let record = players[0].record(id(&started)).await;
    let log = players[0].get(&format!("/v1/matches/{}/log", id(&started))).await.expect(200);
    let rounds = players[0].get(&format!("/v1/matches/{}/rounds", id(&started))).await.expect(200);
    for number in 1..=2 {
        let replay = round_of(&players[0], &view, number).await;
        assert_eq!((&replay["over"], &replay["round"]), (&json!(true), &json!(number)));
        let index = usize::try_from(number - 1).unwrap();
        let recorded = &record["rounds"][index];
        for seat in 0..3 {
            assert_eq!(sorted(&replay["dealt"][seat]["cards"]), sorted(&recorded["hands"][seat]));
        }
        assert_eq!((&replay["upcard"], &replay["seed"]), (&recorded["upcard"], &recorded["seed"]));
        let entries: Vec<&Value> =
            replay["steps"].as_array().unwrap().iter().map(|step| &step["entry"]).collect();
        let of_log = log["items"].as_array().unwrap().iter().filter(|item| item["round"] == number);
        let of_log: Vec<&Value> = of_log.filter(|item| item["type"] != "started").collect();
        let shown = entries.len().min(of_log.len());
        assert_eq!(entries[..shown], of_log[..shown], "as in the log, whose first page may end before");
        let listed = &rounds["items"][index];
        for field in ["starter", "ended_at", "last_version", "result"] {
            assert_eq!(replay[field], listed[field], "{field}");
        }
        let hands = follow(&replay);
        for (seat, hand) in hands.iter().enumerate() {
            assert_eq!(&sorted(&listed["result"]["hands"][seat]), hand);
        }
        let steps = replay["steps"].as_array().unwrap();
        let (last, before) = steps.split_last().unwrap();
        assert!(last.get("table").is_none() && last["entry"]["ended_round"] == true);
        assert!(before.iter().all(|step| step["table"]["hand"].is_array()));
        let mut other = round_of(&players[2], &view, number).await;
        other["server_time"] = replay["server_time"].clone();
        assert_eq!(other, replay, "the same to everybody");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_round_in_play_is_replayed_as_far_as_its_viewer_may_know_it() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let started = dealt(&app, &players, json!({})).await;
    let mut view = play_rounds(&players, &started, 1, 11).await;
    let mut random = Random(12);
    for _ in 0..5 {
        view = quiet_play(&players, &view, &mut random).await;
    }
    let round = view["table"]["round"].as_u64().unwrap();
    assert_eq!(round, 2);
    for (seat, player) in players.iter().enumerate() {
        let own = player.view(id(&view)).await;
        let replay = round_of(player, &view, round).await;
        assert_eq!(replay["over"], false);
        for field in ["seed", "result", "ended_at", "last_version"] {
            assert!(replay.get(field).is_none(), "{field}");
        }
        assert_eq!(replay["dealt"][seat]["cards"].as_array().unwrap().len(), 5);
        assert!(replay["dealt"][1 - seat].get("cards").is_none());
        let steps = replay["steps"].as_array().unwrap();
        assert_eq!(steps.len(), 5);
        for step in steps {
            let mine = step["entry"]["seat"] == seat;
            assert_eq!(step["table"].get("hand").is_some(), mine, "{step}");
            let from_stock = step["entry"]["play"]["draw_from"] == "stock";
            assert_eq!(step["entry"]["play"].get("draw_card").is_some(), mine || !from_stock, "{step}");
        }
        // The last step leads to the current table.
        let (now, last) = (&own["table"], &steps[4]["table"]);
        for field in ["pile", "pickable", "stock_count", "buried_count", "phase", "to_act"] {
            assert_eq!(last[field], now[field], "{field}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rounds_that_there_are_not_are_told_apart_from_those_that_run() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let created = players[0].create(&json!({"size": 2})).await.expect(201);
    let path = format!("/v1/matches/{}", id(&created));
    for tail in ["/rounds/1", "/rounds/1/analysis"] {
        players[0].get(&format!("{path}{tail}")).await.expect_problem(409, "match_not_started");
    }
    let recap = players[0].get(&format!("{path}/recap")).await.expect(200);
    assert_eq!((&recap["status"], &recap["after"]), (&json!("waiting"), &json!(0)));
    players[1].join(created["join_code"].as_str().unwrap(), "").await.expect(201);
    players[0].start(id(&created)).await.expect(200);
    for round in ["0", "2", "1000", "99999999", "x", "-1"] {
        for tail in ["", "/analysis"] {
            let answer = players[0].get(&format!("{path}/rounds/{round}{tail}")).await;
            answer.expect_problem(404, "round_not_found");
        }
    }
    players[0].get(&format!("{path}/rounds/1")).await.expect(200);
    players[0].get(&format!("{path}/rounds/1/analysis")).await.expect_problem(409, "round_not_over");
    let nobodys = "/v1/matches/0193aa00-0000-7000-8000-0000000000ff/rounds/x";
    players[0].get(nobodys).await.expect_problem(404, "match_not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn each_decision_of_a_round_is_appraised_and_those_of_a_hard_bot_cost_nothing() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    // The same cards and the same plays each time.
    let body = json!({"size": 2, "bots": ["expert"], "sandbox": true, "sandbox_seed": "8a".repeat(32)});
    let created = ada.create(&body).await.expect(201);
    let mut view = ada.start(id(&created)).await.expect(200);
    // The bot plays automatically.
    while view["table"]["round"] == 1 {
        view = ada.view(id(&created)).await;
        if view["your_turn"] == true && view["table"]["round"] == 1 {
            let discards = view["legal"]["discards"].as_array().unwrap();
            let lightest = discards.iter().min_by_key(|cards| weight(cards)).unwrap();
            let body = json!({"expected_version": version(&view), "cards": lightest, "draw_from": "stock"});
            view = ada.act(id(&created), "plays", &body).await.expect(200);
        }
    }
    let path = format!("/v1/matches/{}/rounds/1", id(&created));
    let replay = ada.get(&path).await.expect(200);
    let analysis = ada.get(&format!("{path}/analysis")).await;
    let tag = analysis.header("etag").unwrap().to_owned();
    let analysis = analysis.expect(200);
    assert_eq!((&analysis["level"], &analysis["truncated"]), (&json!("expert"), &json!(false)));
    let decided = ["play", "call", "pass", "expose", "challenge"];
    let steps = replay["steps"].as_array().unwrap().iter().map(|step| &step["entry"]);
    let steps: Vec<&Value> =
        steps.filter(|entry| decided.contains(&entry["type"].as_str().unwrap())).collect();
    let decisions = analysis["decisions"].as_array().unwrap();
    assert_eq!(decisions.len(), steps.len());
    for (decision, entry) in decisions.iter().zip(&steps) {
        assert_eq!((&decision["version"], &decision["seat"]), (&entry["version"], &entry["seat"]));
        assert_eq!(decision["played"]["type"], entry["type"]);
        if entry["type"] == "play" {
            assert_eq!(decision["played"]["cards"], entry["play"]["cards"]);
        }
        let considered = decision["considered"].as_array().unwrap();
        assert_eq!(considered[0]["cost"], 0.0);
        let costs: Vec<f64> = considered.iter().map(|one| one["cost"].as_f64().unwrap()).collect();
        assert!(costs.windows(2).all(|pair| pair[0] <= pair[1]), "{costs:?}");
        if decision["seat"] == 1 {
            assert_eq!(decision["cost"], 0.0, "{decision}");
        }
    }
    let costs = decisions.iter().filter(|one| one["seat"] == 0).filter_map(|one| one["cost"].as_f64());
    assert!(costs.sum::<f64>() > 0.0, "who keeps what weighs most plays worse");
    // Of those that cost a point or more, the three dearest decided the round, and all have a reason.
    let dear = |version: &Value| {
        let decision = decisions.iter().find(|one| one["version"] == *version).unwrap();
        assert!(decision["reason"]["code"].is_string() && decision["chance_cost"].is_f64(), "{decision}");
        assert!(decision["cost_error"].as_f64().unwrap() > 0.0, "{decision}");
        assert!(decision["chance_cost_error"].as_f64().unwrap() > 0.0, "{decision}");
        decision["cost"].as_f64().unwrap()
    };
    let decisive: Vec<f64> = analysis["decisive"].as_array().unwrap().iter().map(dear).collect();
    assert!(
        (1..=3).contains(&decisive.len()) && decisive.is_sorted_by(|one, other| one >= other),
        "{decisive:?}"
    );
    let others = decisions.iter().filter_map(|one| one["cost"].as_f64()).filter(|cost| *cost > decisive[0]);
    assert_eq!(others.count(), 0, "{decisive:?}");
    let again = ada
        .request(reqwest::Method::GET, &format!("{path}/analysis"), &[("if-none-match", &tag)], None)
        .await;
    assert_eq!(again.status, 304, "the same again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recap_begins_after_what_one_did_last_and_says_what_to_do_now() {
    let app = TestApp::start().await;
    let players = app.players(3).await;
    let started = dealt(&app, &players, json!({})).await;
    let path = format!("/v1/matches/{}/recap", id(&started));
    let mut random = Random(2);
    let mut view = started.clone();
    for _ in 0..4 {
        view = quiet_play(&players, &view, &mut random).await;
    }
    // Three have played, and the first of them again: each has a different recap.
    let now = version(&view);
    let log = players[0].get(&format!("/v1/matches/{}/log", id(&started))).await.expect(200);
    let entries = log["items"].as_array().unwrap();
    for (seat, player) in players.iter().enumerate() {
        let recap = player.get(&path).await.expect(200);
        let mut own = entries.iter().filter(|entry| entry["seat"] == seat && entry["type"] == "play");
        let last = version(own.next_back().unwrap());
        let to_act = view["table"]["to_act"] == json!([seat]);
        assert_eq!((&recap["version"], &recap["after"]), (&json!(now), &json!(last)), "seat {seat}");
        let recent = recap["recent"].as_array().unwrap();
        assert_eq!(recent.len(), usize::try_from(now - last).unwrap());
        let plays: i64 =
            recap["seats"].as_array().unwrap().iter().map(|seat| seat["plays"].as_i64().unwrap()).sum();
        assert_eq!(plays, now - last);
        assert_eq!(recap["your_turn"], to_act);
        let may = recap["you_may"].as_array().unwrap();
        assert_eq!(may.contains(&json!("play")), to_act, "{may:?}");
        assert_eq!(recap["seats"][seat]["to_act"], to_act);
    }
    let view = play_rounds(&players, &view, 2, 4).await;
    let recap = players[0].get(&format!("{path}?after={now}")).await.expect(200);
    let rounds = players[0].get(&format!("/v1/matches/{}/rounds", id(&started))).await.expect(200);
    assert_eq!(recap["rounds"], rounds["items"], "both ended since");
    assert!(recap["calls"].as_array().unwrap().len() >= 2);
    assert!(recap["recent"].as_array().unwrap().len() <= 30);
    for seat in 0..3 {
        let total = &view["seats"][seat]["total"];
        let line = &recap["seats"][seat];
        assert_eq!((&line["total"], &line["scored"]), (total, total), "nothing had been scored before");
    }
    let first = rounds["items"][0]["last_version"].as_i64().unwrap();
    let later = players[0].get(&format!("{path}?after={first}")).await.expect(200);
    assert_eq!(later["rounds"], json!([rounds["items"][1]]));
    for seat in 0..3 {
        let before = rounds["items"][0]["result"]["totals"][seat].as_i64().unwrap();
        let total = view["seats"][seat]["total"].as_i64().unwrap();
        assert_eq!(later["seats"][seat]["scored"], total - before);
    }
    let nothing = players[0].get(&format!("{path}?after=1000000")).await.expect(200);
    assert_eq!((&nothing["after"], &nothing["recent"]), (&view["version"], &json!([])));
    players[0].get(&format!("{path}?after=-1")).await.expect_problem(422, "invalid_parameter");
}
