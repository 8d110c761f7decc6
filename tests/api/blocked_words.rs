//! Blocked players do not reach the player who blocked them: dedications are hidden, nudges do not arrive. They are not
//! informed.

use std::process::Command;

use serde_json::{Value, json};

use crate::clocks::{pass, sandbox};
use crate::notices::{until_status, webhook};
use crate::support::player::new_key;
use crate::support::receiver::Receiver;
use crate::support::strategy::{Random, choose};
use crate::support::{Player, TestApp, id};

/// The seat in a field of the table.
fn seat(number: &Value) -> usize {
    usize::try_from(number.as_u64().unwrap()).unwrap()
}

/// A dedication as a player sees it: in the view, the round, and the record.
async fn seen(player: &Player, match_id: &str) -> [Value; 3] {
    let round = player.get(&format!("/v1/matches/{match_id}/rounds/1")).await.expect(200);
    let record = player.record(match_id).await;
    let view = player.view(match_id).await;
    [&view["table"]["dedication"], &round["dedication"], &record["rounds"][0]["gift"]]
        .map(|words| words["text"].clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dedication_does_not_show_to_who_has_blocked_the_dealer() {
    let app = TestApp::start().await;
    let second = app.second().await;
    let players = app.players(3).await;
    let started = app.started(&players, json!({})).await;
    let match_id = id(&started);
    let dealer = seat(&started["table"]["dealer"]);
    let mover = seat(&started["table"]["to_act"][0]);
    assert_ne!(dealer, mover);
    let third = (0..3).find(|seat| *seat != dealer && *seat != mover).unwrap();
    let path = format!("/v1/matches/{match_id}/dedications");
    players[dealer].post(&path, None, &json!({"text": "with love"})).await.expect(204);
    let [shown, hidden] = [json!("with love"), Value::Null].map(|text| [text.clone(), text.clone(), text]);
    // A repeated answer from before the block is rendered with the block, as for names.
    let mut view = players[mover].view(match_id).await;
    view["legal"]["call"] = json!(false);
    let (kind, body) = choose(&view, &mut Random(1));
    let key = new_key();
    let first = players[mover].act_with(match_id, kind, &key, &body).await.expect(200);
    assert_eq!(first["table"]["dedication"]["text"], "with love");
    let elsewhere = players[mover].at(second);
    assert_eq!(seen(&elsewhere, match_id).await, shown);
    let one = format!("/v1/matches/{match_id}");
    let tag = elsewhere.get(&one).await.header("etag").unwrap().to_owned();

    let block = format!("/v1/blocks/{}", players[dealer].name);
    players[mover].put(&block).await.expect(204);
    for blocker in [&players[mover], &elsewhere] {
        assert_eq!(seen(blocker, match_id).await, hidden);
    }
    assert_ne!(elsewhere.get(&one).await.header("etag").unwrap(), tag);
    let again = players[mover].act_with(match_id, kind, &key, &body).await.expect(200);
    assert!(again["table"].get("dedication").is_none());
    for other in [dealer, third] {
        assert_eq!(seen(&players[other], match_id).await, shown, "nobody else is told of the block");
    }
    players[mover].delete(&block).await.expect(204);
    for blocker in [&players[mover], &elsewhere] {
        assert_eq!(seen(blocker, match_id).await, shown);
    }
    // In the other direction nothing is hidden: that would reveal the block.
    players[dealer].put(&format!("/v1/blocks/{}", players[mover].name)).await.expect(204);
    assert_eq!(seen(&players[mover], match_id).await, shown);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_answer_of_the_next_action_does_not_show_it_either() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let started = app.started(&players, json!({})).await;
    let [dealer, mover] = [&started["table"]["dealer"], &started["table"]["to_act"][0]].map(seat);
    let path = format!("/v1/matches/{}/dedications", id(&started));
    players[dealer].post(&path, None, &json!({"text": "with love"})).await.expect(204);
    // The instance has the match in memory, with the dedication.
    let mut view = players[mover].view(id(&started)).await;
    assert_eq!(view["table"]["dedication"]["text"], "with love");
    players[mover].put(&format!("/v1/blocks/{}", players[dealer].name)).await.expect(204);
    view["legal"]["call"] = json!(false);
    let (kind, body) = choose(&view, &mut Random(1));
    let after = players[mover].act(id(&started), kind, &body).await.expect(200);
    assert!(after["table"].get("dedication").is_none(), "{after}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_nudge_does_not_arrive_at_who_has_blocked_the_player_and_is_answered_alike() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let receiver = Receiver::start().await;
    let mut answers = Vec::new();
    for blocked in [false, true] {
        let started = sandbox(&players, json!({})).await;
        let (match_id, mover) = (id(&started), seat(&started["table"]["to_act"][0]));
        let (mover, other) = (&players[mover], &players[1 - mover]);
        let of = |path: &'static str| json!({"kinds": ["nudged"], "name": path});
        let hook = webhook(mover, &receiver, if blocked { "/blocked" } else { "/free" }, of("hook")).await;
        if blocked {
            mover.put(&format!("/v1/blocks/{}", other.name)).await.expect(204);
        }
        pass(other, match_id, 3600).await;
        let nudge =
            other.post(&format!("/v1/matches/{match_id}/nudges"), None, &Value::Null).await.expect(200);
        answers.push((
            nudge["recent"][0]["type"].clone(),
            nudge["recent"][0]["nudged"].clone(),
            mover.name.clone(),
        ));
        if blocked {
            let test =
                mover.post(&format!("/v1/channels/{}/test", id(&hook["channel"])), None, &Value::Null).await;
            test.expect(202);
        }
        until_status(mover, &hook["channel"], "delivered").await;
    }
    for (kind, nudged, _) in &answers {
        assert_eq!((kind, nudged.as_array().unwrap().len()), (&json!("nudged"), 1));
    }
    let kinds =
        |path: &str| receiver.at(path).iter().map(|posted| posted.json()["type"].clone()).collect::<Vec<_>>();
    assert!(kinds("/free").contains(&json!("nudged")));
    assert_eq!(kinds("/blocked"), [json!("test")]);
}

#[tokio::test(flavor = "multi_thread")]
async fn free_text_has_no_invisible_characters() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let started = app.started(&players, json!({})).await;
    let dealer = &players[seat(&started["table"]["dealer"])];
    let path = format!("/v1/matches/{}/dedications", id(&started));
    for text in
        ["a\u{202e}b", "a\u{200b}b", "a\u{a0}b", " a", "a ", "a  b", "\u{e000}", "\u{3164}", "e\u{301}"]
    {
        let gift = dealer.post(&path, None, &json!({"text": text})).await;
        assert_eq!(gift.expect_problem(422, "invalid_body")["fields"][0]["name"], "text");
        let token = json!({"name": text, "scopes": ["read"], "expires_in_days": 1});
        dealer.post("/v1/tokens", None, &token).await.expect_problem(422, "invalid_body");
        let hook = json!({"url": "https://hooks.example/", "format": "standard", "name": text});
        dealer.post("/v1/webhook-channels", None, &hook).await.expect_problem(422, "invalid_body");
        let session =
            json!({"username": dealer.name, "password": crate::support::player::PASSWORD, "device": text});
        dealer.post("/v1/sessions", None, &session).await.expect_problem(422, "invalid_body");
    }
    dealer.post(&path, None, &json!({"text": "für dich, עדה 🎁"})).await.expect(204);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_administrator_removes_a_dedication_from_a_service_that_runs() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let started = app.started(&players, json!({})).await;
    let (match_id, dealer) = (id(&started), seat(&started["table"]["dealer"]));
    let path = format!("/v1/matches/{match_id}/dedications");
    players[dealer].post(&path, None, &json!({"text": "with hate"})).await.expect(204);
    for player in &players {
        assert_eq!(seen(player, match_id).await[0], "with hate");
    }
    let url = app.database.url().to_owned();
    let admin = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_yaniv"));
        command.arg("admin").args(arguments).args(["--json", "--reason", "insults"]);
        command.env_remove("DATABASE_URL_FILE").env("DATABASE_URL", &url).output().unwrap()
    };
    let removed = admin(&["matches", "remove-dedication", match_id, "1"]);
    assert!(removed.status.success(), "{}", String::from_utf8_lossy(&removed.stderr));
    for player in &players {
        assert_eq!(seen(player, match_id).await, [Value::Null, Value::Null, Value::Null]);
    }
    players[dealer].post(&path, None, &json!({"text": "again"})).await.expect_problem(409, "wrong_phase");
    assert!(
        !admin(&["matches", "remove-dedication", match_id, "1"]).status.success(),
        "there is none any more"
    );
    let audit: Value = serde_json::from_slice(&admin(&["audit"]).stdout).unwrap();
    let entries = audit["items"].as_array().unwrap();
    let entry = entries.iter().find(|entry| entry["action"] == "matches.remove-dedication").unwrap();
    assert_eq!((&entry["subject_id"], &entry["reason"]), (&json!(match_id), &json!("insults")));
}
