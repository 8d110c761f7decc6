//! The generated client plays, and loses no turn to a bad network.

use std::sync::atomic::Ordering;

use yaniv_client::types::{CreateMatchRequest, DrawFrom};
use yaniv_client::{Failure, Key, Move, Player, Server, View};
use yaniv_engine::{Record, verify};

use super::lossy::Lossy;
use super::support::{PASSWORD, Service};

/// Three cards each and few rounds: the shortest possible match.
fn short() -> CreateMatchRequest {
    let wish = serde_json::json!({"size": 2, "rules": {"preset": "speedy", "max_rounds": 2}});
    serde_json::from_value(wish).unwrap()
}

async fn register(server: &Server, name: &str) -> Player {
    let session = server.register(name, PASSWORD).await.unwrap();
    Player::new(server, &session.access_token).unwrap()
}

/// A match of two that has started.
async fn begin(server: &Server) -> ([Player; 2], View) {
    let (ada, bob) = (register(server, "ada").await, register(server, "bob").await);
    let created = ada.create(&Key::fresh(), &short()).await.unwrap();
    let code = created.join_code.clone().unwrap();
    let preview = bob.match_by_code(&code).await.unwrap();
    assert_eq!((preview.match_id, preview.your_seat), (None, None));
    assert_eq!(preview.players[0].username.as_str(), "ada");
    let own = ada.match_by_code(&code).await.unwrap();
    assert_eq!((own.match_id, own.your_seat), (Some(created.match_id), Some(0)));
    bob.join(&Key::fresh(), &code, "blue").await.unwrap();
    let started = ada.start(&Key::fresh(), created.match_id).await.unwrap();
    ([ada, bob], started)
}

/// Calls if allowed, otherwise discards as many cards as possible and draws from the stock.
fn choose(view: &View) -> Move {
    let legal = view.legal.as_ref().unwrap();
    if legal.call {
        return Move::Call { word: None };
    }
    let cards = legal.discards.iter().max_by_key(|cards| cards.len()).unwrap().clone();
    Move::Play { cards, draw_from: DrawFrom::Stock, draw_card: None, slam_down: None }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_whole_match_is_played_through_the_generated_client() {
    let service = Service::start();
    let server = Server::new(&service.url()).unwrap();
    let (players, started) = begin(&server).await;
    let id = started.match_id;
    let view = loop {
        let mut acted = None;
        for player in &players {
            let view = player.view(id, None).await.unwrap();
            if view.your_turn {
                let after = player.act(&Key::fresh(), id, view.version, &choose(&view)).await.unwrap();
                assert_eq!(after.version.get(), view.version.get() + 1);
                acted = Some(after);
                break;
            }
        }
        let view = acted.expect("somebody has to act");
        if view.result.is_some() {
            break view;
        }
    };
    assert_eq!(view.status.as_str(), "finished");

    let record = players[1].record(id).await.unwrap();
    let record: Record = serde_json::from_value(serde_json::Value::Object(record.0)).unwrap();
    verify(&record).unwrap();
    let (result, recorded) = (view.state.result.clone().unwrap(), record.result.unwrap());
    assert_eq!(recorded.winner.map(|seat| i32::from(seat.number())), result.winner);
    assert_eq!(recorded.ranking.into_iter().map(i32::from).collect::<Vec<_>>(), result.ranking);
    let rounds = players[0].rounds(id).await.unwrap();
    assert_eq!(rounds.len(), record.rounds.len());
    for (round, recorded) in rounds.iter().zip(&record.rounds) {
        let totals = &round.result.as_ref().unwrap().totals;
        assert_eq!(totals, &recorded.result.as_ref().unwrap().totals);
    }
    let log = players[0].log(id, 0).await.unwrap();
    let versions: Vec<u32> = log.items.iter().map(|entry| entry.version.get()).collect();
    assert_eq!(versions, (1..=view.version.get().min(100)).collect::<Vec<_>>());
    let over = players[0].matches(Some("finished")).await.unwrap();
    assert_eq!(over.items.iter().map(|summary| summary.match_id).collect::<Vec<_>>(), [id]);
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_are_typed() {
    let service = Service::start();
    let server = Server::new(&service.url()).unwrap();
    let (players, started) = begin(&server).await;
    let (id, version) = (started.match_id, started.version);

    let wrong = server.log_in("ada", "not the password").await.unwrap_err();
    assert_eq!(wrong.code(), Some("invalid_credentials"));
    let taken = server.register("ada", "not the password").await.unwrap_err();
    assert_eq!(taken.code(), Some("username_taken"));
    let stranger = Player::new(&server, "no-token").unwrap();
    assert!(matches!(stranger.account().await, Err(Failure::LoggedOut)));

    let mut views = Vec::new();
    for player in &players {
        views.push(player.view(id, None).await.unwrap());
    }
    let turn = views.iter().position(|view| view.your_turn).unwrap();
    let key = Key::fresh();
    let after = players[turn].act(&key, id, version, &choose(&views[turn])).await.unwrap();
    let again = players[turn].act(&key, id, version, &choose(&views[turn])).await.unwrap();
    assert_eq!(again.version, after.version, "the same key: the same answer");
    let late = players[1 - turn].act(&Key::fresh(), id, version, &Move::Pass).await.unwrap_err();
    let Failure::Refused(problem) = late else { panic!("{late}") };
    assert_eq!(problem.code.as_str(), "version_conflict");
    assert_eq!(problem.match_.unwrap().version, after.version, "with the match as it is now");
    assert!(!problem.advice.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_get_lost_are_asked_for_again_and_nothing_is_done_twice() {
    let service = Service::start();
    let lossy = Lossy::start(&service, "").await;
    let server = Server::new(&lossy.url()).unwrap();
    let (players, started) = begin(&server).await;
    let id = started.match_id;
    for turn in 0..6 {
        for player in &players {
            let view = player.view(id, None).await.unwrap();
            if view.your_turn && view.result.is_none() {
                lossy.lose.store(1 + turn % 2, Ordering::SeqCst);
                let after = player.act(&Key::fresh(), id, view.version, &choose(&view)).await.unwrap();
                assert_eq!(after.version.get(), view.version.get() + 1, "once");
                assert_eq!(lossy.lose.load(Ordering::SeqCst), 0, "answers have got lost");
            }
        }
    }
    lossy.lose.store(1, Ordering::SeqCst);
    let session = server.register("carol", PASSWORD).await.unwrap();
    assert_eq!(session.account.username.as_str(), "carol", "registered, though the answer got lost");
}
