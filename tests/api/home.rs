//! The home screen: one request has all that waits, in few bytes, and what is unread.

use reqwest::Method;
use serde_json::{Value, json};
use yaniv_db::connect;

use diesel_async::SimpleAsyncConnection;

use crate::support::strategy::{Random, choose};
use crate::support::{Player, TestApp, id, until};

async fn home(player: &Player) -> Value {
    player.get("/v1/home").await.expect(200)
}

fn matches(list: &Value) -> Vec<&str> {
    list.as_array().unwrap().iter().map(|item| item["match_id"].as_str().unwrap()).collect()
}

/// The item of a match, in whatever list.
fn item<'a>(home: &'a Value, match_id: &str) -> &'a Value {
    let lists = ["turns", "waiting", "lobby", "finished"].map(|name| home[name].as_array().unwrap());
    lists.into_iter().flatten().find(|item| item["match_id"] == *match_id).unwrap()
}

/// Plays in a match of two until it waits for this player; returns the match.
async fn turn_to(players: &[Player], seat: usize, view: &Value) -> String {
    let mut random = Random(4);
    loop {
        let view = players[seat].view(id(view)).await;
        if view["your_turn"] == true {
            return id(&view).to_owned();
        }
        let other = &players[1 - seat];
        let view = other.view(id(&view)).await;
        let (kind, body) = choose(&view, &mut random);
        other.act(id(&view), kind, &body).await.expect(200);
    }
}

/// A match of two that waits for this player.
async fn waits_for(app: &TestApp, players: &[Player], seat: usize) -> String {
    let body = json!({"size": 2, "seat_order": "joined"});
    let view = app.started_by(players, &body).await;
    turn_to(players, seat, &view).await
}

/// The player plays once; returns the number of entries that this added.
async fn play(player: &Player, match_id: &str) -> i64 {
    let before = player.view(match_id).await;
    let (kind, body) = choose(&before, &mut Random(7));
    let after = player.act(match_id, kind, &body).await.expect(200);
    after["version"].as_i64().unwrap() - before["version"].as_i64().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn six_matches_in_different_states_fit_into_three_kilobytes() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let (ada, bob) = (&players[0], &players[1]);
    let mut turns = vec![waits_for(&app, &players, 0).await, waits_for(&app, &players, 0).await];
    let waiting = [waits_for(&app, &players, 1).await, waits_for(&app, &players, 1).await];
    let lobby = ada.create(&json!({"size": 4, "rules": {"preset": "yaniv"}})).await.expect(201);
    let ended = waits_for(&app, &players, 0).await;
    bob.resign(&ended).await;
    let matches_only = ada.get("/v1/home").await.body.len();
    bob.challenge(None, &json!({"opponents": [ada.name]})).await.expect(201);
    ada.request_pairing(None, &json!({"size": 2})).await.expect(201);
    bob.put(&format!("/v1/friends/{}", ada.name)).await.expect(204);

    let answer = ada.get("/v1/home").await;
    let home = answer.expect(200);
    println!("{matches_only} bytes; with a challenge and a request {}: {}", answer.body.len(), answer.body);
    assert!(matches_only <= 3_000, "{matches_only} bytes");
    assert!(answer.body.len() <= 3_200, "{} bytes", answer.body.len());
    let by_deadline = |id: &String| item(&home, id)["seats"][0]["deadline"].as_str().unwrap().to_owned();
    turns.sort_by_key(by_deadline);
    assert_eq!(matches(&home["turns"]), turns);
    let mut listed = matches(&home["waiting"]);
    let since = |id: &&str| item(&home, id)["seats"][1]["waiting_since"].as_str().unwrap().to_owned();
    assert!(listed.is_sorted_by_key(since), "the longest wait first: {}", home["waiting"]);
    listed.sort_unstable();
    assert!(waiting.iter().all(|id| listed.contains(&id.as_str())) && listed.len() == 2);
    assert_eq!(matches(&home["lobby"]), [id(&lobby)]);
    assert_eq!(home["lobby"][0]["join_code"], lobby["join_code"]);
    assert_eq!(
        (&home["lobby"][0]["size"], &home["lobby"][0]["last_entry"]["type"]),
        (&json!(4), &json!("joined"))
    );
    assert_eq!(matches(&home["finished"]), [ended.as_str()]);
    assert_eq!(home["finished"][0]["your_place"], 1);
    assert_eq!(home["finished"][0]["last_entry"]["type"], "resign");
    let counts = ["turn_count", "waiting_count", "lobby_count", "challenge_count", "friend_request_count"];
    assert_eq!(counts.map(|name| home[name].as_i64().unwrap()), [2, 2, 1, 1, 1]);
    assert_eq!(
        (&home["challenges"][0]["waits_for_you"], &home["pairings"][0]["size"]),
        (&json!(true), &json!(2))
    );
    // A match that is over stays until its players have looked at it.
    ada.view(&ended).await;
    assert_eq!(ada.get("/v1/home").await.expect(200)["finished"], json!([]));
    assert_eq!(bob.get("/v1/home").await.expect(200)["finished"], json!([]), "who ends it knows");
}

#[tokio::test(flavor = "multi_thread")]
async fn every_list_has_the_deadlines_and_display_names_of_others() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let (ada, bob) = (&players[0], &players[1]);
    bob.patch("/v1/account", &json!({"display_name": "Bobby Tables"})).await.expect(200);
    let match_id = waits_for(&app, &players, 1).await;
    let view = ada.view(&match_id).await;
    let seat = |list: &Value| list[0]["seats"][1].clone();
    let lists = [
        seat(&home(ada).await["waiting"]),
        seat(&home(bob).await["turns"]),
        seat(&ada.get("/v1/matches").await.expect(200)["items"]),
        seat(&bob.get("/v1/turns").await.expect(200)["items"]),
    ];
    for listed in lists {
        assert!(view["seats"][1]["deadline"].is_string());
        assert_eq!(listed["deadline"], view["seats"][1]["deadline"]);
        assert_eq!(listed["waiting_since"], view["seats"][1]["waiting_since"]);
        assert_eq!(listed["display_name"], "Bobby Tables");
        assert!(listed.get("held_by_bot").is_none() && listed.get("bot").is_none(), "{listed}");
    }
    let own = &home(ada).await["waiting"][0]["seats"][0];
    assert!(
        ["deadline", "waiting_since", "display_name"].iter().all(|name| own.get(name).is_none()),
        "{own}"
    );
    assert!(home(ada).await["waiting"][0].get("join_code").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_others_did_is_unread_until_the_player_looks_or_acts() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let (ada, bob) = (&players[0], &players[1]);
    let match_id = waits_for(&app, &players, 1).await;
    ada.view(&match_id).await;
    let unread = async |player: &Player| item(&home(player).await, &match_id)["unread"].as_i64().unwrap();
    assert_eq!(unread(ada).await, 0);
    let made = play(bob, &match_id).await;
    assert_eq!((unread(ada).await, unread(bob).await), (made, 0));
    // Lists and feeds are not a look.
    for path in ["/v1/matches", "/v1/turns", "/v1/events", &format!("/v1/matches/{match_id}/events")] {
        ada.get(path).await.expect(200);
    }
    assert_eq!(unread(ada).await, made);
    ada.view(&match_id).await;
    assert_eq!(unread(ada).await, 0);
    let elsewhere = ada.at(app.second().await);
    until("the other instance knows", async || unread(&elsewhere).await == 0).await;
    // Without any record of looks, the player's own entries tell.
    ada.resign(&match_id).await;
    app.run("DELETE FROM match_last_seen").await;
    assert_eq!(home(&elsewhere).await["finished"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn as_long_as_nothing_changes_home_is_304() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let (ada, bob) = (&players[0], &players[1]);
    let match_id = waits_for(&app, &players, 1).await;
    let answer = ada.get("/v1/home").await;
    let tag = answer.header("etag").unwrap().to_owned();
    let again = async || ada.request(Method::GET, "/v1/home", &[("if-none-match", &tag)], None).await;
    again().await.expect(304);
    assert_eq!(again().await.header("etag"), Some(tag.as_str()));
    play(bob, &match_id).await;
    let answer = again().await;
    assert_ne!(answer.expect(200)["server_time"], Value::Null);
    assert_ne!(answer.header("etag"), Some(tag.as_str()));
}

#[tokio::test(flavor = "multi_thread")]
async fn challenges_come_and_go_and_a_block_hides_them() {
    let app = TestApp::start().await;
    let players = app.players(3).await;
    let (ada, bob, eve) = (&players[0], &players[1], &players[2]);
    let ask = json!({"opponents": [ada.name]});
    let challenge = bob.challenge(None, &ask).await.expect(201);
    ada.challenge(None, &json!({"opponents": [eve.name]})).await.expect(201);
    let listed = home(ada).await;
    let directions: Vec<_> =
        listed["challenges"].as_array().unwrap().iter().map(|one| &one["direction"]).collect();
    assert_eq!(directions, ["incoming", "outgoing"], "those that wait for an answer first");
    assert_eq!(home(bob).await["challenges"][0]["waits_for_you"], false);
    ada.decline_challenge(id(&challenge), &json!({})).await.expect(200);
    assert_eq!(home(ada).await["challenge_count"], 1);
    assert_eq!(home(bob).await["challenges"], json!([]));
    // Who is blocked is not heard.
    eve.put(&format!("/v1/blocks/{}", bob.name)).await.expect(204);
    bob.challenge(None, &json!({"opponents": [eve.name]})).await.expect(201);
    bob.put(&format!("/v1/friends/{}", eve.name)).await.expect(204);
    let listed = home(eve).await;
    assert_eq!((&listed["challenge_count"], &listed["friend_request_count"]), (&json!(1), &json!(0)));
    // An answered request no longer waits.
    bob.put(&format!("/v1/friends/{}", ada.name)).await.expect(204);
    assert_eq!(home(ada).await["friend_request_count"], 1);
    ada.put(&format!("/v1/friends/{}", bob.name)).await.expect(204);
    assert_eq!(home(ada).await["friend_request_count"], 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_has_a_home_and_nothing_waits_at_first() {
    let app = TestApp::start().await;
    let guest = Player::guest(app.address).await;
    let empty = home(&guest).await;
    for list in ["turns", "waiting", "lobby", "finished", "challenges", "pairings"] {
        assert_eq!(empty[list], json!([]), "{list}");
    }
    let players = [app.player("ada").await, guest];
    let match_id = waits_for(&app, &players, 1).await;
    assert_eq!(matches(&home(&players[1]).await["turns"]), [match_id.as_str()]);
}

/// Copies all matches with all their rows, this many times.
async fn multiply_matches(app: &TestApp, times: usize) {
    let copied = |table: &str, of: &str, new: &str| {
        format!(
            "INSERT INTO {table} SELECT (jsonb_populate_record(t, to_jsonb(t) || jsonb_build_object({new}))).* \
             FROM {table} t JOIN copies c ON c.of = t.{of};"
        )
    };
    let statements = format!(
        "CREATE TABLE copies AS SELECT gen_random_uuid() AS id, m.id AS of, upper(left(md5(random()::text), 8)) AS code \
         FROM matches m, generate_series(1, {times}); {} {} {} {} ANALYZE;",
        copied("matches", "id", "'id', c.id, 'code', c.code"),
        copied("match_states", "match_id", "'match_id', c.id"),
        copied("seats", "match_id", "'match_id', c.id"),
        copied("actions", "match_id", "'match_id', c.id"),
    );
    connect(app.database.url()).await.unwrap().batch_execute(&statements).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn every_list_is_bounded_and_the_counts_are_not() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let ada = &players[0];
    waits_for(&app, &players, 0).await;
    waits_for(&app, &players, 1).await;
    ada.create(&json!({"size": 2})).await.expect(201);
    let ended = waits_for(&app, &players, 0).await;
    players[1].resign(&ended).await;
    let closed = "SELECT count(*) FROM seats WHERE closed_at IS NOT NULL";
    until("its seats are closed", async || app.count(closed).await == 2).await;
    multiply_matches(&app, 24).await;
    let listed = home(ada).await;
    for list in ["turns", "waiting", "lobby", "finished"] {
        assert_eq!(listed[list].as_array().unwrap().len(), 20, "{list}");
    }
    for count in ["turn_count", "waiting_count", "lobby_count"] {
        assert_eq!(listed[count], 25, "{count}");
    }
    assert_eq!(ada.get("/v1/turns").await.expect(200)["count"], 25);
    let again = home(ada).await;
    assert_eq!(again["turns"], listed["turns"], "from the cache, too");
}
