//! Web push: messages are decrypted by code independent of the encryption, and their signature is verified.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode};
use serde_json::{Value, json};
use web_push_native::p256::SecretKey;
use web_push_native::p256::elliptic_curve::sec1::ToEncodedPoint;
use web_push_native::{Auth, decrypt};

use crate::notices::{until_status, webhook};
use crate::support::receiver::{Manner, Posted, Receiver};
use crate::support::{Player, TestApp, id, until};

/// A subscribed browser.
pub(crate) struct Browser {
    key: SecretKey,
    auth: [u8; 16],
}

impl Browser {
    pub(crate) fn new(number: u8) -> Self {
        Self { key: SecretKey::from_slice(&[number; 32]).unwrap(), auth: [number; 16] }
    }

    fn subscription(&self, endpoint: &str) -> Value {
        let public = self.key.public_key().to_encoded_point(false);
        json!({"endpoint": endpoint, "p256dh": BASE64.encode(public), "auth": BASE64.encode(self.auth)})
    }

    pub(crate) fn read(&self, posted: &Posted) -> Value {
        let text = decrypt(posted.body.clone(), &self.key, &Auth::from(self.auth)).unwrap();
        serde_json::from_slice(&text).unwrap()
    }
}

async fn subscribe(player: &Player, browser: &Browser, receiver: &Receiver, rest: Value) -> Value {
    subscribe_at(player, browser, &receiver.url("/push"), rest).await
}

pub(crate) async fn subscribe_at(player: &Player, browser: &Browser, endpoint: &str, rest: Value) -> Value {
    let mut body = browser.subscription(endpoint);
    body.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    player.post("/v1/push-channels", None, &body).await.expect(201)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_is_read_by_its_browser_alone_and_says_who_sends_it() {
    let app = TestApp::start_with(|options| {
        options.contact = Some("mailto:ops@yaniv.example".to_owned());
        options.public_url = Some("https://yaniv.example".to_owned());
    })
    .await;
    let (players, receiver, browser) = (app.players(2).await, Receiver::start().await, Browser::new(7));
    let key = Player::anonymous(app.address).get("/v1/server").await.expect(200);
    let key = key["push_key"].as_str().unwrap();
    let link = "https://play.example/matches/{id}";
    for player in &players {
        let endpoint = receiver.url(&format!("/{}", player.name));
        subscribe_at(player, &browser, &endpoint, json!({"link": link, "kinds": ["your_turn"]})).await;
    }
    let view = app.started(&players, json!({})).await;
    until("it is posted", async || !receiver.all().is_empty()).await;
    let posted = receiver.all().pop().unwrap();
    let said = browser.read(&posted);
    let notification = &said["notification"];
    assert_eq!((&said["web_push"], &said["app_badge"]), (&json!(8030), &json!(1)));
    assert_eq!(notification["title"], "Your turn");
    assert_eq!(notification["navigate"], format!("https://play.example/matches/{}", id(&view)));
    assert_eq!(notification["data"]["code"], "your_turn");
    assert_eq!(notification["data"]["parameters"]["match_id"], *id(&view));
    assert!(decrypt(posted.body.clone(), &Browser::new(8).key, &Auth::from([7; 16])).is_err());
    assert!(decrypt(posted.body.clone(), &browser.key, &Auth::from([8; 16])).is_err());

    let (token, used) =
        posted.header("authorization").strip_prefix("vapid t=").unwrap().split_once(", k=").unwrap();
    assert_eq!(used, key);
    let point = BASE64.decode(key).unwrap();
    let verifying =
        DecodingKey::from_ec_components(&BASE64.encode(&point[1..33]), &BASE64.encode(&point[33..])).unwrap();
    let mut validation = Validation::new(Algorithm::ES256);
    validation.set_audience(&[format!("http://{}", receiver.address)]);
    let claims = decode::<Value>(token, &verifying, &validation).unwrap().claims;
    assert_eq!(claims["sub"], "mailto:ops@yaniv.example");
    let left = claims["exp"].as_i64().unwrap() - chrono::Utc::now().timestamp();
    assert!((1..=24 * 3600).contains(&left), "{left}");
    for (name, value) in [("content-encoding", "aes128gcm"), ("urgency", "normal"), ("ttl", "259200")] {
        assert_eq!(posted.header(name), value);
    }
    assert!(posted.header("topic").len() <= 32);
    assert!(!posted.has_header("webhook-signature"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscription_that_is_gone_ends_and_the_same_again_is_there_again() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let (receiver, browser) = (Receiver::start().await, Browser::new(9));
    for status in [404, 410] {
        receiver.answer(Manner::Status(201));
        let channel = subscribe(&bob, &browser, &receiver, json!({})).await;
        assert_eq!(channel["status"], "active");
        assert_eq!(bob.get("/v1/channels").await.expect(200)["items"].as_array().unwrap().len(), 1);
        receiver.answer(Manner::Status(status));
        ada.challenge(None, &json!({"opponents": ["bob"]})).await.expect(201);
        assert_eq!(until_status(&bob, &channel, "failed").await["reason"], "gone");
        let path = format!("/v1/channels/{}", id(&channel));
        until("it is gone", async || bob.get(&path).await.expect(200)["status"] == "gone").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_device_that_is_logged_out_is_told_nothing_more() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let phone = Player::log_in(app.address, "bob").await;
    let receiver = Receiver::start().await;
    let channel = subscribe(&phone, &Browser::new(9), &receiver, json!({})).await;
    phone.delete("/v1/sessions/current").await.expect(204);
    ada.challenge(None, &json!({"opponents": ["bob"]})).await.expect(201);
    let hook = webhook(&bob, &receiver, "/hook", json!({})).await;
    ada.challenge(None, &json!({"opponents": ["bob"]})).await.expect(201);
    until_status(&bob, &hook["channel"], "delivered").await;
    assert_eq!(receiver.at("/push").len(), 0);
    bob.get(&format!("/v1/channels/{}", id(&channel))).await.expect_problem(404, "channel_not_found");
}

async fn channels(player: &Player) -> usize {
    player.get("/v1/channels").await.expect(200)["items"].as_array().unwrap().len()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_push_channel_ends_with_its_session_however_that_ends() {
    let app = TestApp::start().await;
    let (bob, browser) = (app.player("bob").await, Browser::new(9));
    for how in ["log-out", "ended by its owner", "expired"] {
        let phone = Player::log_in(app.address, "bob").await;
        for number in 0..20 {
            let body =
                browser.subscription(&format!("https://push.example/{how}/{number}").replace(' ', "-"));
            phone.post("/v1/push-channels", None, &body).await.expect(201);
        }
        assert_eq!(channels(&bob).await, 20);
        let body = browser.subscription("https://push.example/more");
        bob.post("/v1/push-channels", None, &body).await.expect_problem(409, "too_many_channels");
        match how {
            "log-out" => drop(phone.delete("/v1/sessions/current").await.expect(204)),
            "ended by its owner" => {
                let sessions = bob.get("/v1/sessions").await.expect(200);
                let others =
                    sessions["items"].as_array().unwrap().iter().filter(|one| one["current"] != true);
                for other in others {
                    bob.delete(&format!("/v1/sessions/{}", id(other))).await.expect(204);
                }
            }
            _ => {
                let newest = "SELECT id FROM sessions ORDER BY created_at DESC LIMIT 1";
                let expired = format!("UPDATE sessions SET expires_at = now() WHERE id = ({newest})");
                assert_eq!(app.changed(&expired).await, 1);
            }
        }
        assert_eq!(channels(&bob).await, 0, "{how}");
    }
    let body = browser.subscription("https://push.example/more");
    bob.post("/v1/push-channels", None, &body).await.expect(201);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscription_that_is_sent_again_keeps_what_its_owner_chose() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let receiver = Receiver::start().await;
    let sent = json!({"name": "Firefox", "link": "https://play.example/{kind}/{id}"});
    let channel = subscribe(&bob, &Browser::new(9), &receiver, sent.clone()).await;
    let chosen = json!({"name": "Bob's laptop", "kinds": ["invited"], "immediate": true});
    bob.patch(&format!("/v1/channels/{}", id(&channel)), &chosen).await.expect(200);
    let newer = Browser::new(10);
    for bob in [&bob, &Player::log_in(app.address, "bob").await] {
        let again = subscribe(bob, &newer, &receiver, sent.clone()).await;
        assert_eq!(again["channel_id"], channel["channel_id"]);
        for field in ["name", "kinds", "immediate"] {
            assert_eq!(again[field], chosen[field]);
        }
        assert_eq!(channels(bob).await, 1);
    }
    let challenge = ada.challenge(None, &json!({"opponents": ["bob"]})).await.expect(201);
    let posted = receiver.wait("/push", 1).await.pop().unwrap();
    let navigate = format!("https://play.example/invited/{}", id(&challenge));
    assert_eq!(newer.read(&posted)["notification"]["navigate"], navigate, "the keys are those of now");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_belongs_to_the_account_that_sent_it_last() {
    let app = TestApp::start().await;
    let (ada, bob, carol) = (app.player("ada").await, app.player("bob").await, app.player("carol").await);
    let (receiver, browser) = (Receiver::start().await, Browser::new(9));
    subscribe(&ada, &browser, &receiver, json!({"name": "the laptop"})).await;
    let of_bob = subscribe(&bob, &browser, &receiver, json!({})).await;
    assert_ne!(of_bob["name"], "the laptop");
    assert_eq!((channels(&ada).await, channels(&bob).await), (0, 1));
    carol.challenge(None, &json!({"opponents": ["ada"]})).await.expect(201);
    carol.challenge(None, &json!({"opponents": ["bob"]})).await.expect(201);
    until_status(&bob, &of_bob, "delivered").await;
    let posted = receiver.wait("/push", 1).await;
    assert_eq!(posted.len(), 1);
    assert_eq!(browser.read(&posted[0])["notification"]["data"]["parameters"]["username"], "bob");
    // At the same moment: one of them has it in the end, and neither gets an error.
    let both = [&ada, &bob].map(|player| subscribe(player, &browser, &receiver, json!({})));
    futures_util::future::join_all(both).await;
    assert_eq!(channels(&ada).await + channels(&bob).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_invitation_does_not_lead_to_the_page_of_a_match() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let (receiver, browser) = (Receiver::start().await, Browser::new(9));
    subscribe(&bob, &browser, &receiver, json!({"link": "https://play.example/matches/{id}"})).await;
    ada.challenge(None, &json!({"opponents": ["bob"]})).await.expect(201);
    let posted = receiver.wait("/push", 1).await.pop().unwrap();
    assert_eq!(browser.read(&posted)["notification"]["navigate"], "https://play.example/");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscription_with_keys_that_are_none_is_refused() {
    let app = TestApp::start().await;
    let bob = app.player("bob").await;
    let good = Browser::new(9).subscription("https://push.example/send");
    let not_on_the_curve = BASE64.encode([&[4][..], &[7; 64]].concat());
    for (field, value) in
        [("p256dh", "AAAA"), ("p256dh", not_on_the_curve.as_str()), ("auth", "AAAA"), ("p256dh", "§")]
    {
        let mut body = good.clone();
        body[field] = value.into();
        let problem = bob.post("/v1/push-channels", None, &body).await.expect_problem(422, "invalid_body");
        assert_eq!(problem["fields"][0]["name"], field);
    }
    let channel = bob.post("/v1/push-channels", None, &good).await.expect(201);
    let rotated = bob.post(&format!("/v1/channels/{}/rotate-secret", id(&channel)), None, &Value::Null).await;
    rotated.expect_problem(409, "not_a_webhook");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_longest_link_still_goes_into_a_push() {
    let app = TestApp::start().await;
    let (players, receiver, browser) = (app.players(2).await, Receiver::start().await, Browser::new(7));
    let link = |id: &str| format!("https://play.example/{id}/{}", "a".repeat(942));
    assert_eq!(link(&"i".repeat(36)).len(), 1000);
    for player in &players {
        let endpoint = receiver.url(&format!("/{}", player.name));
        subscribe_at(player, &browser, &endpoint, json!({"link": link("{id}"), "kinds": ["your_turn"]}))
            .await;
    }
    let view = app.started(&players, json!({})).await;
    until("it is posted", async || !receiver.all().is_empty()).await;
    let posted = receiver.all().pop().unwrap();
    assert_eq!(browser.read(&posted)["notification"]["navigate"], link(id(&view)));
}
