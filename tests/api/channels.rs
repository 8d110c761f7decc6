//! Channels and deliveries: retries, receivers that fail, hang or are gone, the log, test messages, deletion.

use std::time::Duration;

use serde_json::{Value, json};

use crate::notices::{deliveries, hurry, until_status, webhook};
use crate::support::looks::Looks;
use crate::support::player::PASSWORD;
use crate::support::receiver::{Manner, Receiver};
use crate::support::{Player, TestApp, id, until};

async fn test(player: &Player, channel: &Value) -> Value {
    player.post(&format!("/v1/channels/{}/test", id(channel)), None, &Value::Null).await.expect(202)
}

/// Bob is challenged this many times, and notified.
async fn challenged(app: &TestApp, count: usize) -> (Player, Player) {
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    for _ in 0..count {
        ada.challenge(None, &json!({"opponents": ["bob"]})).await.expect(201);
    }
    (ada, bob)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_notice_that_fails_is_sent_again_under_its_identifier_until_it_arrives() {
    let app = TestApp::start().await;
    let (ada, bob) = challenged(&app, 0).await;
    let receiver = Receiver::start().await;
    let made = webhook(&bob, &receiver, "/hook", json!({})).await;
    let (channel, path) = (&made["channel"], format!("/v1/channels/{}", id(&made["channel"])));
    receiver.answer(Manner::Status(500));
    ada.challenge(None, &json!({"opponents": ["bob"]})).await.expect(201);
    for (manner, reason) in [
        (Manner::Status(500), "refused"),
        (Manner::Status(404), "refused"),
        (Manner::Redirects, "refused"),
        (Manner::Dies, "unreachable"),
    ] {
        receiver.answer(manner);
        let before = receiver.at("/hook").len();
        hurry(&app).await;
        until("it is tried again", async || receiver.at("/hook").len() > before).await;
        until("and has failed", async || {
            let newest = deliveries(&bob, channel).await.remove(0);
            newest["status"] == "waiting" && newest["reason"] == reason
        })
        .await;
        assert_eq!(bob.get(&path).await.expect(200)["status"], "failing");
    }
    receiver.answer(Manner::Status(200));
    hurry(&app).await;
    let delivered = until_status(&bob, channel, "delivered").await;
    assert_eq!(delivered["answered_status"], 200);
    assert_eq!(bob.get(&path).await.expect(200)["status"], "active");
    let posts = receiver.all();
    assert!(
        posts.iter().all(|posted| posted.id() == id(&delivered)),
        "duplicates are known by their identifier"
    );
    assert_eq!(receiver.at("/elsewhere").len(), 0, "nobody is followed elsewhere");
    assert_eq!(delivered["attempts"], posts.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn tries_come_less_and_less_often_and_end_after_days() {
    let app = TestApp::start().await;
    let (ada, bob) = challenged(&app, 0).await;
    let receiver = Receiver::start().await;
    receiver.answer(Manner::Status(503));
    let made = webhook(&bob, &receiver, "/hook", json!({})).await;
    ada.challenge(None, &json!({"opponents": ["bob"]})).await.expect(201);
    let (mut pauses, mut attempts) = (Vec::new(), 0);
    loop {
        attempts += 1;
        until("it is tried", async || {
            let newest = deliveries(&bob, &made["channel"]).await.first().cloned().unwrap_or_default();
            newest["attempts"] == attempts
                && newest["answered_status"] == 503
                && receiver.all().len() == attempts
        })
        .await;
        let in_flight = "SELECT count(*) FROM deliveries WHERE lease IS NOT NULL";
        until("it is written down", async || app.count(in_flight).await == 0).await;
        let newest = deliveries(&bob, &made["channel"]).await.remove(0);
        if newest["status"] == "failed" {
            break;
        }
        let time =
            |name: &str| newest[name].as_str().unwrap().parse::<chrono::DateTime<chrono::Utc>>().unwrap();
        pauses.push((time("next_try_at") - time("tried_at")).num_seconds());
        hurry(&app).await;
    }
    let sum: i64 = pauses.iter().sum();
    assert!(pauses.windows(2).all(|pair| pair[0] < pair[1]), "{pauses:?}");
    assert!((2 * 86_400..5 * 86_400).contains(&sum), "{pauses:?}");
    // This notification was given up, not the channel.
    receiver.answer(Manner::Status(200));
    ada.challenge(None, &json!({"opponents": ["bob"]})).await.expect(201);
    until_status(&bob, &made["channel"], "delivered").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_that_hangs_delays_no_other() {
    let app = TestApp::start().await;
    let (ada, bob) = challenged(&app, 0).await;
    let (carol, hanging) = (app.player("carol").await, Receiver::start().await);
    hanging.answer(Manner::Hangs);
    for path in 0..10 {
        webhook(&bob, &hanging, &format!("/{path}"), json!({})).await;
    }
    let prompt = Receiver::start().await;
    webhook(&carol, &prompt, "/hook", json!({})).await;
    for _ in 0..6 {
        ada.challenge(None, &json!({"opponents": ["bob"]})).await.expect(201);
    }
    until("it hangs", async || hanging.all().len() >= 2).await;
    let looks = Looks::at(&app);
    let begun = looks.now();
    for number in 1..=6 {
        ada.challenge(None, &json!({"opponents": ["carol"]})).await.expect(201);
        prompt.wait("/hook", number).await;
    }
    // A hanging request is given up after fifteen seconds.
    let took = looks.now().since(begun);
    assert!(took < Duration::from_secs(9), "{took:?}");
    assert!(hanging.all().len() <= 4, "not more than two at a time: {}", hanging.all().len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_webhook_that_is_gone_is_told_nothing_until_it_is_changed() {
    let app = TestApp::start().await;
    let (ada, bob) = challenged(&app, 0).await;
    let receiver = Receiver::start().await;
    let made = webhook(&bob, &receiver, "/hook", json!({})).await;
    let (channel, path) = (&made["channel"], format!("/v1/channels/{}", id(&made["channel"])));
    receiver.answer(Manner::Status(410));
    ada.challenge(None, &json!({"opponents": ["bob"]})).await.expect(201);
    assert_eq!(until_status(&bob, channel, "failed").await["reason"], "gone");
    until("it is gone", async || bob.get(&path).await.expect(200)["status"] == "gone").await;
    ada.challenge(None, &json!({"opponents": ["bob"]})).await.expect(201);
    let test = bob.post(&format!("{path}/test"), None, &Value::Null).await;
    test.expect_problem(409, "channel_gone");
    assert_eq!(deliveries(&bob, channel).await.len(), 1);
    receiver.answer(Manner::Status(200));
    assert_eq!(bob.patch(&path, &json!({})).await.expect(200)["status"], "active");
    ada.challenge(None, &json!({"opponents": ["bob"]})).await.expect(201);
    until_status(&bob, channel, "delivered").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_is_sent_at_once_and_tried_once() {
    let app = TestApp::start().await;
    let (_, bob) = challenged(&app, 0).await;
    let receiver = Receiver::start().await;
    let made = webhook(&bob, &receiver, "/hook", json!({"kinds": [], "immediate": false})).await;
    let sent = test(&bob, &made["channel"]).await;
    assert_eq!((&sent["kind"], &sent["status"]), (&json!("test"), &json!("waiting")));
    let posted = receiver.wait("/hook", 1).await.pop().unwrap();
    assert_eq!(posted.id(), id(&sent));
    assert_eq!(posted.json()["type"], "test");
    until_status(&bob, &made["channel"], "delivered").await;
    receiver.answer(Manner::Status(500));
    test(&bob, &made["channel"]).await;
    let failed = until_status(&bob, &made["channel"], "failed").await;
    assert_eq!((&failed["attempts"], &failed["answered_status"]), (&json!(1), &json!(500)));
    let first =
        bob.get(&format!("/v1/channels/{}/deliveries?limit=1", id(&made["channel"]))).await.expect(200);
    assert_eq!(id(&first["items"][0]), id(&failed));
    let cursor = first["next_cursor"].as_str().unwrap();
    let path = format!("/v1/channels/{}/deliveries?cursor={cursor}", id(&made["channel"]));
    let rest = bob.get(&path).await.expect(200);
    assert_eq!(rest["items"].as_array().unwrap().len(), 1);
    assert_eq!(id(&rest["items"][0]), id(&sent));
}

#[tokio::test(flavor = "multi_thread")]
async fn rooms_of_people_get_a_line_of_text() {
    let app = TestApp::start().await;
    let (ada, bob) = challenged(&app, 0).await;
    let receiver = Receiver::start().await;
    let link = "https://play.example/{kind}/{id}";
    for format in ["discord", "slack", "ntfy"] {
        let path = format!("/{format}");
        webhook(&bob, &receiver, &path, json!({"format": format, "link": link})).await;
    }
    let challenge = ada.challenge(None, &json!({"opponents": ["bob"]})).await.expect(201);
    let link = format!("https://play.example/invited/{}", id(&challenge));
    let line = format!("bob: Challenge from ada – You are invited to a match. {link}");
    let posted = async |path: &str| receiver.wait(path, 1).await.pop().unwrap();
    let discord = json!({"content": line, "allowed_mentions": {"parse": []}});
    assert_eq!(posted("/discord").await.json(), discord);
    assert_eq!(posted("/slack").await.json(), json!({"text": line, "mrkdwn": false}));
    let ntfy = posted("/ntfy").await;
    let body = format!("bob: You are invited to a match. {link}");
    assert_eq!(String::from_utf8(ntfy.body.clone()).unwrap(), body);
    assert_eq!(ntfy.header("title"), "Challenge from ada");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_secret_is_exchanged_without_a_gap() {
    let app = TestApp::start().await;
    let (_, bob) = challenged(&app, 0).await;
    let receiver = Receiver::start().await;
    let made = webhook(&bob, &receiver, "/hook", json!({})).await;
    let path = format!("/v1/channels/{}/rotate-secret", id(&made["channel"]));
    let rotated = bob.post(&path, None, &Value::Null).await.expect(201);
    let [old, new] = [&made, &rotated].map(|made| made["secret"].as_str().unwrap());
    assert_ne!(old, new);
    test(&bob, &made["channel"]).await;
    let posted = receiver.wait("/hook", 1).await.pop().unwrap();
    assert_eq!((posted.signed_by(new), posted.signed_by(old)), (Some(0), Some(1)));
    until_status(&bob, &made["channel"], "delivered").await;
    // The answer is lost, and the request repeated: the receiver has the first secret.
    let again = bob.post(&path, None, &Value::Null).await.expect(201);
    let newest = again["secret"].as_str().unwrap();
    test(&bob, &made["channel"]).await;
    let posted = receiver.wait("/hook", 2).await.pop().unwrap();
    let places = [newest, new, old].map(|secret| posted.signed_by(secret));
    assert_eq!(places, [Some(0), Some(1), Some(2)]);
    until_status(&bob, &made["channel"], "delivered").await;
    for _ in 2..10 {
        bob.post(&path, None, &Value::Null).await.expect(201);
    }
    let refused = bob.post(&path, None, &Value::Null).await;
    refused.expect_problem(429, "too_many_rotations");
    assert_eq!(refused.header("retry-after"), Some("3600"));
    let limit = refused.header("ratelimit").unwrap();
    let wait: u64 = limit.split_once(";t=").unwrap().1.parse().unwrap();
    assert!((86_000..=86_400).contains(&wait), "{wait}");
    app.run("UPDATE channels SET previous_until = now() - interval '1 second'").await;
    app.run("UPDATE rotated_secrets SET signs_until = now() - interval '1 second'").await;
    let last = bob.post(&path, None, &Value::Null).await.expect(201);
    test(&bob, &made["channel"]).await;
    let posted = receiver.wait("/hook", 3).await.pop().unwrap();
    let secrets = [last["secret"].as_str().unwrap(), newest, old];
    assert_eq!(secrets.map(|secret| posted.signed_by(secret)), [Some(0), None, None]);
}

#[tokio::test(flavor = "multi_thread")]
async fn channels_are_changed_listed_and_deleted_and_there_are_twenty_at_most() {
    let app = TestApp::start().await;
    let (_, bob) = challenged(&app, 0).await;
    let receiver = Receiver::start().await;
    let made = webhook(&bob, &receiver, "/secret-token", json!({"name": "a hook"})).await["channel"].clone();
    let path = format!("/v1/channels/{}", id(&made));
    assert_eq!(made["host"], receiver.address.to_string());
    assert!(!bob.get(&path).await.body.contains("secret-token"), "the address is as good as a password");
    assert_eq!(
        made["kinds"],
        json!(["your_turn", "deadline_near", "table_full", "nudged", "invited", "match_over"])
    );
    let change = json!({"name": "another", "kinds": ["round_over"], "link": "https://play.example/{id}", "immediate": false});
    let changed = bob.patch(&path, &change).await.expect(200);
    assert_eq!((&changed["name"], &changed["kinds"]), (&json!("another"), &json!(["round_over"])));
    assert!(changed.get("immediate").is_none());
    let taken = bob.patch(&path, &json!({"link": ""})).await.expect(200);
    assert_eq!((taken.get("link"), &taken["name"]), (None, &json!("another")));
    for wrong in [
        json!({"link": "javascript:alert(1)"}),
        json!({"link": "https://a b"}),
        json!({"link": "https://play.example/{id}/{id}"}),
        json!({"link": format!("https://play.example/{{id}}/{}", "a".repeat(960))}),
        json!({"link": "https://play.example/\"{id}\""}),
        json!({"name": ""}),
        json!({"kinds": ["chat"]}),
        json!({"url": "https://elsewhere.example"}),
    ] {
        bob.patch(&path, &wrong).await.expect_problem(422, "invalid_body");
    }
    for number in 1..20 {
        webhook(&bob, &receiver, &format!("/{number}"), json!({})).await;
    }
    let body = json!({"url": receiver.url("/more"), "format": "standard"});
    bob.post("/v1/webhook-channels", None, &body).await.expect_problem(409, "too_many_channels");
    bob.delete(&path).await.expect(204);
    bob.delete(&path).await.expect_problem(404, "channel_not_found");
    bob.get(&path).await.expect_problem(404, "channel_not_found");
    assert_eq!(bob.get("/v1/channels").await.expect(200)["items"].as_array().unwrap().len(), 19);
}

#[tokio::test(flavor = "multi_thread")]
async fn addresses_inside_of_networks_are_refused() {
    let app = TestApp::start_with(|options| options.private_destinations = false).await;
    let (_, bob) = challenged(&app, 0).await;
    let receiver = Receiver::start().await;
    for url in [
        receiver.url("/hook"),
        "https://127.0.0.1/hook".to_owned(),
        "https://[::ffff:10.0.0.1]/".to_owned(),
        "https://2130706433/".to_owned(),
        "https://localhost/".to_owned(),
        "https://user:pass@hooks.example/".to_owned(),
        "https://hooks.example:8443/".to_owned(),
        "http://hooks.example/".to_owned(),
    ] {
        let body = json!({"url": url, "format": "standard"});
        let problem = bob.post("/v1/webhook-channels", None, &body).await;
        assert_eq!(problem.expect_problem(422, "url_not_allowed")["fields"][0]["name"], "url");
    }
    // A channel from when that was allowed.
    let body = json!({"url": "https://hooks.example/", "format": "standard"});
    let made = bob.post("/v1/webhook-channels", None, &body).await.expect(201);
    app.run(&format!("UPDATE channels SET url = '{}'", receiver.url("/hook"))).await;
    test(&bob, &made["channel"]).await;
    assert_eq!(until_status(&bob, &made["channel"], "failed").await["reason"], "unreachable");
    assert_eq!(receiver.all().len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_of_channels_is_left_of_a_deleted_account() {
    let app = TestApp::start().await;
    let (ada, bob) = challenged(&app, 0).await;
    let receiver = Receiver::start().await;
    receiver.answer(Manner::Status(500));
    webhook(&bob, &receiver, "/hook", json!({})).await;
    let quiet = json!({"quiet_from": "22:00", "quiet_to": "07:00", "time_zone": "UTC"});
    bob.put_json("/v1/notification-settings", &quiet).await.expect(200);
    ada.challenge(None, &json!({"opponents": ["bob"]})).await.expect(201);
    receiver.wait("/hook", 1).await;
    let export = bob.get("/v1/account/export").await.expect(200);
    assert_eq!(export["channels"][0]["format"], "standard");
    assert_eq!(export["channels"][0]["host"], receiver.address.to_string());
    assert_eq!(export["notification_settings"]["quiet_to"], "07:00");
    assert!(!export.to_string().contains("whsec_"));
    bob.post("/v1/account/delete", None, &json!({"password": PASSWORD})).await.expect(202);
    for table in ["channels", "deliveries", "match_last_seen", "notice_settings"] {
        let rows = format!("SELECT count(*) FROM {table}");
        until(&format!("{table} is empty"), async || app.count(&rows).await == 0).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_claims_a_notice_and_is_gone_has_not_tried_it() {
    let app = TestApp::start().await;
    let (ada, bob) = challenged(&app, 0).await;
    let receiver = Receiver::start().await;
    receiver.answer(Manner::Status(503));
    let made = webhook(&bob, &receiver, "/hook", json!({})).await;
    // The claimed notifications cannot be read.
    app.run("ALTER TABLE notice_settings RENAME TO elsewhere").await;
    ada.challenge(None, &json!({"opponents": ["bob"]})).await.expect(201);
    for minutes in [1, 2, 2] {
        let claimed = format!(
            "SELECT count(*) FROM deliveries WHERE lease IS NOT NULL AND due_at = tried_at + interval '{minutes} minutes'"
        );
        until("it is claimed, for longer after a claim that was lost", async || {
            app.count(&claimed).await == 1
        })
        .await;
        hurry(&app).await;
    }
    app.run("ALTER TABLE elsewhere RENAME TO notice_settings").await;
    hurry(&app).await;
    until("it is tried", async || !receiver.all().is_empty()).await;
    let tried = async || deliveries(&bob, &made["channel"]).await.remove(0);
    until("and waits", async || tried().await["reason"] == "refused").await;
    assert_eq!(tried().await["attempts"], 1, "the pause after it is that after the first try");
}
