//! The log, the rounds and the record: during a round, only what a player may know, and everything after it.

use serde_json::{Value, json};
use yaniv_engine::{Record, verify};

use crate::support::strategy::{Random, choose};
use crate::support::{Player, TestApp, id};

/// Plays until a round is over and the next has run for some actions without a call, so that the match continues with
/// any cards.
async fn into_the_second_round(players: &[Player], started: &Value) -> Value {
    let mut random = Random(21);
    let mut in_second = 0;
    let mut last = started.clone();
    while in_second < 5 {
        let seat = usize::try_from(last["table"]["to_act"][0].as_u64().unwrap()).unwrap();
        let mut view = players[seat].view(id(started)).await;
        let second = last["table"]["round"] == 2;
        if second {
            view["legal"]["call"] = json!(false);
        }
        let (kind, mut body) = choose(&view, &mut random);
        if second {
            // No player may discard their last card either, after which they would have to call.
            body.as_object_mut().unwrap().remove("slam_down");
        }
        last = players[seat].act(id(started), kind, &body).await.expect(200);
        in_second += usize::from(last["table"]["round"] == 2);
    }
    last
}

/// The whole log, read in pages of this size.
async fn read_log(player: &Player, path: &str, limit: usize) -> Vec<Value> {
    let mut read = Vec::new();
    loop {
        let page = player.get(&format!("{path}?after={}&limit={limit}", read.len())).await.expect(200);
        let items = page["items"].as_array().unwrap();
        assert!(items.len() <= limit, "{}", items.len());
        read.extend(items.iter().cloned());
        if items.is_empty() {
            return read;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_shows_what_others_drew_only_when_the_round_is_over() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let started = app.started(&players, json!({})).await;
    let last = into_the_second_round(&players, &started).await;
    let path = format!("/v1/matches/{}/log", id(&started));
    for (seat, player) in players.iter().enumerate() {
        let page = player.get(&path).await.expect(200);
        assert_eq!(page["version"], last["version"]);
        let items = read_log(player, &path, 100).await;
        assert_eq!(last["version"], items.len());
        let types: Vec<&str> = items[..3].iter().map(|item| item["type"].as_str().unwrap()).collect();
        assert_eq!(types, ["joined", "joined", "started"]);
        for (index, item) in items.iter().enumerate() {
            assert_eq!(item["version"], index + 1, "no gaps");
            if item["type"] != "play" || item["play"]["draw_from"] == "nothing" {
                continue;
            }
            let shown = item["play"].get("draw_card").is_some();
            let may = item["round"] == 1 || item["seat"] == seat || item["play"]["draw_from"] == "pile";
            assert_eq!(shown, may, "{item}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_is_read_on_from_any_version() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let started = app.started(&players, json!({})).await;
    into_the_second_round(&players, &started).await;
    let path = format!("/v1/matches/{}/log", id(&started));
    let read = read_log(&players[0], &path, 7).await;
    assert_eq!(read, read_log(&players[0], &path, 100).await);
    let first = players[0].get(&path).await.expect(200);
    assert_eq!(first["items"], json!(read[..read.len().min(100)]));
    let since =
        players[0].get(&format!("/v1/matches/{}?since={}", id(&started), read.len() - 2)).await.expect(200);
    let mut last = json!(read[read.len() - 2..]);
    for entry in last.as_array_mut().unwrap() {
        let entry = entry.as_object_mut().unwrap();
        entry.retain(|name, _| !["at", "username"].contains(&name.as_str()));
        if entry["round"] == since["table"]["round"] {
            entry.remove("round");
        }
    }
    assert_eq!(since["recent"], last, "without what the match has");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_record_of_a_running_match_keeps_the_running_round_closed() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let started = app.started(&players, json!({})).await;
    into_the_second_round(&players, &started).await;
    for (seat, player) in players.iter().enumerate() {
        let record = player.record(id(&started)).await;
        assert!(record["rounds"][0]["seed"].is_string());
        let running = &record["rounds"][1];
        assert!(
            running.get("seed").is_none()
                && running.get("result").is_none()
                && record.get("result").is_none()
        );
        assert_eq!(running["hands"][1 - seat], json!([]));
        assert_eq!(running["hands"][seat].as_array().unwrap().len(), 5);
        for action in running["actions"].as_array().unwrap() {
            assert!(action["seat"] == seat || action.get("drew").is_none(), "{action}");
        }
        let parsed: Record = serde_json::from_value(record.clone()).unwrap();
        verify(&parsed).unwrap_or_else(|fault| panic!("{fault:?}"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_altered_record_is_refused() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let started = app.started(&players, json!({})).await;
    into_the_second_round(&players, &started).await;
    let record = players[0].record(id(&started)).await;
    for pointer in ["/rounds/0/result/scores/0", "/rounds/0/result/points/1", "/rounds/0/starter"] {
        let mut altered = record.clone();
        let number = altered.pointer(pointer).unwrap().as_i64().unwrap();
        *altered.pointer_mut(pointer).unwrap() = json!(1 - number);
        let altered: Record = serde_json::from_value(altered).unwrap();
        assert!(verify(&altered).is_err(), "{pointer}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rounds_that_are_over_are_open() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let started = app.started(&players, json!({})).await;
    let path = format!("/v1/matches/{}/rounds", id(&started));
    let none = players[0].get(&path).await.expect(200);
    assert_eq!(none["items"], json!([]));
    into_the_second_round(&players, &started).await;
    let rounds = players[0].get(&path).await.expect(200);
    let round = &rounds["items"][0];
    assert_eq!(round["round"], 1);
    assert_eq!(round["result"]["hands"].as_array().unwrap().len(), 2);
    let since = round["last_version"].as_i64().unwrap() - 1;
    let view = players[1].get(&format!("/v1/matches/{}?since={since}", id(&started))).await.expect(200);
    assert_eq!(round, &view["last_round"]);
}
