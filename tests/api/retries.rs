//! Retries: a repeated request gets the same answer and is done once.

use serde_json::{Value, json};

use crate::support::player::new_key;
use crate::support::strategy::{Random, choose};
use crate::support::{Player, TestApp, id, until, version};

fn same(first: &crate::support::Answer, again: &crate::support::Answer) {
    assert_eq!(first.status, again.status, "{}", again.body);
    assert_eq!(first.body, again.body);
    assert_eq!(first.header("location"), again.header("location"));
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(first.header("idempotency-replayed"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_action_of_a_match_is_answered_the_same_again_at_once_later_and_elsewhere() {
    let app = TestApp::start().await;
    let elsewhere = app.second().await;
    let players = app.players(3).await;
    let started = app.started(&players, json!({"max_rounds": 4})).await;
    let match_id = id(&started);
    let mut random = Random(11);
    let mut sent: Vec<(Player, &str, String, Value, crate::support::Answer)> = Vec::new();
    let mut seat = started["table"]["to_act"][0].as_u64();
    while let Some(number) = seat {
        let player = &players[usize::try_from(number).unwrap()];
        let (kind, body) = choose(&player.view(match_id).await, &mut random);
        let key = new_key();
        let first = player.act_with(match_id, kind, &key, &body).await;
        let after = first.expect(200);
        same(&first, &player.act_with(match_id, kind, &key, &body).await);
        // The same request, formatted differently.
        let spelled = serde_json::to_string_pretty(&body).unwrap().into_bytes();
        let path = format!("/v1/matches/{match_id}/{kind}");
        same(
            &first,
            &player.request(reqwest::Method::POST, &path, &[("idempotency-key", &key)], Some(spelled)).await,
        );
        seat = after["table"]["to_act"][0].as_u64();
        sent.push((player.clone(), kind, key, body, first));
    }
    for (player, kind, key, body, first) in &sent {
        same(first, &player.act_with(match_id, kind, key, body).await);
        same(first, &player.at(elsewhere).act_with(match_id, kind, key, body).await);
    }
    let last = players[0].view(match_id).await;
    assert_eq!(version(&last), version(&started) + i64::try_from(sent.len()).unwrap());
}

/// Earlier rounds are not replayed: a retry costs no more with a log of 20,000 entries than with a short one.
#[tokio::test(flavor = "multi_thread")]
async fn a_retry_a_replay_and_the_clocks_begin_with_the_round_and_not_with_the_match() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let started = app.started(&players, json!({"max_rounds": 4})).await;
    let match_id = id(&started);
    let mut random = Random(7);
    let mut view = started.clone();
    let mut second = Vec::new();
    while view["status"] == "running" && view["table"]["round"].as_u64().unwrap() <= 3 {
        let seat = usize::try_from(view["table"]["to_act"][0].as_u64().unwrap()).unwrap();
        let (kind, body) = choose(&players[seat].view(match_id).await, &mut random);
        let (key, of_second) = (new_key(), view["table"]["round"] == 2);
        let first = players[seat].act_with(match_id, kind, &key, &body).await;
        view = first.expect(200);
        if of_second {
            second.push((seat, kind, key, body, first));
        }
    }
    let rounds = players[0].get(&format!("/v1/matches/{match_id}/rounds")).await.expect(200);
    let dealt = rounds["items"][0]["last_version"].as_i64().unwrap();
    let paths =
        ["rounds/2".to_owned(), "rounds/2/analysis".to_owned(), format!("clock-changes?after={dealt}")];
    let get = async |player: &Player, path: &String| {
        let mut answer = player.get(&format!("/v1/matches/{match_id}/{path}")).await.expect(200);
        answer["server_time"].take();
        answer
    };
    let mut seen = Vec::new();
    for path in &paths {
        seen.push(get(&players[0], path).await);
    }
    assert!(!second.is_empty());
    // This log cannot be replayed.
    let destroy = format!(
        "UPDATE actions SET detail = 'nonsense' WHERE match_id = '{match_id}' AND kind = 'a' AND round = 1"
    );
    app.run(&destroy).await;
    for (seat, kind, key, body, first) in &second {
        same(first, &players[*seat].act_with(match_id, kind, key, body).await);
    }
    // An instance without cached analyses.
    let elsewhere = players[0].at(app.second().await);
    for (path, before) in paths.iter().zip(seen) {
        assert_eq!(get(&elsewhere, path).await, before, "{path}");
    }
    // A round that ended before starts were stored, or by an older instance: the log is replayed from further back.
    app.run(&format!(
        "UPDATE rounds SET next_state = NULL, next_clocks = NULL WHERE match_id = '{match_id}' AND round = 1"
    ))
    .await;
    let (seat, kind, key, body, _) = &second[0];
    players[*seat].act_with(match_id, kind, key, body).await.expect_problem(500, "internal");
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_before_the_start_are_answered_the_same_again() {
    let app = TestApp::start().await;
    let players = app.players(3).await;
    let body = json!({"size": 3, "client_seed": "a", "rules": {"preset": "jhyap"}});
    let create_key = new_key();
    let created = players[0].post("/v1/matches", Some(&create_key), &body).await;
    let view = created.expect(201);
    let code = view["join_code"].as_str().unwrap();
    let (seats, leave) = (format!("/v1/join-codes/{code}/seats"), format!("/v1/matches/{}/leave", id(&view)));
    let start = format!("/v1/matches/{}/start", id(&view));
    let key = new_key();
    let joined = players[1].post(&seats, Some(&key), &json!({"client_seed": "b"})).await;
    joined.expect(201);
    let third_key = new_key();
    players[2].post(&seats, Some(&third_key), &json!({})).await.expect(201);
    let leave_key = new_key();
    let left = players[2].post(&leave, Some(&leave_key), &Value::Null).await;
    left.expect(204);
    let start_key = new_key();
    let started = players[0].post(&start, Some(&start_key), &Value::Null).await;
    started.expect(200);

    same(&created, &players[0].post("/v1/matches", Some(&create_key), &body).await);
    same(&joined, &players[1].post(&seats, Some(&key), &json!({"client_seed": "b"})).await);
    same(&left, &players[2].post(&leave, Some(&leave_key), &Value::Null).await);
    same(&started, &players[0].post(&start, Some(&start_key), &Value::Null).await);
    let list = players[0].get("/v1/matches").await.expect(200);
    assert_eq!(list["items"].as_array().unwrap().len(), 1, "one match was made");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_stands_for_one_request_of_one_account_in_one_match() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let started = app.started(&players, json!({})).await;
    let match_id = id(&started);
    let seat = usize::try_from(started["table"]["to_act"][0].as_u64().unwrap()).unwrap();
    let (mover, other) = (&players[seat], &players[1 - seat]);
    let view = mover.view(match_id).await;
    let (kind, body) = choose(&view, &mut Random(5));
    let key = new_key();
    mover.act_with(match_id, kind, &key, &body).await.expect(200);
    let mut another = body.clone();
    another["expected_version"] = json!(version(&view) + 1);
    mover.act_with(match_id, kind, &key, &another).await.expect_problem(422, "idempotency_key_reused");
    // Creation has a separate table of keys: there is no match yet that could own the key.
    mover.post("/v1/matches", Some(&key), &json!({"size": 2})).await.expect(201);
    let create = mover.post("/v1/matches", Some(&key), &json!({"size": 3})).await;
    create.expect_problem(422, "idempotency_key_reused");
    // The same key of another account is a different key: it reveals nothing of this answer.
    let stolen = other.act_with(match_id, kind, &key, &body).await;
    stolen.expect_problem(409, "version_conflict");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_action_needs_a_key_of_the_right_form() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let started = app.started(&players, json!({})).await;
    let path = format!("/v1/matches/{}/resignations", id(&started));
    let body = json!({"expected_version": version(&started)});
    for key in [None, Some("short"), Some("has a space in it"), Some(&*"x".repeat(65))] {
        players[0].post(&path, key, &body).await.expect_problem(400, "idempotency_key_required");
    }
    assert_eq!(players[0].view(id(&started)).await["version"], started["version"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stale_action_is_refused_with_the_view_as_it_is_now() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let started = app.started(&players, json!({})).await;
    let match_id = id(&started);
    let seat = usize::try_from(started["table"]["to_act"][0].as_u64().unwrap()).unwrap();
    let (mover, other) = (&players[seat], &players[1 - seat]);
    let (kind, body) = choose(&mover.view(match_id).await, &mut Random(6));
    mover.act(match_id, kind, &body).await.expect(200);
    let problem = mover.act(match_id, kind, &body).await.expect_problem(409, "version_conflict");
    let current = &problem["match"];
    let view = mover.view(match_id).await;
    assert_eq!(current["version"], view["version"]);
    assert_eq!(current["hand"], view["hand"]);
    assert_eq!(current["recent"].as_array().unwrap().len(), 1, "what happened since the version it named");
    let theirs = other.act(match_id, kind, &body).await.expect_problem(409, "version_conflict");
    assert!(theirs["match"]["recent"][0]["play"].get("draw_card").is_none() || body["draw_from"] == "pile");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_vanishes_loses_nothing() {
    use tokio::io::AsyncWriteExt;

    let app = TestApp::start().await;
    let players = app.players(2).await;
    let started = app.started(&players, json!({})).await;
    let match_id = id(&started).to_owned();
    let mut random = Random(3);
    let mut sent = 0;
    let mut replayed = 0;
    for round in 0..30_u64 {
        let view = players[0].view(&match_id).await;
        let Some(seat) = view["table"]["to_act"][0].as_u64() else {
            break;
        };
        let mover = &players[usize::try_from(seat).unwrap()];
        let (kind, body) = choose(&mover.view(&match_id).await, &mut random);
        let (key, text) = (new_key(), body.to_string());
        let request = format!(
            "POST /v1/matches/{match_id}/{kind} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nIdempotency-Key: {key}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{text}",
            mover.token,
            text.len(),
        );
        let mut stream = tokio::net::TcpStream::connect(app.address).await.unwrap();
        stream.write_all(request.as_bytes()).await.unwrap();
        if round % 5 == 4 {
            // It has happened, and the client does not know.
            until("it has happened", async || version(&players[0].view(&match_id).await) > version(&view))
                .await;
        } else {
            tokio::time::sleep(std::time::Duration::from_millis(round % 5 * 4)).await;
        }
        stream.set_zero_linger().unwrap();
        drop(stream);
        // With any outcome, a retry with the same key finds out, and it has happened once.
        let answer = mover.act_with(&match_id, kind, &key, &body).await;
        let after = answer.expect(200);
        sent += 1;
        replayed += usize::from(answer.header("idempotency-replayed").is_some());
        assert_eq!(version(&after), version(&view) + 1);
    }
    assert!(replayed > 0, "some of the {sent} have happened without their client");
    let view = players[0].view(&match_id).await;
    assert_eq!(version(&view), version(&started) + sent);
}
