//! What one account has made by the thousand costs others nothing: reads stay bounded, and so is what can be made.

use std::time::{Duration, Instant};

use diesel_async::SimpleAsyncConnection;
use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{Player, TestApp, id};

/// Copies a withdrawn challenge `count` times, evenly over the last 22 hours.
async fn copy_challenge(app: &TestApp, challenge: &str, count: u32) {
    let mut connection = yaniv_db::connect(app.database.url()).await.unwrap();
    let statements = format!(
        "SET statement_timeout = 0; \
         CREATE TEMPORARY TABLE copies AS SELECT t, (lpad(to_hex((extract(epoch FROM t) * 1000)::bigint), 12, '0') || \
             left(md5(i::text), 20))::uuid AS id \
             FROM (SELECT i, now() - i * interval '22 hours' / {count} AS t FROM generate_series(1, {count}) i) s; \
         INSERT INTO challenges SELECT (jsonb_populate_record(c, jsonb_build_object('id', n.id, 'created_at', n.t, \
             'ended_at', n.t + interval '1 ms'))).* FROM challenges c, copies n WHERE c.id = '{challenge}'; \
         INSERT INTO challenge_members SELECT (jsonb_populate_record(m, jsonb_build_object('challenge_id', n.id))).* \
             FROM challenge_members m, copies n WHERE m.challenge_id = '{challenge}'; \
         INSERT INTO challenge_events SELECT n.id, m.account_id, 2, n.t + interval '1 ms' \
             FROM challenge_members m, copies n WHERE m.challenge_id = '{challenge}';"
    );
    connection.batch_execute(&statements).await.unwrap();
}

async fn withdrawn(from: &Player, to: &str) -> String {
    let made = from.challenge(None, &json!({"opponents": [to]})).await.expect(201);
    from.withdraw_challenge(id(&made)).await.expect(200);
    id(&made).to_owned()
}

/// A day of challenges at the limit of writes was a page of 19 seconds, during which nobody was answered.
#[tokio::test(flavor = "multi_thread")]
async fn reads_cost_the_same_with_fifty_thousand_challenges() {
    let app = TestApp::start_counted().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    let (first, statements) = (withdrawn(&ada, "bob").await, app.statements.as_ref().unwrap());
    let costs = async || {
        let mut costs = Vec::new();
        for path in ["/v1/events?limit=1", "/v1/events?after=now", "/v1/home"] {
            costs.push(statements.least(async || drop(bob.get(path).await.expect(200))).await);
        }
        costs
    };
    let few = costs().await;
    copy_challenge(&app, &first, 50_000).await;
    assert_eq!(costs().await, few);

    let (nobody, begun) = (Player::anonymous(app.address), Instant::now());
    let reads = join_all((0..3).map(|_| bob.get("/v1/events?limit=100")));
    let probes = async {
        let mut longest = Duration::ZERO;
        for _ in 0..20 {
            let begun = Instant::now();
            nobody.get("/healthz").await.expect(200);
            longest = longest.max(begun.elapsed());
        }
        longest
    };
    let (pages, longest) = tokio::join!(reads, probes);
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(3) && longest < Duration::from_secs(1), "{took:?}, {longest:?}");
    let page = pages.into_iter().next().unwrap().expect(200);
    let items = page["items"].as_array().unwrap();
    let ids: Vec<&str> = items.iter().map(|item| item["challenge_id"].as_str().unwrap()).collect();
    assert!(ids.len() == 100 && ids.chunks(2).all(|two| two[0] == two[1]), "each is made, then ends");
    let after = page["cursor"].as_str().unwrap();
    let next: Value = bob.get(&format!("/v1/events?limit=100&after={after}")).await.expect(200);
    let next = next["items"].as_array().unwrap();
    assert!(next.len() == 100 && items[99]["at"].as_str() < next[0]["at"].as_str(), "nothing comes again");
    let now = bob.get("/v1/events?after=now").await.expect(200);
    withdrawn(&ada, "bob").await;
    let after = now["cursor"].as_str().unwrap();
    let told = bob.get(&format!("/v1/events?after={after}")).await.expect(200);
    assert_eq!(told["items"].as_array().unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_makes_a_bounded_number_of_challenges_a_day() {
    let app = TestApp::start().await;
    let (ada, bob) = (app.player("ada").await, app.player("bob").await);
    withdrawn(&ada, "bob").await;
    assert_eq!(app.changed("UPDATE daily_counts SET made = made + 298 WHERE kind = 'challenge'").await, 1);
    withdrawn(&ada, "bob").await;
    let challenge = json!({"opponents": ["bob"]});
    ada.challenge(None, &challenge).await.expect_problem(409, "too_many_challenges_today");
    app.run("UPDATE daily_counts SET day = day - 1").await;
    ada.challenge(None, &challenge).await.expect(201);
    let back = json!({"opponents": ["ada"]});
    bob.challenge(None, &back).await.expect(201);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cursor_of_the_feed_has_an_age() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    // Of 1 January 2020.
    let old = "AQAFmwjB-kAA";
    ada.get(&format!("/v1/events?after={old}")).await.expect_problem(422, "cursor_too_old");
    let refused = ada.try_follow("/v1/events/stream", Some(old)).await.err().unwrap();
    refused.expect_problem(422, "cursor_too_old");
}
