//! Rate limits: a client that sends too much is refused with a time to retry; a normal player never is.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::contract::send;
use crate::support::player::{PASSWORD, new_key};
use crate::support::{Answer, Player, TestApp, id, version};

/// Concurrent requests.
const AT_ONCE: usize = 5;

async fn limited() -> TestApp {
    TestApp::start_with(|options| {
        options.rate_limits = true;
        options.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    })
    .await
}

fn told_to_wait(answer: &Answer, code: &str, bucket: &str) {
    answer.expect_problem(429, code);
    let wait: u64 = answer.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=200).contains(&wait), "{wait}");
    assert_eq!(answer.header("ratelimit").unwrap(), format!("\"{bucket}\";r=0;t={wait}"));
    assert!(answer.header("ratelimit-policy").unwrap().starts_with(&format!("\"{bucket}\";q=")));
}

/// Sends until refused, several requests at once, so that a machine with slow answers is fast enough. A bucket of this
/// size allows as many, plus one for each interval of refill in the meantime.
async fn until_refused(holds: u32, comes_back: Duration, ask: impl AsyncFn() -> Answer) -> Answer {
    let begun = Instant::now();
    let mut passed = 0;
    while passed < 4 * holds {
        let mut refused = None;
        for answer in join_all((0..AT_ONCE).map(|_| ask())).await {
            if answer.status == 429 {
                refused = Some(answer);
            } else {
                passed += 1;
            }
        }
        let back = begun.elapsed().as_millis() / comes_back.as_millis();
        assert!(u128::from(passed) <= u128::from(holds) + back, "{passed} were let through");
        if let Some(answer) = refused {
            assert!(passed >= holds, "refused after {passed}");
            return answer;
        }
    }
    panic!("this machine is too slow to empty the bucket");
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_actions_are_limited_and_the_next_accepted_one_is_not() {
    let app = limited().await;
    let players = app.players(2).await;
    let mut view = app.started(&players, json!({"preset": "speedy"})).await;
    let match_id = id(&view).to_owned();
    let seat = view["table"]["to_act"][0].as_u64().unwrap();
    let player = &players[usize::try_from(seat).unwrap()];
    let wrong = json!({"expected_version": version(&view), "cards": ["4D", "9C"], "draw_from": "nothing"});
    let act = async || {
        let answer = player.act(&match_id, "plays", &wrong).await;
        assert!(answer.status.is_client_error(), "{}", answer.body);
        answer
    };
    let answer = until_refused(60, Duration::from_secs(1), act).await;
    told_to_wait(&answer, "too_many_refused_actions", "refused_actions");
    view = player.view(&match_id).await;
    let discard = &view["legal"]["discards"][0];
    let play = json!({"expected_version": version(&view), "cards": discard, "draw_from": "stock"});
    player.act(&match_id, "plays", &play).await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn actions_that_had_happened_before_are_limited() {
    let app = limited().await;
    let players = app.players(2).await;
    let view = app.started(&players, json!({"preset": "speedy"})).await;
    let match_id = id(&view).to_owned();
    let seat = usize::try_from(view["table"]["to_act"][0].as_u64().unwrap()).unwrap();
    let own = players[seat].view(&match_id).await;
    let discard = &own["legal"]["discards"][0];
    let play = json!({"expected_version": version(&own), "cards": discard, "draw_from": "stock"});
    let key = new_key();
    let first = players[seat].act_with(&match_id, "plays", &key, &play).await;
    first.expect(200);
    let again = async || players[seat].act_with(&match_id, "plays", &key, &play).await;
    let answer = until_refused(300, Duration::from_millis(200), again).await;
    told_to_wait(&answer, "too_many_repeated_actions", "repeated_actions");
    // The other player can act all the same.
    let other = &players[1 - seat];
    let own = other.view(&match_id).await;
    let discard = &own["legal"]["discards"][0];
    let play = json!({"expected_version": version(&own), "cards": discard, "draw_from": "stock"});
    other.act(&match_id, "plays", &play).await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn actions_are_limited_whatever_becomes_of_them() {
    let app = limited().await;
    let ada = app.player("ada").await;
    // No key: refused before any query, so this is quick.
    let path = "/v1/matches/0193aa00-0000-7000-8000-0000000000ff/passes";
    let act = async || ada.post(path, None, &json!({"expected_version": 1})).await;
    let answer = until_refused(3000, Duration::from_millis(20), act).await;
    told_to_wait(&answer, "too_many_actions", "actions");
    ada.get("/v1/account").await.expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn readings_and_writes_are_limited_for_each_account() {
    let app = limited().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let answer = until_refused(300, Duration::from_millis(200), async || ada.get("/v1/account").await).await;
    told_to_wait(&answer, "too_many_reads", "reads");
    bob.get("/v1/account").await.expect(200);
    let bad = json!({"size": 99});
    let answer = until_refused(60, Duration::from_secs(1), async || ada.create(&bad).await).await;
    told_to_wait(&answer, "too_many_writes", "writes");
    bob.create(&json!({"size": 2})).await.expect(201);
}

#[tokio::test(flavor = "multi_thread")]
async fn codes_cannot_be_tried_out_without_an_account() {
    let app = limited().await;
    let (ada, nobody) = (app.player("ada").await, Player::anonymous(app.address));
    let created = ada.create(&json!({"size": 2})).await.expect(201);
    let path = format!("/v1/join-codes/{}", created["join_code"].as_str().unwrap());
    let guess = async || nobody.get("/v1/join-codes/22222222").await;
    let answer = until_refused(60, Duration::from_secs(1), guess).await;
    told_to_wait(&answer, "too_many_join_code_reads", "join_code_reads");
    // A right guess is not noticed; an account and another address are not affected.
    assert_eq!(nobody.get(&path).await.status, 429);
    ada.get(&path).await.expect(200);
    let elsewhere = [("x-forwarded-for", "198.51.100.7")];
    nobody.request(Method::GET, &path, &elsewhere, None).await.expect(200);
}

async fn from(app: &TestApp, path: &str, name: &str, forwarded: &str) -> Answer {
    let client = reqwest::Client::new();
    let credentials: Value = json!({"username": name, "password": PASSWORD});
    let request = client.request(Method::POST, app.url(path)).header("x-forwarded-for", forwarded);
    send(&client, request.json(&credentials)).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn strangers_are_limited_by_the_address_that_a_trusted_proxy_names() {
    let app = limited().await;
    // Refused before a password is hashed, so this is quick.
    for _ in 0..20 {
        from(&app, "/v1/accounts", "no", "198.51.100.1").await.expect(422);
    }
    let answer = from(&app, "/v1/accounts", "ada", "198.51.100.1").await;
    told_to_wait(&answer, "too_many_sign_ups", "sign_ups");
    // The client's own entries precede the proxy's.
    let answer = from(&app, "/v1/accounts", "ada", "192.0.2.7, 198.51.100.1").await;
    told_to_wait(&answer, "too_many_sign_ups", "sign_ups");
    from(&app, "/v1/accounts", "ada", "198.51.100.2").await.expect(201);
    let tries = AtomicUsize::new(0);
    let log_in = async || {
        let tries = tries.fetch_add(1, Ordering::Relaxed);
        // A client has all addresses of its IPv6 network.
        let address = ["2001:db8::1", "2001:db8::2"][tries % 2];
        // Another name each time: ten attempts are verified per name.
        let answer = from(&app, "/v1/sessions", &format!("no_{tries}"), address).await;
        assert!([401, 429].contains(&answer.status.as_u16()), "{}", answer.body);
        answer
    };
    // Hashing passwords takes time, in which the bucket refills.
    let answer = until_refused(30, Duration::from_secs(2), log_in).await;
    told_to_wait(&answer, "too_many_log_ins", "log_ins");
    from(&app, "/v1/sessions", "ada", "198.51.100.1").await.expect(201);
    let nobody = Player::anonymous(app.address);
    nobody.get("/v1/rule-presets").await.expect(200);
}
