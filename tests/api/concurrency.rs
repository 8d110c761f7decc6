//! Concurrency: one version has one winner, one key one effect, one seat one player.

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::player::new_key;
use crate::support::strategy::{Random, choose};
use crate::support::{Player, TestApp, id, version};

#[tokio::test(flavor = "multi_thread")]
async fn sixteen_writers_on_one_version_make_one_200_and_fifteen_409() {
    let app = TestApp::start().await;
    let second = app.second().await;
    let players = app.players(2).await;
    let started = app.started(&players, json!({})).await;
    let match_id = id(&started);
    let mut random = Random(1);
    let mut current = version(&started);
    for _ in 0..10 {
        let view = players[0].view(match_id).await;
        let Some(seat) = view["table"]["to_act"][0].as_u64() else {
            break;
        };
        let mover = &players[usize::try_from(seat).unwrap()];
        let view = mover.view(match_id).await;
        let bodies: Vec<_> = (0..16).map(|_| choose(&view, &mut random)).collect();
        let writers = bodies.iter().enumerate().map(|(writer, (kind, body))| {
            let player = if writer % 2 == 0 { mover.clone() } else { mover.at(second) };
            async move { player.act(match_id, kind, body).await }
        });
        let answers = join_all(writers).await;
        let won = answers.iter().filter(|answer| answer.status == 200).count();
        assert_eq!(won, 1);
        for answer in answers.iter().filter(|answer| answer.status != 200) {
            if answer.expect(409)["code"] != "match_over" {
                answer.expect_problem(409, "version_conflict");
            }
        }
        current += 1;
        assert_eq!(version(&mover.view(match_id).await), current);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn twins_of_one_request_all_get_its_answer() {
    let app = TestApp::start().await;
    let second = app.second().await;
    let players = app.players(2).await;
    let started = app.started(&players, json!({})).await;
    let match_id = id(&started);
    let mut random = Random(2);
    for _ in 0..10 {
        let view = players[0].view(match_id).await;
        let Some(seat) = view["table"]["to_act"][0].as_u64() else {
            break;
        };
        let mover = &players[usize::try_from(seat).unwrap()];
        let view = mover.view(match_id).await;
        let (kind, body) = choose(&view, &mut random);
        let key = new_key();
        let twins = (0..8).map(|twin| {
            let player = if twin % 2 == 0 { mover.clone() } else { mover.at(second) };
            let (key, body) = (&key, &body);
            async move { player.act_with(match_id, kind, key, body).await }
        });
        let answers = join_all(twins).await;
        for answer in &answers {
            assert_eq!(answer.expect(200), answers[0].expect(200));
            assert_eq!(answer.body, answers[0].body);
        }
        let first = answers.iter().filter(|answer| answer.header("idempotency-replayed").is_none()).count();
        assert_eq!(first, 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn twins_of_a_creation_make_one_match() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let key = new_key();
    let body = json!({"size": 2});
    let twins = join_all((0..8).map(|_| ada.post("/v1/matches", Some(&key), &body))).await;
    for twin in &twins {
        twin.expect(201);
        assert_eq!(twin.body, twins[0].body);
    }
    let list = ada.get("/v1/matches").await.expect(200);
    assert_eq!(list["items"].as_array().unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_seat_is_taken_once() {
    let app = TestApp::start().await;
    let players = app.players(8).await;
    let created = players[0].create(&json!({"size": 4})).await.expect(201);
    let code = created["join_code"].as_str().unwrap();
    let answers = join_all(players[1..].iter().map(|player| player.join(code, ""))).await;
    let seated = answers.iter().filter(|answer| answer.status == 201).count();
    assert_eq!(seated, 3);
    for answer in answers.iter().filter(|answer| answer.status != 201) {
        answer.expect_problem(409, "match_full");
    }
    let starts = join_all((0..4).map(|_| players[0].start(id(&created)))).await;
    assert_eq!(starts.iter().filter(|answer| answer.status == 200).count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn before_the_start_each_instance_shows_what_the_other_has_written() {
    let app = TestApp::start().await;
    let second = app.second().await;
    let players = app.players(2).await;
    let (host, guest) = (&players[0], &players[1]);
    // The writer shows its cached match, the other instance one that it loads.
    let same = async |match_id: &str, players: &[&Player]| {
        for player in players {
            let [cached, loaded] = [player.view(match_id).await, player.at(second).view(match_id).await];
            let untimed = |mut view: Value| view.as_object_mut().unwrap().remove("server_time").map(|_| view);
            assert_eq!(untimed(cached), untimed(loaded));
        }
    };
    for seat_order in ["joined", "random"] {
        let settings = json!({"size": 2, "seat_order": seat_order, "visibility": "public"});
        let created = host.create(&settings).await.expect(201);
        let match_id = id(&created);
        same(match_id, &[host]).await;
        guest.join(created["join_code"].as_str().unwrap(), "blue").await.expect(201);
        same(match_id, &[host, guest]).await;
        guest.at(second).leave(match_id).await.expect(204);
        same(match_id, &[host]).await;
        guest.join(created["join_code"].as_str().unwrap(), "red").await.expect(201);
        same(match_id, &[host, guest]).await;
        host.at(second).start(match_id).await.expect(200);
        same(match_id, &[host, guest]).await;
    }
}
