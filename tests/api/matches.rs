//! Complete matches over HTTP: random legal actions chosen from the views alone; the engine replays the record of each,
//! and every card agrees.

use serde_json::{Value, json};
use yaniv_engine::{Record, verify};

use crate::support::strategy::{Random, aside, choose, random_rules};
use crate::support::{Player, TestApp, checks_all, id, settings_of, version};

/// Plays until the match is over, checking every answer; returns the last view.
pub(crate) async fn play_to_the_end(players: &[Player], started: &Value, random: &mut Random) -> Value {
    let match_id = id(started).to_owned();
    let mut last = started.clone();
    for _ in 0..20_000 {
        if last["status"] == "finished" {
            return last;
        }
        if random.below(4) == 0
            && let Some(after) = play_aside(players, &match_id, random).await
        {
            last = after;
            continue;
        }
        let seat = random.pick(&last["table"]["to_act"]).as_i64().unwrap();
        let player = find(players, &last, seat);
        let view = player.view(&match_id).await;
        assert_eq!(view["your_turn"], true);
        assert_eq!(view["your_seat"], seat);
        check_view(&view);
        let (kind, body) = choose(&view, random);
        let after = player.act(&match_id, kind, &body).await.expect(200);
        check_entry(&view, kind, &body, &after);
        last = after;
    }
    panic!("the match does not end");
}

/// Plays an optional action, such as a slam-down, if one is possible.
async fn play_aside(players: &[Player], match_id: &str, random: &mut Random) -> Option<Value> {
    let player = &players[random.below(players.len())];
    let view = player.view(match_id).await;
    let (kind, body) = aside(&view, random)?;
    let after = player.act(match_id, kind, &body).await.expect(200);
    check_entry(&view, kind, &body, &after);
    Some(after)
}

fn find<'a>(players: &'a [Player], view: &Value, seat: i64) -> &'a Player {
    let seats = view["seats"].as_array().unwrap();
    let name = seats.iter().find(|one| one["seat"] == seat).unwrap()["username"].as_str().unwrap();
    players.iter().find(|player| player.name == name).unwrap()
}

fn check_view(view: &Value) {
    let seat = usize::try_from(view["your_seat"].as_i64().unwrap()).unwrap();
    let held = view["hand"]["cards"].as_array().unwrap().len();
    assert_eq!(view["seats"][seat]["card_count"], held);
    assert!(view["legal"].is_object(), "who has to act has something to do: {view}");
    assert_eq!(view["status"], "running");
    let sum = |name: &str| view["table"][name].as_u64().unwrap();
    let hands: u64 =
        view["seats"].as_array().unwrap().iter().map(|one| one["card_count"].as_u64().unwrap()).sum();
    let pile = u64::try_from(view["table"]["pile"].as_array().unwrap().len()).unwrap();
    let rules = &settings_of(view)["rules"];
    let pack = 13 * rules["suits"].as_u64().unwrap() + rules["jokers"].as_u64().unwrap();
    assert_eq!(
        (sum("stock_count") + sum("buried_count") + hands + pile) % pack,
        0,
        "cards are conserved: {view}"
    );
}

fn check_entry(before: &Value, kind: &str, body: &Value, after: &Value) {
    let entries = after["recent"].as_array().unwrap();
    let entry = &entries[0];
    let made = i64::try_from(entries.len()).unwrap();
    assert_eq!(version(after), version(before) + made, "{after}");
    assert!(
        made == 1 || (made == 2 && body.get("slam_down").is_some() && entries[1]["type"] == "slam"),
        "{after}"
    );
    assert_eq!(entries.last().unwrap()["version"], after["version"]);
    assert_eq!(entry["seat"], before["your_seat"]);
    let types = match kind {
        "plays" => vec!["play"],
        "calls" => vec!["call"],
        "slam-downs" => vec!["slam"],
        "card-requests" => vec!["ask"],
        "passes" => vec!["pass"],
        "call-answers" => vec!["expose", "challenge"],
        "swap-answers" => vec!["swap", "stay"],
        "card-request-answers" => vec!["give", "keep"],
        other => panic!("{other}"),
    };
    assert!(types.contains(&entry["type"].as_str().unwrap()), "{entry}");
    if kind == "plays" {
        assert_eq!(entry["play"]["cards"], body["cards"]);
        let same_round = before["table"]["round"] == after["table"]["round"] && after["status"] == "running";
        if body["draw_from"] != "nothing" && made == 1 && same_round {
            let hand = after["hand"]["cards"].as_array().unwrap();
            assert!(hand.contains(&entry["play"]["draw_card"]), "the card drawn is in hand: {after}");
        }
    }
    if kind == "calls" {
        let outcome = entry["call"]["outcome"].as_str().unwrap();
        let ends = ["revealed", "penalty", "out_of_turn"].contains(&outcome);
        assert!(!ends || entry["ended_round"] == true, "{entry}");
        assert!(!ends || after["last_round"]["result"]["caller"] == before["your_seat"], "{after}");
    }
    let over = after["scores"].as_array().unwrap().len() - before["scores"].as_array().unwrap().len();
    let ended = entries.iter().filter(|entry| entry["ended_round"] == true).count();
    assert_eq!(over, ended);
}

async fn complete(preset: &str, extra: Value, seats: std::ops::RangeInclusive<usize>) {
    let app = TestApp::start().await;
    let all = app.players(*seats.end()).await;
    // What breaks breaks with the fewest or the most players.
    let ends = [*seats.start(), *seats.end()];
    for count in seats.filter(|count| checks_all() || ends.contains(count)) {
        let mut rules = extra.clone();
        rules["preset"] = json!(preset);
        let players = &all[..count];
        let started = app.started(players, rules).await;
        let mut random = Random(u64::try_from(count).unwrap() * 1_000 + u64::try_from(preset.len()).unwrap());
        let last = play_to_the_end(players, &started, &mut random).await;
        check_end(players, &last).await;
    }
}

async fn check_end(players: &[Player], last: &Value) {
    let match_id = id(last);
    assert_eq!(last["status"], "finished");
    let ranking = last["result"]["ranking"].as_array().unwrap();
    assert_eq!(ranking.len(), players.len());
    let mut records = Vec::new();
    for player in players {
        let record: Record = serde_json::from_value(player.record(match_id).await).unwrap();
        verify(&record).unwrap_or_else(|fault| panic!("{fault:?}"));
        let fairness = player.get(&format!("/v1/matches/{match_id}/fairness")).await.expect(200);
        assert_eq!(record.commitment.to_hex(), fairness["commitment"].as_str().unwrap());
        records.push(serde_json::to_value(&record).unwrap());
    }
    assert!(records.windows(2).all(|pair| pair[0] == pair[1]), "everybody gets the same record in the end");
    check_scores(last, &records[0]);
    let refused = players[0].act(match_id, "calls", &json!({"expected_version": version(last)})).await;
    refused.expect_problem(409, "match_over");
}

fn check_scores(last: &Value, record: &Value) {
    let rounds = record["rounds"].as_array().unwrap();
    assert_eq!(rounds.len(), last["scores"].as_array().unwrap().len());
    for (round, score) in rounds.iter().zip(last["scores"].as_array().unwrap()) {
        if round.get("result").is_none() {
            assert_eq!(score["scores"], json!([]), "an unscored round");
            continue;
        }
        assert_eq!(round["result"]["scores"], score["scores"]);
        assert_eq!(round["result"]["totals"], score["totals"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn yaniv_is_played_to_the_end() {
    complete("yaniv", json!({}), 2..=5).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn yaniv_as_wikipedia_has_it_is_played_to_the_end() {
    complete("yaniv_wikipedia", json!({}), 2..=5).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn jhyap_is_played_to_the_end() {
    complete("jhyap", json!({}), 2..=5).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dhumbal_is_played_to_the_end() {
    complete("dhumbal", json!({}), 2..=5).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dhumbal_with_jokers_is_played_to_the_end() {
    complete("dhumbal_jokers", json!({}), 2..=5).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn speedy_is_played_to_the_end() {
    complete("speedy", json!({}), 2..=4).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn kluft_is_played_to_the_end() {
    complete("kluft", json!({}), 2..=5).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_way_to_go_on_after_a_call_is_played_to_the_end() {
    for rules in [
        json!({"response": "final_turn", "slam_down": "any", "card_requests": true}),
        json!({"over_limit": "swap", "call_limit": 8, "slam_down": "stock"}),
        json!({"over_limit": "draw_three", "card_requests": true}),
        json!({"over_limit": "ignore", "slam_down": "stock_sets"}),
        json!({"over_limit": "eliminate", "response": "challenge"}),
        json!({"over_limit": "penalty", "out_of_turn": "penalty"}),
    ] {
        let mut rules = rules;
        rules["max_rounds"] = json!(3);
        complete("yaniv", rules, 4..=4).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn random_rule_sets_are_played_to_the_end_by_two_to_eight() {
    let app = TestApp::start().await;
    let all = app.players(8).await;
    let mut random = Random(20_261_121);
    let mut played = 0;
    while played < if checks_all() { 14 } else { 7 } {
        let players = &all[..2 + played % 7];
        let body =
            json!({"size": players.len(), "rules": random_rules(&mut random), "client_seed": "seed-0"});
        let created = players[0].create(&body).await;
        if created.status == 422 {
            created.expect_problem(422, "bad_rules");
            continue;
        }
        let created = created.expect(201);
        for (seat, player) in players.iter().enumerate().skip(1) {
            player.join(created["join_code"].as_str().unwrap(), &format!("seed-{seat}")).await.expect(201);
        }
        let started = players[0].start(id(&created)).await.expect(200);
        let last = play_to_the_end(players, &started, &mut random).await;
        check_end(players, &last).await;
        played += 1;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn options_change_what_is_played() {
    let rules = json!({
        "call_limit_off": true, "min_turns": 1, "pickup": "any", "jokers_in_sets": true, "ace_high": true,
        "bonus": {"every": 3, "points": 20}, "wrong_call_others": "above_caller", "extra_penalty": 5,
        "end": "first_elimination", "elimination": 60, "direction": "counterclockwise", "hand_size": 7,
    });
    complete("yaniv", rules, 3..=4).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_short_match_ends_after_its_rounds() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let started = app.started(&players, json!({"max_rounds": 3})).await;
    let last = play_to_the_end(&players, &started, &mut Random(7)).await;
    assert!(last["scores"].as_array().unwrap().len() >= 3);
    check_end(&players, &last).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_resigns_is_out_and_the_last_one_wins() {
    let app = TestApp::start().await;
    let players = app.players(3).await;
    let started = app.started(&players, json!({})).await;
    let match_id = id(&started);
    // The third player may resign at any time, even out of turn.
    let view = players[2]
        .act(match_id, "resignations", &json!({"expected_version": version(&started)}))
        .await
        .expect(200);
    assert_eq!(view["seats"][2]["out"], true);
    for seen in [&view, &players[2].view(match_id).await] {
        assert_eq!(seen.get("hand"), None, "who is out has no hand");
    }
    assert_eq!(view["status"], "running");
    let again = players[2].act(match_id, "resignations", &json!({"expected_version": version(&view)})).await;
    again.expect_problem(409, "seat_out");
    let last = players[0]
        .act(match_id, "resignations", &json!({"expected_version": version(&view)}))
        .await
        .expect(200);
    assert_eq!(last["status"], "finished");
    assert_eq!(last["result"], json!({"winner": 1, "ranking": [2, 1, 3]}));
    let record: Record = serde_json::from_value(players[1].record(match_id).await).unwrap();
    verify(&record).unwrap_or_else(|fault| panic!("{fault:?}"));
}
