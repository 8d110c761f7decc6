//! A match whose seats are all taken waits for its host: on the home screen, in the feed, by a notification.

use serde_json::{Value, json};

use crate::notices::{deliveries, hurry, until_status, webhook};
use crate::push::{Browser, subscribe_at};
use crate::support::receiver::Receiver;
use crate::support::{Player, TestApp, id, until};

async fn home(player: &Player) -> Value {
    player.get("/v1/home").await.expect(200)
}

/// Number of the matches on the home screen that wait for a player, and of those that have not started.
async fn counts(player: &Player) -> [i64; 2] {
    let home = home(player).await;
    let listed = ["turns", "lobby"].map(|list| home[list].as_array().unwrap().len());
    let counts = ["turn_count", "lobby_count"].map(|count| home[count].as_i64().unwrap());
    assert_eq!(counts.map(|count| usize::try_from(count).unwrap()), listed);
    counts
}

/// Makes the newest notification of a channel pending again, and waits until it is dropped.
async fn is_outdated(app: &TestApp, player: &Player, channel: &Value) {
    hurry(app).await;
    assert_eq!(until_status(player, channel, "dropped").await["reason"], "outdated");
}

const PENDING: &str =
    "UPDATE deliveries SET done_at = NULL, outcome = NULL, due_at = now() + interval '1 hour'";

#[tokio::test(flavor = "multi_thread")]
async fn the_host_of_a_full_table_is_told_until_it_is_started_or_a_seat_is_free() {
    let app = TestApp::start().await;
    let (players, receiver, browser) = (app.players(2).await, Receiver::start().await, Browser::new(7));
    let (ada, bob) = (&players[0], &players[1]);
    let hook = webhook(ada, &receiver, "/ada", json!({"kinds": ["table_full"]})).await["channel"].clone();
    let others = webhook(bob, &receiver, "/bob", json!({"kinds": ["table_full"]})).await["channel"].clone();
    let push = json!({"kinds": ["table_full"], "immediate": true, "link": "https://play.example/match/{id}"});
    subscribe_at(ada, &browser, &receiver.url("/push"), push).await;
    let created = ada.create(&json!({"size": 2})).await.expect(201);
    let (match_id, code) = (id(&created), created["join_code"].as_str().unwrap());
    assert_eq!(counts(ada).await, [0, 1]);
    let from = ada.get("/v1/events?after=now").await.expect(200);
    bob.join(code, "").await.expect(201);

    let said = receiver.wait("/ada", 1).await.remove(0).json();
    assert_eq!(said["type"], "table_full");
    let data = json!({"username": ada.name, "match_id": match_id, "version": 2, "opponents": [bob.name]});
    assert_eq!(said["data"], data);
    assert_eq!(said["text"]["title"], "Your table is full");
    let pushed = browser.read(&receiver.wait("/push", 1).await.remove(0));
    assert_eq!(pushed["app_badge"], 1);
    assert_eq!(pushed["notification"]["navigate"], format!("https://play.example/match/{match_id}"));
    assert_eq!((counts(ada).await, counts(bob).await), ([1, 0], [0, 1]));
    let turn = home(ada).await["turns"][0].clone();
    assert_eq!((&turn["match_id"], &turn["unread"]), (&json!(match_id), &json!(1)));
    assert!(turn.get("round").is_none() && turn["join_code"] == code, "{turn}");
    assert_eq!(ada.get("/v1/turns").await.expect(200)["count"], 0, "it is no turn");
    let path = format!("/v1/events?after={}", from["cursor"].as_str().unwrap());
    let news = ada.get(&path).await.expect(200);
    assert_eq!(
        (&news["items"][0]["type"], &news["items"][0]["match_id"]),
        (&json!("joined"), &json!(match_id))
    );

    until_status(ada, &hook, "delivered").await;
    app.run(PENDING).await;
    bob.leave(match_id).await.expect(204);
    assert_eq!((counts(ada).await, counts(bob).await), ([0, 1], [0, 0]));
    is_outdated(&app, ada, &hook).await;
    // The seat is taken again: that is another event.
    bob.join(code, "").await.expect(201);
    receiver.wait("/ada", 2).await;
    until_status(ada, &hook, "delivered").await;
    app.run(PENDING).await;
    ada.start(match_id).await.expect(200);
    is_outdated(&app, ada, &hook).await;
    assert_eq!(deliveries(bob, &others).await, Vec::<Value>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_that_nobody_has_joined_or_that_starts_by_itself_is_told_to_nobody() {
    let app = TestApp::start().await;
    let (players, receiver) = (app.players(2).await, Receiver::start().await);
    let (ada, bob) = (&players[0], &players[1]);
    let mut channels = Vec::new();
    for player in &players {
        let path = format!("/{}", player.name);
        channels.push(webhook(player, &receiver, &path, json!({"kinds": ["table_full", "your_turn"]})).await);
    }
    // The host has filled it with bots, and is there. It waits on the home screen.
    ada.create(&json!({"size": 2, "bots": ["easy"]})).await.expect(201);
    assert_eq!(counts(ada).await, [1, 0]);
    // A table with a free seat.
    let created = ada.create(&json!({"size": 3})).await.expect(201);
    bob.join(created["join_code"].as_str().unwrap(), "").await.expect(201);
    let challenge = ada.challenge(None, &json!({"opponents": [bob.name]})).await.expect(201);
    bob.accept_challenge(id(&challenge), "").await.expect(200);
    for player in &players {
        player.request_pairing(None, &json!({"size": 2})).await.expect(201);
    }
    until("turns of both matches are told", async || receiver.all().len() == 2).await;
    assert!(receiver.all().iter().all(|posted| posted.json()["type"] == "your_turn"));
    assert_eq!(app.count("SELECT count(*) FROM deliveries WHERE kind = 'table_full'").await, 0);
}
