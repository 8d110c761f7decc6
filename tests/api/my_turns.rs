//! The list of turns: most urgent first, with a count, and cheap to poll.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::strategy::{Random, choose};
use crate::support::{Player, TestApp, id, until};

async fn turns(player: &Player) -> Value {
    player.get("/v1/turns").await.expect(200)
}

fn matches(turns: &Value) -> Vec<String> {
    let items = turns["items"].as_array().unwrap();
    items.iter().map(|item| item["match_id"].as_str().unwrap().to_owned()).collect()
}

/// Plays once in the most urgent match; returns the match.
async fn play_first(player: &Player, random: &mut Random) -> String {
    let match_id = matches(&turns(player).await)[0].clone();
    let view = player.view(&match_id).await;
    let (kind, body) = choose(&view, random);
    player.act(&match_id, kind, &body).await.expect(200);
    match_id
}

#[tokio::test(flavor = "multi_thread")]
async fn turns_are_listed_by_waiting_time() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    assert_eq!(turns(&players[0]).await["count"], 0);
    let mut views = Vec::new();
    for _ in 0..6 {
        views.push(app.started(&players, json!({})).await);
    }
    let starts = |seat: u64| {
        let of = move |view: &&Value| view["table"]["to_act"][0] == seat;
        views.iter().filter(of).map(|view| id(view).to_owned()).collect::<Vec<_>>()
    };
    for (seat, player) in (0_u64..).zip(&players) {
        let waiting = turns(player).await;
        assert_eq!(matches(&waiting), starts(seat), "in the order in which they began");
        assert_eq!(waiting["count"], starts(seat).len());
        for item in waiting["items"].as_array().unwrap() {
            assert_eq!((&item["your_seat"], &item["last_entry"]["type"]), (&json!(seat), &json!("started")));
            assert_eq!(item["last_entry"]["username"], "player_0");
        }
    }
    let mut random = Random(9);
    let playing = if starts(0).is_empty() { 1 } else { 0 };
    let played = play_first(&players[playing], &mut random).await;
    assert!(!matches(&turns(&players[playing]).await).contains(&played));
    let other = turns(&players[1 - playing]).await;
    assert_eq!(matches(&other).last(), Some(&played), "it has waited shortest");
    let entry = &other["items"].as_array().unwrap().last().unwrap()["last_entry"];
    let log = players[1 - playing].get(&format!("/v1/matches/{played}/log?after=3")).await.expect(200);
    assert_eq!(Some(entry), log["items"].as_array().unwrap().last());
    let one = players[1 - playing].get("/v1/turns?limit=1").await.expect(200);
    assert_eq!((one["items"].as_array().unwrap().len(), &one["count"]), (1, &other["count"]));
    players[0].get("/v1/turns?limit=0").await.expect_problem(422, "invalid_parameter");
}

#[tokio::test(flavor = "multi_thread")]
async fn as_long_as_nothing_changes_the_answer_is_304() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    app.started(&players, json!({})).await;
    let first = if turns(&players[0]).await["count"] == 1 { 0 } else { 1 };
    let answer = players[first].get("/v1/turns").await;
    let tag = answer.header("etag").unwrap().to_owned();
    let again = async |tag: &str| {
        players[first].request(Method::GET, "/v1/turns", &[("if-none-match", tag)], None).await
    };
    assert_eq!(again(&tag).await.status, 304);
    let mut random = Random(10);
    play_first(&players[first], &mut random).await;
    let answer = again(&tag).await;
    assert_eq!(answer.expect(200)["count"], 0);
    let tag = answer.header("etag").unwrap().to_owned();
    assert_eq!(again(&tag).await.status, 304);
    play_first(&players[1 - first], &mut random).await;
    assert_eq!(again(&tag).await.expect(200)["count"], 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn matches_that_are_over_are_not_looked_through() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let view = app.started(&players, json!({})).await;
    let other = app.started(&players, json!({})).await;
    let body = json!({"expected_version": view["version"]});
    players[0].act(id(&view), "resignations", &body).await.expect(200);
    for player in &players {
        assert!(!matches(&turns(player).await).contains(&id(&view).to_owned()));
    }
    let closed =
        format!("SELECT count(*) FROM seats WHERE closed_at IS NOT NULL AND match_id = '{}'", id(&view));
    until("its seats are closed", async || app.count(&closed).await == 2).await;
    assert_eq!(app.count("SELECT count(*) FROM seats WHERE closed_at IS NULL").await, 2);
    // Seats left open are closed by the next instance that starts.
    app.run("UPDATE seats SET closed_at = NULL").await;
    app.second().await;
    until("they are closed again", async || app.count(&closed).await == 2).await;
    let open = format!("SELECT count(*) FROM seats WHERE closed_at IS NULL AND match_id = '{}'", id(&other));
    assert_eq!(app.count(&open).await, 2);
}
