//! Connections to the database break while matches are played: nothing is lost, done twice or answered differently.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use diesel_async::RunQueryDsl;
use serde_json::{Value, json};

use crate::support::player::new_key;
use crate::support::strategy::{Random, choose};
use crate::support::{Answer, Player, TestApp, id, version};

/// Minimum number of terminated backends.
const KILLS: usize = 60;

/// Terminates all backends of the service, again and again.
async fn terminate(url: String, stop: Arc<AtomicBool>, kills: Arc<AtomicUsize>) {
    let mut connection = yaniv_db::connect(&url).await.unwrap();
    let statement = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
         WHERE datname = current_database() AND pid <> pg_backend_pid()";
    while !AtomicBool::load(&stop, Ordering::Relaxed) {
        // With growing pauses, so that a slow machine makes progress, too.
        let so_far = u64::try_from(AtomicUsize::load(&kills, Ordering::Relaxed)).unwrap();
        tokio::time::sleep(Duration::from_millis(23 + so_far / 2)).await;
        let killed = diesel::sql_query(statement).execute(&mut connection).await.unwrap();
        kills.fetch_add(killed, Ordering::Relaxed);
    }
}

/// Retries the request with the same key until the answer is final.
async fn until_final(player: &Player, path: &str, key: &str, body: &Value) -> Answer {
    for _ in 0..200 {
        let answer = player.post(path, Some(key), body).await;
        match answer.status.as_u16() {
            503 => tokio::time::sleep(Duration::from_millis(20)).await,
            500 => panic!("a lost connection is no fault of ours: {}", answer.body),
            _ => return answer,
        }
    }
    panic!("no final answer");
}

async fn view(player: &Player, match_id: &str) -> Value {
    for _ in 0..200 {
        let answer = player.get(&format!("/v1/matches/{match_id}")).await;
        match answer.status.as_u16() {
            503 => tokio::time::sleep(Duration::from_millis(20)).await,
            _ => return answer.expect(200),
        }
    }
    panic!("no view");
}

/// Plays one match until enough backends were terminated; returns the accepted requests with their answers.
async fn play(
    players: Vec<Player>,
    match_id: String,
    kills: Arc<AtomicUsize>,
    seed: u64,
) -> Vec<(usize, String, String, Value, Answer)> {
    let mut random = Random(seed);
    let mut accepted = Vec::new();
    while AtomicUsize::load(&kills, Ordering::Relaxed) < KILLS || accepted.len() < 10 {
        let now = view(&players[0], &match_id).await;
        let Some(seat) = now["table"]["to_act"][0].as_u64() else { break };
        let seat = usize::try_from(seat).unwrap();
        let (kind, body) = choose(&view(&players[seat], &match_id).await, &mut random);
        let path = format!("/v1/matches/{match_id}/{kind}");
        let key = new_key();
        let answer = until_final(&players[seat], &path, &key, &body).await;
        assert_eq!(version(&answer.expect(200)), version(&now) + i64::try_from(recent(&answer)).unwrap());
        accepted.push((seat, path, key, body, answer));
    }
    accepted
}

fn recent(answer: &Answer) -> usize {
    answer.expect(200)["recent"].as_array().unwrap().len()
}

#[tokio::test(flavor = "multi_thread")]
async fn dying_connections_lose_nothing_and_do_nothing_twice() {
    let app = TestApp::start().await;
    let (stop, kills) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let players = app.players(2).await;
    let mut matches = Vec::new();
    for _ in 0..3 {
        matches.push(id(&app.started(&players, json!({"elimination": 1000})).await).to_owned());
    }
    let killer =
        tokio::spawn(terminate(app.database.url().to_owned(), Arc::clone(&stop), Arc::clone(&kills)));
    let playing = (0..).zip(&matches).map(|(seed, match_id)| {
        tokio::spawn(play(players.clone(), match_id.clone(), Arc::clone(&kills), seed))
    });
    let accepted: Vec<_> = futures_util::future::join_all(playing.collect::<Vec<_>>()).await;
    stop.store(true, Ordering::Relaxed);
    killer.await.unwrap();
    let mut count = 0;
    for (match_id, accepted) in matches.iter().zip(accepted) {
        let accepted = accepted.unwrap();
        let log = whole_log(&players[0], match_id).await;
        let made: usize = accepted.iter().map(|(_, _, _, _, answer)| recent(answer)).sum();
        assert_eq!(log.len(), 3 + made, "two joined, one started, and what was accepted");
        assert!((1..).zip(&log).all(|(version, entry): (i64, &Value)| entry["version"] == version));
        for (seat, path, key, body, answer) in &accepted {
            let again = until_final(&players[*seat], path, key, body).await;
            assert_eq!(answer.body, again.body);
            assert_eq!(again.header("idempotency-replayed"), Some("true"));
        }
        count += accepted.len();
    }
    assert!(count > 20, "{count} actions are too few to show anything");
}

async fn whole_log(player: &Player, match_id: &str) -> Vec<Value> {
    let mut log: Vec<Value> = Vec::new();
    loop {
        let path = format!("/v1/matches/{match_id}/log?after={}", log.len());
        let page = player.get(&path).await.expect(200);
        let items = page["items"].as_array().unwrap();
        if items.is_empty() {
            return log;
        }
        log.extend(items.iter().cloned());
    }
}
