//! Deadlines and timeouts: shown, kept, missed; bots in the seats of absent players; nudges. The time is that of
//! sandboxes, which their players move.

use serde_json::{Value, json};
use yaniv_engine::{Record, verify};

use crate::support::player::new_key;
use crate::support::strategy::{Random, choose};
use crate::support::{Player, TestApp, id, settings_of, until, version};

const HOUR: i64 = 3600;

/// A started sandbox of these players.
pub(crate) async fn sandbox(players: &[Player], time_control: Value) -> Value {
    let body = json!({"size": players.len(), "sandbox": true, "time_control": time_control});
    let created = players[0].create(&body).await.expect(201);
    for player in &players[1..] {
        player.join(created["join_code"].as_str().unwrap(), "").await.expect(201);
    }
    players[0].start(id(&created)).await.expect(200)
}

/// Moves the time by this many seconds.
pub(crate) async fn pass(player: &Player, match_id: &str, seconds: i64) -> Value {
    let path = format!("/v1/matches/{match_id}/clock-advances");
    player.post(&path, None, &json!({"seconds": seconds})).await.expect(200)
}

/// The player to act, and their view.
pub(crate) async fn mover<'a>(players: &'a [Player], match_id: &str) -> (&'a Player, Value) {
    let view = players[0].view(match_id).await;
    let seat = usize::try_from(view["table"]["to_act"][0].as_u64().unwrap()).unwrap();
    (&players[seat], players[seat].view(match_id).await)
}

fn seconds_between(earlier: &Value, later: &Value) -> i64 {
    let time = |value: &Value| value.as_str().unwrap().parse::<chrono::DateTime<chrono::Utc>>().unwrap();
    (time(later) - time(earlier)).num_seconds()
}

fn own_seat(view: &Value) -> &Value {
    &view["seats"][usize::try_from(view["your_seat"].as_u64().unwrap()).unwrap()]
}

async fn log(player: &Player, match_id: &str) -> Vec<Value> {
    let page = player.get(&format!("/v1/matches/{match_id}/log?limit=100")).await.expect(200);
    page["items"].as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_shows_who_has_to_act_and_until_when() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let started = app.started(&players, json!({})).await;
    let match_id = id(&started);
    let time_control = &players[0].settings(match_id).await["time_control"];
    assert_eq!(time_control["clock"], "bank");
    assert_eq!(time_control["then"], "bot");
    let (player, view) = mover(&players, match_id).await;
    let own = own_seat(&view);
    assert_eq!(own["bank_seconds"], 72 * HOUR);
    assert_eq!(own["waiting_since"], started["server_time"]);
    assert_eq!(seconds_between(&own["waiting_since"], &own["deadline"]), 72 * HOUR);
    let other = &view["seats"][1 - usize::try_from(own["seat"].as_u64().unwrap()).unwrap()];
    assert!(other.get("deadline").is_none() && other.get("waiting_since").is_none(), "{other}");
    let list = player.get("/v1/matches").await.expect(200);
    assert_eq!(list["items"][0]["your_deadline"], own["deadline"]);

    let mut view = view;
    view["legal"]["call"] = json!(false);
    let (kind, body) = choose(&view, &mut Random(3));
    let after = player.act(match_id, kind, &body).await.expect(200);
    let own = own_seat(&after);
    assert!(own.get("deadline").is_none(), "{own}");
    // The turn took some seconds, or minutes on a stalled machine.
    let bank = own["bank_seconds"].as_i64().unwrap();
    assert!((84 * HOUR - 300..=84 * HOUR).contains(&bank), "{bank}");
    let changes = player.get(&format!("/v1/matches/{match_id}/clock-changes")).await.expect(200);
    let reasons: Vec<&str> =
        changes["items"].as_array().unwrap().iter().map(|line| line["reason"].as_str().unwrap()).collect();
    assert_eq!(reasons, ["turn_began", "turn_used", "gain", "turn_began"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_creator_chooses_the_time_control_within_bounds() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let time_control =
        json!({"clock": "turn", "turn_seconds": 86_400, "vacation": false, "misses": 1, "then": "out"});
    let created = ada.create(&json!({"size": 2, "time_control": time_control})).await.expect(201);
    let expected = json!({"clock": "turn", "turn_seconds": 86_400, "vacation": false, "quiet_hours": true, "misses": 1, "then": "out"});
    assert_eq!(settings_of(&created)["time_control"], expected);
    // It can be sent back as it is.
    let same = ada.create(&json!({"size": 2, "time_control": expected})).await.expect(201);
    assert_eq!(same["settings_tag"], created["settings_tag"]);
    let bob = app.player("bob").await;
    let code = created["join_code"].as_str().unwrap();
    let seen = bob.get(&format!("/v1/join-codes/{code}")).await.expect(200);
    assert_eq!(seen["settings"]["time_control"], expected, "it is seen before joining");
    for (time_control, field) in [
        (json!({"clock": "turn", "turn_seconds": 59}), "time_control.turn_seconds"),
        (json!({"turn_seconds": 600}), "time_control.turn_seconds"),
        (json!({"bank_seconds": 2_592_001}), "time_control.bank_seconds"),
        (json!({"bank_seconds": 600, "cap_seconds": 500}), "time_control.cap_seconds"),
        (json!({"clock": "hourglass"}), "time_control.clock"),
        (json!({"misses": 11}), "time_control.misses"),
        (json!({"then": "nothing"}), "time_control.then"),
    ] {
        let refused = ada
            .create(&json!({"size": 2, "time_control": time_control}))
            .await
            .expect_problem(422, "invalid_body");
        assert_eq!(refused["fields"][0]["name"], field, "{refused}");
    }
    let asked = json!({"size": 2, "time_control": {"clock": "none"}});
    ada.request_pairing(None, &asked).await.expect(201);
    let other = bob.request_pairing(None, &json!({"size": 2})).await.expect(201);
    assert_eq!(other["status"], "waiting", "another time control is another wish");
    let paired = bob.request_pairing(None, &asked).await.expect(201);
    assert_eq!(paired["status"], "paired");
    let settings = bob.settings(paired["match_id"].as_str().unwrap()).await;
    assert_eq!(settings["time_control"]["clock"], "none");
    let again = json!({"size": 2, "time_control": settings["time_control"]});
    ada.create(&again).await.expect(201);
}

/// The lists of another player have the seat of this one as held by a bot.
async fn lists_show_the_bot(other: &Player, match_id: &str, name: &str) {
    for (path, lists) in
        [("/v1/matches?status=running", ["items", "items"]), ("/v1/home", ["turns", "waiting"])]
    {
        let listed = other.get(path).await.expect(200);
        let mut listed = lists.into_iter().flat_map(|list| listed[list].as_array().unwrap().clone());
        let seats = listed.find(|item| item["match_id"] == *match_id).unwrap()["seats"].clone();
        let held = |seat: &&Value| seat["held_by_bot"] == true;
        assert_eq!(seats.as_array().unwrap().iter().find(held).unwrap()["username"], *name);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_lets_the_deadline_pass_has_a_safe_turn_played_and_then_a_bot_in_the_seat() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let time_control = json!({"clock": "turn", "turn_seconds": 3600, "misses": 2});
    let started = sandbox(&players, time_control.clone()).await;
    let match_id = id(&started);
    let (late, view) = mover(&players, match_id).await;
    let name = late.name.clone();

    pass(late, match_id, HOUR - 600).await;
    // Another match, with a missed deadline: once it is handled, the scheduler has run.
    let other = sandbox(&players, time_control).await;
    pass(late, id(&other), HOUR + 3).await;
    until("a safe turn elsewhere", async || version(&late.view(id(&other)).await) > version(&other) + 1)
        .await;
    assert_eq!(version(&late.view(match_id).await), version(&view) + 1, "nobody is late yet");
    pass(late, match_id, 603).await;
    until("a safe turn", async || {
        log(late, match_id).await.iter().any(|entry| entry["automatic"] == "absent")
    })
    .await;
    let entry = log(late, match_id).await.pop().unwrap();
    assert_eq!((&entry["type"], &entry["username"]), (&json!("play"), &json!(name)));
    assert_eq!(entry["play"]["draw_from"], "stock");
    assert_eq!(own_seat(&late.view(match_id).await)["missed_turns"], 1);
    // This action is too late, and the answer says so.
    let (kind, body) = choose(&view, &mut Random(5));
    let refused = late.act(match_id, kind, &body).await.expect_problem(409, "version_conflict");
    assert!(refused["match"].get("your_turn").is_none());

    let (other, mut view) = mover(&players, match_id).await;
    assert_ne!(other.name, name);
    view["legal"]["call"] = json!(false);
    let (kind, body) = choose(&view, &mut Random(5));
    other.act(match_id, kind, &body).await.expect(200);
    pass(other, match_id, HOUR + 3).await;
    until("a bot", async || log(late, match_id).await.iter().any(|entry| entry["automatic"] == "bot")).await;
    let types: Vec<String> = log(other, match_id)
        .await
        .iter()
        .map(|entry| entry["type"].as_str().unwrap().to_owned())
        .filter(|kind| kind.starts_with("seat_"))
        .collect();
    assert_eq!(types, ["seat_held"]);
    let view = late.view(match_id).await;
    assert_eq!(own_seat(&view)["held_by_bot"], true);
    assert!(view.get("your_turn").is_none());
    lists_show_the_bot(other, match_id, &name).await;
    let (kind, body) = ("passes", json!({"expected_version": version(&view)}));
    late.act(match_id, kind, &body).await.expect_problem(409, "seat_held");

    let path = format!("/v1/matches/{match_id}/take-seat-back");
    let key = new_key();
    let back = late.post(&path, Some(&key), &Value::Null).await;
    assert!(!back.expect(200)["seats"].to_string().contains("held_by_bot"), "{}", back.body);
    assert_eq!(late.post(&path, Some(&key), &Value::Null).await.body, back.body);
    late.post(&path, None, &Value::Null).await.expect_problem(409, "seat_not_held");
    let record = late.record(match_id).await;
    assert_marked_as_in_the_log(&record, &log(late, match_id).await);
    verify(&serde_json::from_value::<Record>(record).unwrap()).unwrap();
}

/// The record marks automatic actions as the log does; among them are a safe turn and a bot's.
fn assert_marked_as_in_the_log(record: &Value, log: &[Value]) {
    let rounds = record["rounds"].as_array().unwrap().iter();
    let actions = rounds.flat_map(|round| round["actions"].as_array().unwrap());
    let recorded: Vec<Option<&Value>> = actions.map(|action| action.get("automatic")).collect();
    let kinds = ["play", "call", "slam", "pass"];
    let acted = log.iter().filter(|entry| kinds.contains(&entry["type"].as_str().unwrap()));
    let logged: Vec<Option<&Value>> = acted.map(|entry| entry.get("automatic")).collect();
    assert_eq!(recorded, logged);
    for expected in [None, Some(&json!("absent")), Some(&json!("bot"))] {
        assert!(recorded.contains(&expected), "{expected:?} {recorded:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn where_the_match_says_so_who_misses_a_deadline_is_out() {
    let app = TestApp::start().await;
    let players = app.players(3).await;
    let time_control = json!({"clock": "turn", "turn_seconds": 60, "misses": 1, "then": "out"});
    let started = sandbox(&players, time_control).await;
    let match_id = id(&started);
    pass(&players[0], match_id, 63).await;
    until("one is out", async || {
        let view = players[0].view(match_id).await;
        view["seats"].as_array().unwrap().iter().any(|seat| seat["out"] == true)
    })
    .await;
    let entries = log(&players[0], match_id).await;
    let resigned = entries.iter().find(|entry| entry["type"] == "resign").unwrap();
    assert_eq!(resigned["automatic"], "absent");
    pass(&players[0], match_id, 63).await;
    until("it is over", async || players[0].view(match_id).await["status"] == "finished").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_waited_for_too_long_is_reminded_once_in_a_while() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let started = sandbox(&players, json!({})).await;
    let match_id = id(&started);
    let (mover, view) = mover(&players, match_id).await;
    let other = players.iter().find(|player| player.name != mover.name).unwrap();
    let path = format!("/v1/matches/{match_id}/nudges");
    other.post(&path, None, &Value::Null).await.expect_problem(409, "too_early_to_nudge");
    pass(other, match_id, HOUR).await;
    mover.post(&path, None, &Value::Null).await.expect_problem(409, "too_early_to_nudge");
    let nudged = other.post(&path, None, &Value::Null).await.expect(200);
    let entry = &nudged["recent"][0];
    assert_eq!(entry["type"], "nudged");
    assert_eq!(entry["nudged"], json!([view["your_seat"]]));
    other.post(&path, None, &Value::Null).await.expect_problem(409, "too_early_to_nudge");
    pass(other, match_id, 12 * HOUR).await;
    other.post(&path, None, &Value::Null).await.expect(200);
    // The player saw the match before all that: the action is valid at that version.
    let mut view = view;
    view["legal"]["call"] = json!(false);
    let (kind, body) = choose(&view, &mut Random(3));
    mover.act(match_id, kind, &body).await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_answers_a_request_for_a_card_has_no_more_time_for_it() {
    let app = TestApp::start().await;
    let players = app.players(3).await;
    let body = json!({"size": 3, "sandbox": true, "rules": {"card_requests": true},
        "time_control": {"clock": "turn", "turn_seconds": 72 * HOUR, "misses": 5}});
    let created = players[0].create(&body).await.expect(201);
    for player in &players[1..] {
        player.join(created["join_code"].as_str().unwrap(), "").await.expect(201);
    }
    let started = players[0].start(id(&created)).await.expect(200);
    let match_id = id(&started);
    let (asked, view) = mover(&players, match_id).await;
    let asker = players.iter().find(|player| player.name != asked.name).unwrap();
    let deadline = own_seat(&view)["deadline"].clone();
    let card = asker.view(match_id).await["legal"]["ask"][0].clone();
    let ask = json!({"expected_version": version(&started), "card": card});
    let asking = asker.act(match_id, "card-requests", &ask).await.expect(200);
    pass(asked, match_id, 71 * HOUR).await;
    let answer = json!({"expected_version": version(&asking) + 1, "answer": "keep"});
    let answered = asked.act(match_id, "card-request-answers", &answer).await.expect(200);
    assert_eq!(own_seat(&answered)["deadline"], deadline);
    // Nor does a player who lets it pass miss two deadlines.
    pass(asked, match_id, 2 * HOUR).await;
    until("a safe turn is played", async || {
        log(asked, match_id).await.iter().any(|entry| entry["automatic"] == "absent")
    })
    .await;
    let ledger = asker.get(&format!("/v1/matches/{match_id}/clock-changes")).await.expect(200);
    let missed = |line: &&Value| line["reason"] == "turn_missed";
    assert_eq!(ledger["items"].as_array().unwrap().iter().filter(missed).count(), 1, "{ledger}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_countdown_is_the_same_in_a_sandbox_and_in_the_list_of_turns() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let started = sandbox(&players, json!({})).await;
    pass(&players[0], id(&started), 20 * HOUR).await;
    let (mover, view) = mover(&players, id(&started)).await;
    let in_match = seconds_between(&view["server_time"], &own_seat(&view)["deadline"]);
    let turns = mover.get("/v1/turns").await.expect(200);
    let in_list = seconds_between(&turns["server_time"], &turns["items"][0]["deadline"]);
    assert!((in_match - in_list).abs() <= 120, "{in_match} and {in_list}");
    assert!((in_match - 52 * HOUR).abs() <= 120, "{in_match}");
}

#[tokio::test(flavor = "multi_thread")]
async fn bots_among_themselves_keep_no_deadline_waiting() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let rules = json!({"call_limit": 0, "elimination": 1000, "wrong_call_penalty": 0});
    let bots: Vec<&str> = vec!["easy"; 7];
    for _ in 0..6 {
        let created = players[0].create(&json!({"size": 8, "rules": rules, "bots": bots})).await.expect(201);
        let started = players[0].start(id(&created)).await.expect(200);
        // Between bots that play.
        players[0].resign(id(&started)).await;
    }
    let started = sandbox(&players, json!({"clock": "turn", "turn_seconds": 24 * HOUR})).await;
    pass(&players[0], id(&started), 25 * HOUR).await;
    let missed = async || {
        let log = log(&players[0], id(&started)).await;
        log.iter().any(|entry| entry["automatic"] == "absent")
    };
    until("somebody looks after the deadline", missed).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_seed_gives_a_sandbox_the_same_cards() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let seed = "5f".repeat(32);
    let mut hands = Vec::new();
    for _ in 0..2 {
        let body = json!({"size": 2, "sandbox": true, "sandbox_seed": seed});
        let created = players[0].create(&body).await.expect(201);
        players[1].join(created["join_code"].as_str().unwrap(), "").await.expect(201);
        let started = players[0].start(id(&created)).await.expect(200);
        hands.push(started["hand"].clone());
        let record = players[0].record(id(&started)).await;
        assert_eq!(record["match_id"], "sandbox");
    }
    assert_eq!(hands[0], hands[1]);
    let with_seed = json!({"size": 2, "sandbox_seed": seed});
    players[0].create(&with_seed).await.expect_problem(422, "invalid_body");
    let public = json!({"size": 2, "sandbox": true, "visibility": "public"});
    players[0].create(&public).await.expect_problem(422, "invalid_body");
    let usual = app.started(&players, json!({})).await;
    let path = format!("/v1/matches/{}/clock-advances", id(&usual));
    players[0].post(&path, None, &json!({"seconds": 60})).await.expect_problem(409, "not_a_sandbox");
    let app = TestApp::start_with(|options| options.sandboxes = false).await;
    let ada = app.player("ada").await;
    ada.create(&json!({"size": 2, "sandbox": true})).await.expect_problem(403, "sandboxes_off");
}
