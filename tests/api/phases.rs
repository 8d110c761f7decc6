//! Special phases of some rule sets: dedications, slam-downs in one request, answers in any order.

use futures_util::future::join_all;
use serde_json::{Value, json};
use yaniv_engine::{Record, verify};

use crate::support::player::new_key;
use crate::support::strategy::{Random, choose};
use crate::support::{Player, TestApp, id, settings_of, version};

async fn mover<'a>(players: &'a [Player], match_id: &str) -> (&'a Player, Value) {
    let view = players[0].view(match_id).await;
    let seat = usize::try_from(view["table"]["to_act"][0].as_u64().unwrap()).unwrap();
    (&players[seat], players[seat].view(match_id).await)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_dealer_dedicates_the_turned_up_card_once_before_the_first_action() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let started = app.started(&players, json!({})).await;
    let match_id = id(&started);
    let path = format!("/v1/matches/{match_id}/dedications");
    let dealer = usize::try_from(started["table"]["dealer"].as_u64().unwrap()).unwrap();
    let words = json!({"text": "für deine Geduld 🎁"});
    players[1 - dealer].post(&path, None, &words).await.expect_problem(409, "not_your_turn");
    for text in ["", "a\nb", &*"x".repeat(141)] {
        players[dealer].post(&path, None, &json!({"text": text})).await.expect_problem(422, "invalid_body");
    }
    players[dealer].post(&path, None, &words).await.expect(204);
    players[dealer].post(&path, None, &words).await.expect(204);
    players[dealer].post(&path, None, &json!({"text": "again"})).await.expect_problem(409, "wrong_phase");
    let view = players[1 - dealer].view(match_id).await;
    assert_eq!(view["table"]["dedication"], json!({"seat": dealer, "text": words["text"]}));
    assert_eq!(view["version"], started["version"]);

    let (player, mut view) = mover(&players, match_id).await;
    // A call would end the round, and with it the dedication.
    view["legal"]["call"] = json!(false);
    let mut view = view;
    view["legal"]["call"] = json!(false);
    let (kind, body) = choose(&view, &mut Random(3));
    let key = new_key();
    let played = player.act_with(match_id, kind, &key, &body).await;
    played.expect(200);
    assert_eq!(played.body, player.act_with(match_id, kind, &key, &body).await.body);
    players[dealer].post(&path, None, &json!({"text": "late"})).await.expect_problem(409, "wrong_phase");
    let record = player.record(match_id).await;
    assert_eq!(record["rounds"][0]["gift"]["text"], words["text"]);
    verify(&serde_json::from_value::<Record>(record).unwrap()).unwrap();
}

/// The repeated answer to the start does not contain the later dedication.
#[tokio::test(flavor = "multi_thread")]
async fn a_dedication_does_not_change_answers_that_were_given_before_it() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let created = players[0].create(&json!({"size": 2})).await.expect(201);
    players[1].join(created["join_code"].as_str().unwrap(), "").await.expect(201);
    let (start, key) = (format!("/v1/matches/{}/start", id(&created)), new_key());
    let first = players[0].post(&start, Some(&key), &Value::Null).await;
    let dealer = usize::try_from(first.expect(200)["table"]["dealer"].as_u64().unwrap()).unwrap();
    let gifts = format!("/v1/matches/{}/dedications", id(&created));
    players[dealer].post(&gifts, None, &json!({"text": "for you"})).await.expect(204);
    assert_eq!(players[0].post(&start, Some(&key), &Value::Null).await.body, first.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_play_with_the_wish_to_slam_down_is_one_request_with_two_entries() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let mut slammed = 0;
    let mut random = Random(17);
    while slammed < 3 {
        let rules = json!({"slam_down": "any", "call_limit": 0, "pickup": "any"});
        let started = app.started(&players, rules).await;
        let match_id = id(&started);
        for _ in 0..40 {
            let (player, view) = mover(&players, match_id).await;
            let (kind, mut body) = choose(&view, &mut random);
            if kind != "plays" {
                break;
            }
            body["slam_down"] = json!("if_fits");
            let key = new_key();
            let answer = player.act_with(match_id, kind, &key, &body).await;
            let after = answer.expect(200);
            let entries = after["recent"].as_array().unwrap();
            assert_eq!(version(&after), version(&view) + i64::try_from(entries.len()).unwrap());
            if entries.len() == 2 {
                slammed += 1;
                assert_eq!(entries[0]["type"], "play");
                assert_eq!(entries[1]["type"], "slam");
                let pile = after["table"]["pile"].as_array().unwrap();
                assert!(pile.contains(&entries[1]["slam"]["card"]));
                let again = player.act_with(match_id, kind, &key, &body).await;
                assert_eq!(again.body, answer.body);
                assert_eq!(again.header("idempotency-replayed"), Some("true"));
            } else {
                assert!(after["legal"].get("slam_card").is_none(), "what fits was slammed down: {after}");
            }
        }
        let record = players[0].record(match_id).await;
        verify(&serde_json::from_value::<Record>(record).unwrap()).unwrap();
    }
}

/// Concurrent answers to a call, all at the version of the call.
#[tokio::test(flavor = "multi_thread")]
async fn answers_to_a_call_overtake_each_other_without_a_conflict() {
    let app = TestApp::start().await;
    let players = app.players(5).await;
    let mut answered = 0;
    for seed in 0..20 {
        let rules = json!({"preset": "kluft", "call_limit_off": true, "max_rounds": 1});
        let started = app.started(&players, rules).await;
        let (caller, view) = mover(&players, id(&started)).await;
        let call = json!({"expected_version": version(&view)});
        let called = caller.act(id(&started), "calls", &call).await.expect(200);
        assert_eq!(called["table"]["phase"], "challenge");
        let to_act = called["table"]["to_act"].as_array().unwrap().clone();
        let seen = version(&called);
        let answers = join_all(to_act.iter().map(|seat| {
            let player = &players[usize::try_from(seat.as_u64().unwrap()).unwrap()];
            let said = if (seat.as_u64().unwrap() + seed) % 3 == 0 { "challenge" } else { "expose" };
            let body = json!({"expected_version": seen, "answer": said});
            let match_id = id(&started).to_owned();
            async move { player.act(&match_id, "call-answers", &body).await }
        }))
        .await;
        for answer in &answers {
            answer.expect(200);
            answered += 1;
        }
        let over = players[0].view(id(&started)).await;
        assert_eq!(version(&over), seen + 4);
        assert_eq!(over["scores"].as_array().unwrap().len(), 1);
        // The same answer to another question is stale.
        let late = json!({"expected_version": seen, "answer": "expose"});
        assert_eq!(players[0].act(id(&started), "call-answers", &late).await.status, 409);
    }
    assert_eq!(answered, 80);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_form_of_a_new_match_can_be_built_from_presets_and_options() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let presets = ada.get("/v1/rule-presets").await.expect(200);
    let names: Vec<&str> =
        presets["items"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["yaniv", "yaniv_wikipedia", "jhyap", "dhumbal", "dhumbal_jokers", "kluft", "speedy"]);
    for preset in presets["items"].as_array().unwrap() {
        let created = ada.create(&json!({"size": 2, "rules": {"preset": preset["name"]}})).await.expect(201);
        assert_eq!(settings_of(&created)["rules"], preset["rules"]);
    }
    let options = ada.get("/v1/rule-options").await.expect(200);
    for option in options["items"].as_array().unwrap() {
        let name = option["name"].as_str().unwrap();
        assert!(option["description"].as_str().unwrap().len() > 10, "{option}");
        if option["kind"] == "integer" {
            for (bound, step) in [("minimum", -1), ("maximum", 1)] {
                let beyond = option[bound].as_i64().unwrap() + step;
                let answer = ada.create(&json!({"size": 2, "rules": {name: beyond}})).await;
                let problem = answer.expect_problem(422, "bad_rules");
                assert!(
                    problem["fields"][0]["name"].as_str().unwrap().starts_with(&format!("rules.{name}")),
                    "{problem}"
                );
            }
        }
        for choice in option["choices"].as_array().unwrap() {
            let created = ada.create(&json!({"size": 2, "rules": {name: choice}})).await.expect(201);
            // Few may wait at a time.
            ada.leave(id(&created)).await.expect(204);
        }
        if option["kind"] == "choice" {
            let answer = ada.create(&json!({"size": 2, "rules": {name: "no_such_value"}})).await;
            assert_eq!(answer.expect_problem(422, "bad_rules")["fields"][0]["name"], format!("rules.{name}"));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_seeds_of_rounds_that_are_over_prove_the_commitment() {
    use sha2::{Digest, Sha256};

    let app = TestApp::start().await;
    let players = app.players(2).await;
    let started = app.started(&players, json!({"max_rounds": 3})).await;
    let match_id = id(&started);
    let path = format!("/v1/matches/{match_id}/fairness");
    let mut random = Random(5);
    loop {
        let fairness = players[0].get(&path).await.expect(200);
        let view = players[0].view(match_id).await;
        let rounds = fairness["rounds"].as_array().unwrap();
        assert_eq!(rounds.len(), view["scores"].as_array().unwrap().len(), "no more than is over");
        let mut before = hex(fairness["commitment"].as_str().unwrap());
        for round in rounds {
            let seed = hex(round["seed"].as_str().unwrap());
            assert_eq!(Sha256::digest(&seed).to_vec(), before);
            before = seed;
        }
        if view["status"] == "finished" {
            break;
        }
        let (player, view) = mover(&players, match_id).await;
        let (kind, body) = choose(&view, &mut random);
        player.act(match_id, kind, &body).await.expect(200);
    }
}

fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_out_of_turn_costs_thirty_where_the_rules_punish_it() {
    let app = TestApp::start().await;
    let players = app.players(3).await;
    for (rule, status) in [("reject", 409), ("penalty", 200)] {
        let started = app.started(&players, json!({"out_of_turn": rule})).await;
        let seat = usize::try_from(started["table"]["to_act"][0].as_u64().unwrap()).unwrap();
        let other = (seat + 1) % 3;
        let call = json!({"expected_version": version(&started)});
        let answer = players[other].act(id(&started), "calls", &call).await;
        if status == 409 {
            answer.expect_problem(409, "not_your_turn");
            continue;
        }
        let after = answer.expect(200);
        assert_eq!(after["recent"][0]["call"]["outcome"], "out_of_turn");
        let mut scores = [0, 0, 0];
        scores[other] = 30;
        assert_eq!(after["last_round"]["result"]["scores"], json!(scores));
        assert_eq!(after["last_round"]["result"]["call_right"], false);
        assert_eq!(after["table"]["round"], 2);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_wrong_word_costs_what_the_rules_say() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let rules = json!({"call_limit_off": true, "call_words": ["yan", "yaniv"], "word_penalty": 30});
    let started = app.started(&players, rules).await;
    let (player, view) = mover(&players, id(&started)).await;
    let call = |word: &str| json!({"expected_version": version(&view), "word": word});
    player.act(id(&started), "calls", &call("jhyap")).await.expect_problem(422, "unknown_word");
    let after = player.act(id(&started), "calls", &call("yaniv")).await.expect(200);
    let result = &after["last_round"]["result"];
    let caller = usize::try_from(result["caller"].as_u64().unwrap()).unwrap();
    let points = |seat: usize| result["points"][seat].as_i64().unwrap();
    let right = points(caller) < points(1 - caller);
    assert_eq!(result["call_right"], right);
    let expected = if right { 30 } else { points(caller) + 30 + 30 };
    assert_eq!(result["scores"][caller].as_i64().unwrap(), expected);
    assert_eq!(after["recent"][0]["call"]["word"], "yaniv");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_over_the_limit_has_the_consequence_that_the_rules_name() {
    let app = TestApp::start().await;
    let players = app.players(3).await;
    for (rule, outcome) in [
        ("penalty", "penalty"),
        ("eliminate", "eliminated"),
        ("draw_three", "drew_three"),
        ("swap", "swap_offered"),
        ("ignore", "ignored"),
    ] {
        let started = app.started(&players, json!({"over_limit": rule, "call_limit": 0})).await;
        let (player, view) = mover(&players, id(&started)).await;
        assert_eq!(view["legal"]["call"], true, "{rule}");
        let before = view["hand"]["cards"].as_array().unwrap().len();
        let call = json!({"expected_version": version(&view)});
        let after = player.act(id(&started), "calls", &call).await.expect(200);
        let entry = &after["recent"][0]["call"];
        assert_eq!(entry["outcome"], outcome);
        let seat = usize::try_from(view["your_seat"].as_u64().unwrap()).unwrap();
        match rule {
            "penalty" => assert_eq!(after["table"]["round"], 2),
            "eliminate" => assert_eq!(after["seats"][seat]["out"], true),
            "draw_three" => {
                assert_eq!(entry["drew"].as_array().unwrap().len(), 3);
                assert_eq!(after["hand"]["cards"].as_array().unwrap().len(), before + 3);
                let other = players[(seat + 1) % 3].get(&format!("/v1/matches/{}/log", id(&started))).await;
                let log = other.expect(200);
                let seen = log["items"].as_array().unwrap().last().unwrap();
                assert!(seen["call"].get("drew").is_none(), "others do not see what was drawn");
            }
            "swap" => swap(&players, &after, seat).await,
            _ => assert_eq!(after["table"]["phase"], "must_play"),
        }
        if ["draw_three", "ignore"].contains(&rule) {
            assert!(after["legal"].get("call").is_none());
            let again = json!({"expected_version": version(&after)});
            player.act(id(&started), "calls", &again).await.expect_problem(409, "already_called");
        }
    }
}

/// One player stays, the other exchanges hands with the caller.
async fn swap(players: &[Player], called: &Value, caller: usize) {
    let match_id = id(called);
    assert_eq!(called["table"]["phase"], "swap");
    let (stays, swaps) = ((caller + 1) % 3, (caller + 2) % 3);
    let hand = |view: &Value| view["hand"]["cards"].clone();
    let theirs = hand(&players[swaps].view(match_id).await);
    for (seat, said) in [(stays, "stay"), (swaps, "swap")] {
        let body = json!({"expected_version": version(called), "answer": said});
        players[seat].act(match_id, "swap-answers", &body).await.expect(200);
    }
    assert_eq!(hand(&players[caller].view(match_id).await), theirs);
    assert_eq!(hand(&players[swaps].view(match_id).await), hand(called));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_asked_for_is_given_or_kept() {
    let app = TestApp::start().await;
    let players = app.players(3).await;
    for answer in ["give", "keep"] {
        let started = app.started(&players, json!({"card_requests": true})).await;
        let match_id = id(&started);
        let seat = usize::try_from(started["table"]["to_act"][0].as_u64().unwrap()).unwrap();
        let asker = (seat + 1) % 3;
        let card = players[asker].view(match_id).await["legal"]["ask"][0].clone();
        assert_eq!(card, started["table"]["pile"][0]);
        let ask = json!({"expected_version": version(&started), "card": card});
        let asked = players[asker].act(match_id, "card-requests", &ask).await.expect(200);
        assert_eq!(asked["table"]["phase"], "request");
        assert_eq!((&asked["table"]["asker"], &asked["table"]["asked_card"]), (&json!(asker), &card));
        assert_eq!(players[seat].view(match_id).await["legal"]["answer_card_request"], true);
        let body = json!({"expected_version": version(&asked), "answer": answer});
        players[seat].act(match_id, "card-request-answers", &body).await.expect(200);
        let taker = if answer == "give" { asker } else { seat };
        let hand = players[taker].view(match_id).await["hand"]["cards"].clone();
        assert!(hand.as_array().unwrap().contains(&card));
        assert_eq!(hand.as_array().unwrap().len(), 6);
        assert_eq!(players[seat].view(match_id).await["table"]["to_act"], json!([seat]), "the turn goes on");
    }
}

/// 20,000 actions over HTTP take too long: stores the position as if all but one of them were played. The number of
/// actions is the eighth byte, while it is below 128.
const ONE_ACTION_LEFT: &str = "UPDATE match_states SET state = \
     substring(state FROM 1 FOR 7) || '\\x9f9c01'::bytea || substring(state FROM 9)";

#[tokio::test(flavor = "multi_thread")]
async fn the_last_action_that_a_match_can_have_ends_it_unscored() {
    let app = TestApp::start().await;
    let players = app.players(3).await;
    let started = app.started(&players, json!({})).await;
    let match_id = id(&started);
    assert_eq!(app.changed(ONE_ACTION_LEFT).await, 1);
    // Another instance, which has not cached it.
    let second = app.second().await;
    let players: Vec<Player> = players.iter().map(|player| player.at(second)).collect();
    let (player, view) = mover(&players, match_id).await;
    assert_eq!(view["status"], "running");
    let mut view = view;
    view["legal"]["call"] = json!(false);
    let (kind, body) = choose(&view, &mut Random(3));
    let over = player.act(match_id, kind, &body).await.expect(200);
    assert_eq!((&over["status"], &over["table"]["to_act"]), (&json!("finished"), &json!([])));
    assert!(over["result"].get("winner").is_none(), "all have the same total: {}", over["result"]);
    assert_eq!(over["result"]["ranking"], json!([1, 1, 1]));
    let rounds = player.get(&format!("/v1/matches/{match_id}/rounds")).await.expect(200);
    assert_eq!(rounds["items"].as_array().unwrap().len(), 1);
    assert!(rounds["items"][0].get("caller").is_none(), "it was not scored: {rounds}");
    let more = json!({"expected_version": version(&over)});
    player.act(match_id, "resignations", &more).await.expect_problem(409, "match_over");
}
