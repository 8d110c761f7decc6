//! Rematches: the same players and rules, offered and accepted even if no player is online, and at most one per match.

use serde_json::{Value, json};

use crate::challenges::{get, listed, text};
use crate::support::player::new_key;
use crate::support::{Player, TestApp, id};

/// A finished match of these players: all but the first have resigned.
async fn over(app: &TestApp, players: &[Player]) -> String {
    let started = app.started(players, json!({"preset": "kluft", "elimination": 100})).await;
    give_up(players, id(&started)).await;
    id(&started).to_owned()
}

/// All but the first resign.
async fn give_up(players: &[Player], match_id: &str) {
    for player in &players[1..] {
        player.resign(match_id).await;
    }
    assert_eq!(text(&players[0].view(match_id).await, "status"), "finished");
}

async fn rematch(player: &Player, match_id: &str) -> Value {
    player.get(&format!("/v1/matches/{match_id}/rematch")).await.expect(200)
}

fn names(view: &Value) -> Vec<String> {
    let seats = view["seats"].as_array().unwrap().iter();
    let mut names: Vec<String> = seats.map(|seat| text(seat, "username").to_owned()).collect();
    names.sort();
    names
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_rematch_request_accepts_the_first_offer() {
    let app = TestApp::start().await;
    let players = app.players(3).await;
    let match_id = over(&app, &players).await;
    let before = players[0].get(&format!("/v1/matches/{match_id}")).await;
    let none = players[1].get(&format!("/v1/matches/{match_id}/rematch")).await;
    none.expect_problem(404, "challenge_not_found");

    let key = new_key();
    let first = players[1].offer_rematch(&match_id, Some(&key), "red").await;
    let offer = first.expect(201);
    assert_eq!(first.header("location").unwrap(), format!("/v1/challenges/{}", id(&offer)));
    assert_eq!((text(&offer, "rematch_of"), text(&offer, "status")), (match_id.as_str(), "open"));
    assert_eq!((&offer["size"], text(&offer, "seat_order")), (&json!(3), "random"));
    assert_eq!(listed(&players[2], "&direction=incoming&status=open").await, [id(&offer)]);
    assert_eq!(id(&rematch(&players[0], &match_id).await), id(&offer));

    let accepted = players[0].offer_rematch(&match_id, None, "blue").await.expect(201);
    assert_eq!((id(&accepted), text(&accepted, "status")), (id(&offer), "open"));
    // Repetitions by the same two change nothing.
    for player in &players[..2] {
        assert_eq!(id(&player.offer_rematch(&match_id, None, "").await.expect(201)), id(&offer));
    }
    // The last player may also accept it like any challenge.
    let made = players[2].accept_challenge(id(&offer), "green").await.expect(200);
    let next = text(&made, "match_id");
    assert_ne!(next, match_id);
    for player in &players {
        let view = player.view(next).await;
        let rules = &player.settings(next).await["rules"];
        assert_eq!((text(&view, "status"), &rules["elimination"]), ("running", &json!(100)));
        assert_eq!(names(&view), ["player_0", "player_1", "player_2"]);
        let shown = rematch(player, &match_id).await;
        assert_eq!((text(&shown, "match_id"), text(&shown, "status")), (next, "accepted"));
        // A repetition returns the existing one.
        let again = player.offer_rematch(&match_id, None, "").await.expect(201);
        assert_eq!(text(&again, "match_id"), next);
    }
    let again = players[1].offer_rematch(&match_id, Some(&key), "red").await;
    assert_eq!((again.status, &again.body), (first.status, &first.body));
    let reused = players[1].offer_rematch(&match_id, Some(&key), "other").await;
    reused.expect_problem(422, "idempotency_key_reused");
    // The shuffle committed to in the offer is the one that was dealt.
    give_up(&players, next).await;
    let record = players[0].record(next).await;
    assert_eq!(record["commitment"], offer["commitment"]);
    yaniv_engine::verify(&serde_json::from_value(record).unwrap()).unwrap();
    // The view of a match depends on its log alone.
    let after = players[0].get(&format!("/v1/matches/{match_id}")).await;
    assert_eq!(before.header("etag"), after.header("etag"));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_who_played_offers_one_and_only_when_the_match_is_over() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let zoe = app.player("zoe").await;
    let waiting = players[0].create(&json!({"size": 2})).await.expect(201);
    players[0].offer_rematch(id(&waiting), None, "").await.expect_problem(409, "match_not_over");
    let running = app.started(&players, json!({})).await;
    players[0].offer_rematch(id(&running), None, "").await.expect_problem(409, "match_not_over");
    let match_id = over(&app, &players).await;
    players[0].offer_rematch(&match_id, None, "a,b").await.expect_problem(422, "invalid_body");
    players[0].offer_rematch(&match_id, None, "").await.expect(201);
    let none = "0193aa00-0000-7000-8000-00000000000f";
    for outsider in [
        [zoe.offer_rematch(&match_id, None, "").await, zoe.offer_rematch(none, None, "").await],
        [
            zoe.get(&format!("/v1/matches/{match_id}/rematch")).await,
            zoe.get(&format!("/v1/matches/{none}/rematch")).await,
        ],
    ] {
        outsider[0].expect_problem(404, "match_not_found");
        assert_eq!(outsider[0].body, outsider[1].body);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_was_declined_may_be_offered_anew() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let match_id = over(&app, &players).await;
    let first = players[0].offer_rematch(&match_id, None, "").await.expect(201);
    players[1].decline_challenge(id(&first), &json!({"reason": "not_now"})).await.expect(200);
    assert_eq!(text(&rematch(&players[0], &match_id).await, "status"), "declined");
    let second = players[1].offer_rematch(&match_id, None, "").await.expect(201);
    assert_ne!(id(&second), id(&first));
    assert_eq!(text(&second, "direction"), "outgoing");
    players[1].withdraw_challenge(id(&second)).await.expect(200);
    let third = players[0].offer_rematch(&match_id, None, "").await.expect(201);
    app.run("UPDATE challenges SET expires_at = now() WHERE outcome IS NULL").await;
    let fourth = players[1].offer_rematch(&match_id, None, "").await.expect(201);
    assert_ne!(id(&third), id(&fourth));
    let made = players[0].offer_rematch(&match_id, None, "").await.expect(201);
    assert_eq!((id(&made), text(&made, "status")), (id(&fourth), "accepted"));
    assert_eq!(text(&get(&players[0], id(&first)).await, "status"), "declined");
}

#[tokio::test(flavor = "multi_thread")]
async fn blocked_players_each_see_their_own_offer_and_are_not_seated() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let match_id = over(&app, &players).await;
    players[0].put("/v1/blocks/player_1").await.expect(204);
    let offers = [
        players[0].offer_rematch(&match_id, None, "").await.expect(201),
        players[1].offer_rematch(&match_id, None, "").await.expect(201),
    ];
    for (player, offer) in players.iter().zip(&offers) {
        assert_eq!((text(offer, "status"), text(offer, "direction")), ("open", "outgoing"));
        assert_eq!(rematch(player, &match_id).await["challenge_id"], offer["challenge_id"]);
    }
    assert_ne!(id(&offers[0]), id(&offers[1]));
    // After the block is lifted, either of the two leads to one match, and the other one is gone with it.
    players[0].delete("/v1/blocks/player_1").await.expect(204);
    let made = players[0].accept_challenge(id(&offers[1]), "").await.expect(200);
    assert_eq!(text(&made, "status"), "accepted");
    players[1].accept_challenge(id(&offers[0]), "").await.expect_problem(409, "challenge_over");
    for player in &players {
        assert_eq!(id(&rematch(player, &match_id).await), id(&offers[1]));
    }
}

/// All players offer a rematch at once, through both instances: one match each time, never two.
#[tokio::test(flavor = "multi_thread")]
async fn all_who_ask_at_once_are_in_one_match() {
    let app = TestApp::start().await;
    let second = app.second().await;
    let players = app.players(4).await;
    for round in 0..8 {
        let match_id = over(&app, &players[..2 + round % 3]).await;
        let asking = players[..2 + round % 3].iter().enumerate().map(|(number, player)| {
            let (here, there) = (player.clone(), player.at(second));
            let (key, match_id) = (new_key(), match_id.clone());
            async move {
                let player = if number % 2 == 0 { &here } else { &there };
                let one = player.offer_rematch(&match_id, Some(&key), "a");
                if round % 2 == 0 {
                    let (one, two) = tokio::join!(one, here.offer_rematch(&match_id, Some(&key), "a"));
                    assert_eq!(one.expect(201), two.expect(201), "the same key");
                } else {
                    one.await.expect(201);
                }
            }
        });
        futures_util::future::join_all(asking).await;
        let made = rematch(&players[0], &match_id).await;
        for player in &players[..2 + round % 3] {
            assert_eq!(rematch(player, &match_id).await["match_id"], made["match_id"]);
            assert_eq!(names(&player.view(text(&made, "match_id")).await).len(), 2 + round % 3);
            let matches = player.get("/v1/matches?status=running").await.expect(200);
            let mine = matches["items"].as_array().unwrap().iter();
            assert_eq!(mine.filter(|item| item["match_id"] == made["match_id"]).count(), 1);
        }
        let running = players[0].get("/v1/matches?status=running").await.expect(200);
        assert_eq!(running["items"].as_array().unwrap().len(), round + 1, "one a round");
    }
}
