//! Notifications by signed webhooks: who gets which, and when not.

use serde_json::{Value, json};

use crate::support::receiver::Receiver;
use crate::support::strategy::{Random, choose};
use crate::support::{Player, TestApp, id, until, version};

/// Creates a webhook of this player at a path; for all events, without delay.
pub(crate) async fn webhook(player: &Player, receiver: &Receiver, path: &str, rest: Value) -> Value {
    let mut body = json!({"url": receiver.url(path), "format": "standard", "immediate": true});
    body.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    player.post("/v1/webhook-channels", None, &body).await.expect(201)
}

/// Deliveries of a channel, newest first.
pub(crate) async fn deliveries(player: &Player, channel: &Value) -> Vec<Value> {
    let path = format!("/v1/channels/{}/deliveries", id(channel));
    player.get(&path).await.expect(200)["items"].as_array().unwrap().clone()
}

/// Waits until the newest notification of a channel has this status.
pub(crate) async fn until_status(player: &Player, channel: &Value, status: &str) -> Value {
    let mut newest = Value::Null;
    until(status, async || {
        newest = deliveries(player, channel).await.first().cloned().unwrap_or_default();
        newest["status"] == status
    })
    .await;
    newest
}

/// Makes all waiting notifications due.
pub(crate) async fn hurry(app: &TestApp) {
    app.run("UPDATE deliveries SET due_at = now() WHERE done_at IS NULL").await;
}

/// The seat to act, and the other one.
async fn sides(players: &[Player], match_id: &str) -> (usize, usize) {
    let view = players[0].view(match_id).await;
    let seat = usize::try_from(view["table"]["to_act"][0].as_u64().unwrap()).unwrap();
    // Seats are in the order of joining.
    (seat, 1 - seat)
}

/// The player makes a play.
async fn play(player: &Player, match_id: &str, random: &mut Random) {
    loop {
        let view = player.view(match_id).await;
        let (kind, body) = choose(&view, random);
        if kind == "plays" {
            player.act(match_id, kind, &body).await.expect(200);
            return;
        }
    }
}

/// A match in which the first player begins, from the answer to its start: no player has seen it yet.
async fn started_by_first(players: &[Player]) -> Value {
    loop {
        let created = players[0].create(&json!({"size": 2, "seat_order": IN_ORDER})).await.expect(201);
        players[1].join(created["join_code"].as_str().unwrap(), "").await.expect(201);
        let view = players[0].start(id(&created)).await.expect(200);
        if view["table"]["to_act"] == json!([0]) {
            return view;
        }
    }
}

const IN_ORDER: &str = "joined";

/// Counts the matches that a player has looked at.
fn looks_of(player: &Player) -> String {
    format!(
        "SELECT count(*) FROM match_last_seen JOIN accounts ON id = account_id WHERE username = '{}'",
        player.name
    )
}

async fn started(players: &[Player]) -> String {
    let created = players[0].create(&json!({"size": 2, "seat_order": IN_ORDER})).await.expect(201);
    players[1].join(created["join_code"].as_str().unwrap(), "").await.expect(201);
    id(&players[0].start(id(&created)).await.expect(200)).to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_player_to_act_is_notified_once_with_a_signature() {
    let app = TestApp::start().await;
    app.second().await;
    let (players, receiver) = (app.players(2).await, Receiver::start().await);
    let mut secrets = Vec::new();
    for (player, path) in players.iter().zip(["/0", "/1"]) {
        let made = webhook(player, &receiver, path, json!({"kinds": ["your_turn"]})).await;
        secrets.push(made["secret"].as_str().unwrap().to_owned());
    }
    let match_id = started(&players).await;
    let mut random = Random(7);
    let mut told = [0, 0];
    for _ in 0..6 {
        let (mover, other) = sides(&players, &match_id).await;
        told[mover] += 1;
        let posted = receiver.wait(&format!("/{mover}"), told[mover]).await.pop().unwrap();
        assert_eq!(posted.signed_by(&secrets[mover]), Some(0));
        assert_eq!(posted.signed_by(&secrets[other]), None);
        let said = posted.json();
        assert_eq!(said["type"], "your_turn");
        let view = players[mover].view(&match_id).await;
        let data = json!({"username": players[mover].name, "match_id": match_id, "version": version(&view),
            "opponents": [players[other].name], "round": 1, "phase": "turn"});
        assert_eq!(said["data"], data, "nothing but this is told");
        play(&players[mover], &match_id, &mut random).await;
    }
    let (mover, _) = sides(&players, &match_id).await;
    told[mover] += 1;
    receiver.wait(&format!("/{mover}"), told[mover]).await;
    // Both instances have run the log scanner several more times.
    tokio::time::sleep(std::time::Duration::from_secs(2)).await;
    assert_eq!([receiver.at("/0").len(), receiver.at("/1").len()], told);
    let ids: std::collections::HashSet<String> =
        receiver.all().iter().map(|posted| posted.id().to_owned()).collect();
    assert_eq!(ids.len(), told[0] + told[1], "each notice has its own identifier");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_is_notified_to_those_who_did_not_cause_it_and_only_wanted_kinds() {
    let app = TestApp::start().await;
    let (players, receiver) = (app.players(2).await, Receiver::start().await);
    for (player, path) in players.iter().zip(["/0", "/1"]) {
        webhook(player, &receiver, path, json!({"kinds": ["match_over"]})).await;
    }
    let silent = webhook(&players[1], &receiver, "/silent", json!({"kinds": []})).await;
    let match_id = started(&players).await;
    players[0].resign(&match_id).await;
    let posted = receiver.wait("/1", 1).await.pop().unwrap();
    assert_eq!(posted.json()["type"], "match_over");
    assert_eq!(posted.json()["data"]["match_id"], *match_id);
    tokio::time::sleep(std::time::Duration::from_secs(2)).await;
    assert_eq!(receiver.all().len(), 1, "{:?}", receiver.all());
    assert_eq!(deliveries(&players[1], &silent["channel"]).await, Vec::<Value>::new());
    assert_eq!(
        app.count("SELECT count(*) FROM notification_positions").await,
        0,
        "nothing is left to be told"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_channel_is_not_told_of_what_was_before_it() {
    let app = TestApp::start().await;
    let (players, receiver) = (app.players(2).await, Receiver::start().await);
    let match_id = started(&players).await;
    let (mover, other) = sides(&players, &match_id).await;
    webhook(&players[mover], &receiver, "/mover", json!({})).await;
    webhook(&players[other], &receiver, "/other", json!({})).await;
    play(&players[mover], &match_id, &mut Random(1)).await;
    receiver.wait("/other", 1).await;
    assert_eq!(receiver.at("/mover").len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_challenged_is_told_unless_they_do_not_want_to_hear_of_it() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let (carol, receiver) = (app.player("carol").await, Receiver::start().await);
    webhook(&ada, &receiver, "/ada", json!({})).await;
    webhook(&bob, &receiver, "/bob", json!({})).await;
    let deaf = webhook(&carol, &receiver, "/carol", json!({})).await;
    carol.put("/v1/blocks/ada").await.expect(204);
    ada.challenge(None, &json!({"opponents": ["carol"]})).await.expect(201);
    let challenge = ada.challenge(None, &json!({"opponents": ["bob"]})).await.expect(201);
    let said = receiver.wait("/bob", 1).await.pop().unwrap().json();
    assert_eq!(said["type"], "invited");
    let data = json!({"username": "bob", "challenge_id": id(&challenge), "challenger": "ada"});
    assert_eq!(said["data"], data);
    assert_eq!(receiver.all().len(), 1);
    assert_eq!(deliveries(&carol, &deaf["channel"]).await, Vec::<Value>::new());
    // A notification that is obsolete is not sent.
    let channels = bob.get("/v1/channels").await.expect(200);
    until_status(&bob, &channels["items"][0], "delivered").await;
    app.run("UPDATE deliveries SET done_at = NULL, outcome = NULL, due_at = now() + interval '1 hour'").await;
    bob.decline_challenge(id(&challenge), &json!({})).await.expect(200);
    hurry(&app).await;
    let dropped = until_status(&bob, &channels["items"][0], "dropped").await;
    assert_eq!(dropped["reason"], "outdated");
    assert_eq!(receiver.all().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_player_has_seen_or_done_is_not_told() {
    let app = TestApp::start().await;
    let (players, receiver) = (app.players(2).await, Receiver::start().await);
    let match_id = started(&players).await;
    let (mover, other) = sides(&players, &match_id).await;
    let made = webhook(&players[other], &receiver, "/", json!({"immediate": false})).await;
    let channel = &made["channel"];
    players[other].view(&match_id).await;
    until("the look is known", async || {
        players[other].view(&match_id).await;
        app.count(&looks_of(&players[other])).await == 1
    })
    .await;
    play(&players[mover], &match_id, &mut Random(1)).await;
    // The player may still be looking, so it waits.
    until("it waits", async || {
        let all = deliveries(&players[other], channel).await;
        all.first().is_some_and(|newest| {
            let time = |name: &str| newest[name].as_str().unwrap().parse::<chrono::DateTime<chrono::Utc>>();
            let wait = time("next_try_at").unwrap() - time("happened_at").unwrap();
            newest["status"] == "waiting" && (30..=60).contains(&wait.num_seconds())
        })
    })
    .await;
    // The player has looked since: no notification is sent.
    app.run("UPDATE match_last_seen SET at = now()").await;
    hurry(&app).await;
    assert_eq!(until_status(&players[other], channel, "dropped").await["reason"], "seen");
    // The player has not looked, but the turn is over.
    app.run("UPDATE deliveries SET done_at = NULL, outcome = NULL, due_at = now() + interval '1 hour'").await;
    app.run("UPDATE match_last_seen SET at = now() - interval '1 day'").await;
    app.run("UPDATE channels SET immediate = true").await;
    play(&players[other], &match_id, &mut Random(2)).await;
    hurry(&app).await;
    assert_eq!(until_status(&players[other], channel, "dropped").await["reason"], "outdated");
    assert_eq!(receiver.all().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn notices_wait_for_the_end_of_quiet_hours() {
    let app = TestApp::start().await;
    let (players, receiver) = (app.players(2).await, Receiver::start().await);
    let settings = "/v1/notification-settings";
    let none = players[0].get(settings).await.expect(200);
    assert!(none.get("quiet_from").is_none());
    let now = chrono::Utc::now();
    let minute = |minutes: i64| (now + chrono::TimeDelta::minutes(minutes)).format("%H:%M").to_string();
    let quiet = json!({"quiet_from": minute(-60), "quiet_to": minute(60), "time_zone": "UTC"});
    for (player, path) in players.iter().zip(["/0", "/1"]) {
        let set = player.put_json(settings, &quiet).await.expect(200);
        assert_eq!(set["quiet_to"], *minute(60));
        webhook(player, &receiver, path, json!({"immediate": false, "kinds": ["your_turn"]})).await;
        webhook(player, &receiver, "/program", json!({"kinds": ["your_turn"]})).await;
    }
    started(&players).await;
    // No player reads the match, so it does not count as seen.
    let told = receiver.wait("/program", 1).await.pop().unwrap().json();
    let mover = usize::from(told["data"]["username"] == *players[1].name);
    let channels = players[mover].get("/v1/channels").await.expect(200);
    let held = &channels["items"][1];
    until("it waits for the end of the hours", async || {
        let all = deliveries(&players[mover], held).await;
        all.first()
            .is_some_and(|newest| newest["next_try_at"].as_str().unwrap_or_default()[11..16] == minute(60))
    })
    .await;
    assert_eq!(receiver.all().len(), 1);
    // Without quiet hours it is sent.
    let off = players[mover].put_json(settings, &json!({})).await.expect(200);
    assert!(off.get("quiet_from").is_none());
    until("it is sent", async || {
        // Earlier reads may be stored only now.
        app.run("UPDATE match_last_seen SET at = now() - interval '1 day'").await;
        hurry(&app).await;
        // Sent twice, if it was made due while being sent.
        !receiver.at(&format!("/{mover}")).is_empty()
    })
    .await;
    for wrong in [
        json!({"quiet_from": "22:00"}),
        json!({"quiet_from": "22:00", "quiet_to": "22:00", "time_zone": "UTC"}),
        json!({"quiet_from": "24:00", "quiet_to": "07:00", "time_zone": "UTC"}),
        json!({"quiet_from": "22:00", "quiet_to": "07:00", "time_zone": "Mars"}),
        json!({"time_zone": "UTC"}),
        json!({"quiet_from": "22:00", "quiet_to": "07:00"}),
    ] {
        players[0].put_json(settings, &wrong).await.expect_problem(422, "invalid_body");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_in_the_background_is_no_look() {
    let app = TestApp::start().await;
    let (players, receiver) = (app.players(2).await, Receiver::start().await);
    let view = started_by_first(&players).await;
    let (mover, waiter) = (&players[0], &players[1]);
    webhook(waiter, &receiver, "/", json!({"immediate": false})).await;
    let path = format!("/v1/matches/{}", id(&view));
    let background = async || {
        waiter.get(&format!("{path}/events")).await.expect(200);
        waiter.get("/v1/events").await.expect(200);
    };
    background().await;
    let (kind, body) = choose(&view, &mut Random(3));
    mover.act(id(&view), kind, &body).await.expect(200);
    until("it is told though something waits at home", async || {
        background().await;
        !receiver.all().is_empty()
    })
    .await;
    assert_eq!(app.count(&looks_of(waiter)).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_has_just_played_is_looking() {
    let app = TestApp::start().await;
    let (players, receiver) = (app.players(2).await, Receiver::start().await);
    webhook(&players[0], &receiver, "/", json!({"immediate": false})).await;
    let view = started_by_first(&players).await;
    let (kind, body) = choose(&view, &mut Random(3));
    players[0].act(id(&view), kind, &body).await.expect(200);
    let looks = format!("SELECT count(*) FROM match_last_seen WHERE match_id = '{}'", id(&view));
    until("it is a look", async || app.count(&looks).await == 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_standing_orders_play_is_no_turn_to_be_told_of_but_void_orders_leave_one() {
    let app = TestApp::start().await;
    let (players, receiver) = (app.players(2).await, Receiver::start().await);
    let view = started_by_first(&players).await;
    let (mover, waiter, match_id) = (&players[0], &players[1], id(&view));
    for (player, path) in [(mover, "/mover"), (waiter, "/waiter")] {
        webhook(player, &receiver, path, json!({"kinds": ["your_turn"]})).await;
    }
    // First orders that can be executed, then some that cannot.
    for fits in [true, false] {
        let seen = waiter.view(match_id).await;
        let hand = &seen["hand"]["cards"];
        let mut play = json!({"cards": [hand[0]], "draw_from": "stock"});
        if !fits {
            // A card of the own hand is never in the pile.
            play = json!({"cards": [hand[0]], "draw_from": "pile", "draw_card": hand[1]});
        }
        let orders = json!({"expected_version": seen["version"], "plays": [play]});
        waiter.put_json(&format!("/v1/matches/{match_id}/standing-orders"), &orders).await.expect(200);
        let view = mover.view(match_id).await;
        let body = json!({"expected_version": version(&view), "cards": [view["hand"]["cards"][0]], "draw_from": "stock"});
        // Delays the execution of orders, as under load.
        let held = "DO $$ BEGIN PERFORM 1 FROM standing_orders FOR UPDATE; PERFORM pg_sleep(2.5); END $$";
        tokio::join!(app.run(held), async {
            tokio::time::sleep(std::time::Duration::from_millis(300)).await;
            mover.act(match_id, "plays", &body).await.expect(200);
        });
        if fits {
            receiver.wait("/mover", 1).await;
            assert_eq!(receiver.at("/waiter").len(), 0, "nothing is left to do");
        }
    }
    receiver.wait("/waiter", 1).await;
    assert_eq!(receiver.at("/mover").len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_match_that_cannot_be_told_of_holds_no_other_up() {
    let app = TestApp::start().await;
    let (players, receiver) = (app.players(2).await, Receiver::start().await);
    let damaged = started_by_first(&players).await;
    let sound = started_by_first(&players).await;
    let constraint = format!("CHECK (match_id <> '{}') NOT VALID", id(&damaged));
    app.run(&format!("ALTER TABLE deliveries ADD CONSTRAINT damaged {constraint}")).await;
    webhook(&players[1], &receiver, "/", json!({"kinds": ["your_turn"]})).await;
    for view in [&damaged, &sound] {
        let (kind, body) = choose(view, &mut Random(3));
        players[0].act(id(view), kind, &body).await.expect(200);
    }
    let told = receiver.wait("/", 1).await.pop().unwrap();
    assert_eq!(told.json()["data"]["match_id"], *id(&sound));
}
