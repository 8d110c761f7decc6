//! The answers that a phone fetches most are small: what never changes is fetched once, and empty marks are left out.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::strategy::{Random, choose};
use crate::support::{Player, TestApp, id, version};

/// The limits, in bytes of JSON, for a match of two in the middle of a round.
const MOVE: usize = 1_100;
const VIEW_WITH_TEN_ENTRIES: usize = 1_800;

/// The player to act, and their view with the newest `entries` entries.
async fn mover<'a>(players: &'a [Player], match_id: &str, entries: i64) -> (&'a Player, String) {
    let view = players[0].view(match_id).await;
    let seat = usize::try_from(view["table"]["to_act"][0].as_u64().unwrap()).unwrap();
    let since = (version(&view) - entries).max(0);
    let answer = players[seat].get(&format!("/v1/matches/{match_id}?since={since}")).await;
    answer.expect(200);
    (&players[seat], answer.body)
}

fn read(body: &str) -> Value {
    serde_json::from_str(body).unwrap()
}

/// Plays without a call, so that the round goes on.
async fn play(player: &Player, view: &str, random: &mut Random) -> String {
    let mut view = read(view);
    view["legal"]["call"] = json!(false);
    let (kind, body) = choose(&view, random);
    let answer = player.act(id(&view), kind, &body).await;
    answer.expect(200);
    answer.body
}

fn median(mut sizes: Vec<usize>) -> usize {
    sizes.sort_unstable();
    sizes[sizes.len() / 2]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_move_and_a_view_with_ten_entries_are_small() {
    let app = TestApp::start().await;
    let players = [app.player("ada").await, app.player("ben").await];
    let started = app.started(&players, json!({"preset": "yaniv"})).await;
    let (mut moves, mut views, mut random) = (Vec::new(), Vec::new(), Random(7));
    for turn in 0..24 {
        let (player, view) = mover(&players, id(&started), 10).await;
        let after = play(player, &view, &mut random).await;
        if turn >= 10 {
            assert_eq!(read(&view)["recent"].as_array().unwrap().len(), 10);
            views.push(view.len());
            moves.push(after.len());
        }
    }
    let [largest_move, largest_view] = [&moves, &views].map(|sizes| *sizes.iter().max().unwrap());
    let (of_move, of_view) = (median(moves), median(views));
    println!("the answer of a move: {of_move} bytes, at most {largest_move}");
    println!("a view with ten entries: {of_view} bytes, at most {largest_view}");
    assert!(of_move <= MOVE && of_view <= VIEW_WITH_TEN_ENTRIES, "{of_move}, {of_view}");
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_are_fetched_once_for_all_matches_that_have_the_same() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let started = app.started(&players, json!({"preset": "yaniv"})).await;
    let tag = started["settings_tag"].as_str().unwrap();
    let created = players[1].create(&json!({"size": 2})).await.expect(201);
    let settings = players[1].settings(id(&created)).await;
    assert_eq!((created["settings_tag"].as_str(), &settings["size"]), (Some(tag), &json!(2)));
    for other in [
        json!({"size": 3}),
        json!({"size": 2, "time_control": {"misses": 2}}),
        json!({"size": 2, "rated": true}),
    ] {
        assert_ne!(players[1].create(&other).await.expect(201)["settings_tag"], tag);
    }

    let path = format!("/v1/matches/{}/settings", id(&started));
    for (query, caching) in [
        (String::new(), "private, no-cache"),
        ("?tag=0000000000000000000000".to_owned(), "private, no-cache"),
        (format!("?tag={tag}"), "private, max-age=31536000, immutable"),
    ] {
        let answer = players[0].get(&format!("{path}{query}")).await;
        assert_eq!(answer.header("cache-control"), Some(caching));
        assert_eq!(answer.expect(200), settings);
        let known = [("if-none-match", answer.header("etag").unwrap())];
        players[0].request(Method::GET, &path, &known, None).await.expect(304);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_round_is_told_until_one_has_had_a_turn_in_the_next() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let rules = json!({"preset": "yaniv", "call_limit_off": true});
    let started = app.started(&players, rules).await;
    assert!(started.get("last_round").is_none());
    let (caller, view) = mover(&players, id(&started), 0).await;
    let before = version(&read(&view));
    let called = caller.act(id(&started), "calls", &json!({"expected_version": before})).await.expect(200);
    assert_eq!(called["last_round"]["round"], 1);
    let path = format!("/v1/matches/{}", id(&started));
    let (mut random, since) = (Random(8), format!("{path}?since={before}"));
    for _ in 0..2 {
        let (player, view) = mover(&players, id(&started), 0).await;
        assert_eq!(
            read(&view)["last_round"],
            called["last_round"],
            "the next turn is the first in the round"
        );
        let after = read(&play(player, &view, &mut random).await);
        assert!(after.get("last_round").is_none());
        assert!(player.get(&path).await.expect(200).get("last_round").is_none());
        let returned = player.get(&since).await.expect(200);
        assert_eq!(returned["last_round"], called["last_round"], "its end is in `recent`");
    }
    let rounds = players[0].get(&format!("{path}/rounds")).await.expect(200);
    assert_eq!(rounds["items"][0], called["last_round"]);
}
