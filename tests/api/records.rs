//! Records as files: the compact form, and the stream of all records of an account.

use serde_json::{Value, json};
use yaniv_engine::{Record, verify};

use crate::support::contract::Answer;
use crate::support::strategy::{Random, choose};
use crate::support::{Player, TestApp, id};

/// Plays this many actions of a match.
async fn play(players: &[Player], match_id: &str, actions: usize) {
    let mut random = Random(7);
    for _ in 0..actions {
        let view = players[0].view(match_id).await;
        let Some(seat) = view["table"]["to_act"][0].as_u64() else { return };
        let player = &players[usize::try_from(seat).unwrap()];
        let (kind, body) = choose(&player.view(match_id).await, &mut random);
        player.act(match_id, kind, &body).await.expect(200);
    }
}

/// The records of a stream.
fn lines(answer: &Answer) -> Vec<Value> {
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(answer.body.is_empty() || answer.body.ends_with('\n'));
    answer.body.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_compact_form_says_what_the_record_says() {
    let app = TestApp::start().await;
    let players = app.players(3).await;
    let started = app.started(&players, json!({"slam_down": "any"})).await;
    let match_id = id(&started);
    play(&players, match_id, 40).await;
    for player in &players {
        let answer = player.get(&format!("/v1/matches/{match_id}/record/text")).await;
        assert_eq!(answer.status, 200);
        let file = format!("attachment; filename=\"yaniv-{match_id}.txt\"");
        assert_eq!(answer.header("content-disposition"), Some(file.as_str()));
        assert_eq!(answer.header("cache-control"), Some("private, no-cache"));
        let record = Record::from_text(&answer.body).unwrap();
        assert_eq!(serde_json::to_value(&record).unwrap(), player.record(match_id).await);
        verify(&record).unwrap();
    }
    let schema = players[0].get("/docs/record.schema.json").await.expect(200);
    let record = players[0].record(match_id).await;
    assert_eq!(yaniv_contract::check_file(&schema, &record), Ok(()));
    for file in std::fs::read_dir("crates/yaniv-engine/tests/data/records").unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "json") {
            let record: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
            assert_eq!(yaniv_contract::check_file(&schema, &record), Ok(()), "{}", path.display());
        }
    }
    let stranger = app.player("stranger").await;
    stranger.get(&format!("/v1/matches/{match_id}/record/text")).await.expect_problem(404, "match_not_found");
    let waiting = stranger.create(&json!({"size": 2})).await.expect(201);
    let path = format!("/v1/matches/{}/record/text", id(&waiting));
    stranger.get(&path).await.expect_problem(409, "match_not_started");
}

#[tokio::test(flavor = "multi_thread")]
async fn all_records_of_a_player_come_in_one_stream_which_can_be_gone_on_with() {
    let app = TestApp::start().await;
    let players = app.players(3).await;
    let ada = &players[0];
    let none = ada.get("/v1/records").await;
    assert_eq!((none.status.as_u16(), none.body.as_str()), (200, ""));
    let mut mine = Vec::new();
    for number in 0..4 {
        let started = app.started(&players[..2], json!({})).await;
        play(&players[..2], id(&started), number * 12).await;
        mine.push(id(&started).to_owned());
    }
    let over = json!({"expected_version": ada.view(&mine[1]).await["version"]});
    ada.act(&mine[1], "resignations", &over).await.expect(200);
    // It does not contain matches of others, waiting ones, or sandboxes.
    app.started(&players[1..], json!({})).await;
    ada.create(&json!({"size": 2})).await.expect(201);
    let sandbox = ada.create(&json!({"size": 2, "sandbox": true, "bots": ["easy"]})).await.expect(201);
    ada.start(id(&sandbox)).await.expect(200);

    let answer = ada.get("/v1/records").await;
    assert_eq!(answer.header("content-type"), Some("application/x-ndjson"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let file = "attachment; filename=\"yaniv-records.ndjson\"";
    assert_eq!(answer.header("content-disposition"), Some(file));
    let records = lines(&answer);
    let ids: Vec<&str> = records.iter().map(|record| record["match_id"].as_str().unwrap()).collect();
    assert_eq!(ids, mine, "oldest first");
    for (record, match_id) in records.iter().zip(&mine) {
        assert_eq!(record, &ada.record(match_id).await);
        verify(&serde_json::from_value(record.clone()).unwrap()).unwrap();
    }
    let rest = lines(&ada.get(&format!("/v1/records?after={}", mine[1])).await);
    assert_eq!(rest, records[2..]);
    assert!(lines(&ada.get(&format!("/v1/records?after={}", mine[3])).await).is_empty());
    ada.get("/v1/records?after=yesterday").await.expect_problem(422, "invalid_parameter");
    ada.get("/v1/records?before=1").await.expect_problem(422, "invalid_parameter");
    // Of a running match, each player gets what they may know.
    let theirs = lines(&players[1].get("/v1/records").await);
    let running = |records: &[Value]| records[3]["rounds"].as_array().unwrap().last().unwrap().clone();
    assert_ne!(running(&theirs)["hands"], running(&records)["hands"]);
    assert!(running(&records)["hands"][1].as_array().unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn downloads_are_limited_by_a_bucket_of_their_own() {
    let app = TestApp::start_with(|options| options.rate_limits = true).await;
    let ada = app.player("ada").await;
    for _ in 0..20 {
        lines(&ada.get("/v1/records").await);
    }
    let refused = ada.get("/v1/records").await;
    refused.expect_problem(429, "too_many_downloads");
    assert!(refused.header("ratelimit-policy").unwrap().contains("downloads"));
    ada.get("/v1/account").await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn fairness_says_what_stands_for_the_match_in_its_shuffles() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let ada = &players[0];
    let plain = app.started(&players, json!({})).await;
    let sandbox = ada.create(&json!({"size": 2, "sandbox": true, "bots": ["easy"]})).await.expect(201);
    ada.start(id(&sandbox)).await.expect(200);
    for (match_id, shuffled_as) in [(id(&plain), id(&plain)), (id(&sandbox), "sandbox")] {
        let fairness = ada.get(&format!("/v1/matches/{match_id}/fairness")).await.expect(200);
        assert_eq!(
            (&fairness["match_id"], &fairness["shuffled_as"]),
            (&json!(match_id), &json!(shuffled_as))
        );
        // The identifier that the record is verified with.
        assert_eq!(ada.record(match_id).await["match_id"], fairness["shuffled_as"]);
    }
}
