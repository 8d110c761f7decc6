//! What one account has made by the thousand costs others nothing: reads stay bounded, and so is what can be made.

use std::time::{Duration, Instant};

use diesel_async::SimpleAsyncConnection;
use futures_util::future::join_all;
use serde_json::{Value, json};
use yaniv_app::kernel::bounds::{self, Bounds};

use crate::support::{Player, TestApp, id, until_swept};

/// Copies a withdrawn challenge `count` times, evenly over the last 22 hours.
async fn copy_challenge(app: &TestApp, challenge: &str, count: u32) {
    let mut connection = yaniv_db::connect(app.database.url()).await.unwrap();
    let statements = format!(
        "SET statement_timeout = 0; \
         CREATE TEMPORARY TABLE copies AS SELECT t, (lpad(to_hex((extract(epoch FROM t) * 1000)::bigint), 12, '0') || \
             left(md5(i::text), 20))::uuid AS id \
             FROM (SELECT i, now() - i * interval '22 hours' / {count} AS t FROM generate_series(1, {count}) i) s; \
         INSERT INTO challenges (id, challenger_id, match_id, rules, preset, size, seat_order, commitment, created_at, \
             expires_at, outcome, ended_at, pace, rated) SELECT n.id, challenger_id, match_id, rules, preset, size, \
             seat_order, commitment, n.t, expires_at, outcome, n.t + interval '1 ms', pace, rated \
             FROM challenges c, copies n WHERE c.id = '{challenge}'; \
         INSERT INTO challenge_members (challenge_id, account_id, place, client_seed, accepted_at) \
             SELECT n.id, account_id, place, client_seed, accepted_at FROM challenge_members m, copies n \
             WHERE m.challenge_id = '{challenge}'; \
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
async fn a_cursor_of_the_feed_has_an_age() {
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    // Of 1 January 2020.
    let old = "AQAFmwjB-kAA";
    ada.get(&format!("/v1/events?after={old}")).await.expect_problem(422, "cursor_too_old");
    let refused = ada.try_follow("/v1/events/stream", Some(old)).await.err().unwrap();
    refused.expect_problem(422, "cursor_too_old");
}

/// Copies rows until there are this many; `new` are fields of a copy in SQL.
async fn copy_rows(app: &TestApp, table: &str, new: &str, until: usize) {
    let copies = format!(
        "INSERT INTO {table} SELECT (jsonb_populate_record(one, jsonb_build_object({new}))).* \
         FROM (SELECT t AS one FROM {table} t LIMIT 1) r, generate_series(1, {until} - (SELECT count(*) FROM {table})) i"
    );
    app.run(&copies).await;
}

/// Copies a running match until the account of its first seat has this many.
async fn copy_running(app: &TestApp, match_id: &str, until: usize) {
    let mut connection = yaniv_db::connect(app.database.url()).await.unwrap();
    let copy = |table: &str, key: &str, new: &str| {
        format!(
            "INSERT INTO {table} SELECT (jsonb_populate_record(r, jsonb_build_object('{key}', n.id{new}))).* \
             FROM {table} r, copies n WHERE r.{key} = '{match_id}';"
        )
    };
    let statements = format!(
        "CREATE TEMPORARY TABLE copies AS SELECT gen_random_uuid() AS id, i FROM generate_series(2, {until}) i; {}{}{}",
        copy("matches", "id", ", 'code', 'C' || n.i"),
        copy("match_states", "match_id", ", 'check_at', NULL"),
        copy("seats", "match_id", ""),
    );
    connection.batch_execute(&statements).await.unwrap();
}

async fn fill_a_day(app: &TestApp, bounds: &Bounds) {
    let (most, kind) = (bounds.a_day.unwrap(), bounds.kind);
    assert_eq!(app.changed(&format!("UPDATE daily_counts SET made = {most} WHERE kind = '{kind}'")).await, 1);
}

async fn waiting_matches(app: &TestApp, ada: &Player, bounds: &Bounds) {
    let bob = app.player("bob").await;
    let others = bob.create(&json!({"size": 2})).await.expect(201);
    let mut last = Value::Null;
    for _ in 0..bounds.at_once {
        last = ada.create(&json!({"size": 2, "bots": []})).await.expect(201);
    }
    ada.create(&json!({"size": 2})).await.expect_problem(409, "too_many_waiting_matches");
    let code = others["join_code"].as_str().unwrap();
    ada.join(code, "").await.expect_problem(409, "too_many_waiting_matches");
    ada.leave(id(&last)).await.expect(204);
    app.run("DELETE FROM daily_counts WHERE made = 1").await;
    fill_a_day(app, bounds).await;
    ada.create(&json!({"size": 2})).await.expect_problem(409, "too_many_matches_today");
    // Unused for too long: housekeeping runs at the start.
    let age = format!("now() - interval '{} days 1 hour'", bounds.unused_days.unwrap());
    app.run(&format!("UPDATE matches SET created_at = {age}")).await;
    app.run(&format!("UPDATE match_states SET updated_at = {age} WHERE match_id <> '{}'", id(&others))).await;
    app.second().await;
    let waiting = async || app.count("SELECT count(*) FROM match_states WHERE status = 'waiting'").await;
    until_swept(app, "matches that nobody joins", async || waiting().await == 1).await;
    assert_eq!(app.count("SELECT count(*) FROM matches WHERE finished_at IS NULL").await, 1);
    ada.join(code, "").await.expect(201);
}

async fn running_matches(app: &TestApp, ada: &Player, bounds: &Bounds) {
    let bob = app.player("bob").await;
    let view = app.started(&[ada.clone(), bob.clone()], json!({})).await;
    let (challenge, wish) = (json!({"opponents": ["ada"]}), json!({"size": 2}));
    let challenged = app.player("carl").await.challenge(None, &challenge).await.expect(201);
    copy_running(app, id(&view), bounds.at_once).await;
    let refused = "too_many_running_matches";
    ada.create(&wish).await.expect_problem(409, refused);
    ada.request_pairing(None, &wish).await.expect_problem(409, refused);
    ada.accept_challenge(id(&challenged), "").await.expect_problem(409, refused);
    bob.challenge(None, &challenge).await.expect_problem(409, refused);
}

async fn challenges(app: &TestApp, ada: &Player, bounds: &Bounds) {
    app.player("bob").await;
    let challenge = json!({"opponents": ["bob"]});
    let mut last = Value::Null;
    for _ in 0..bounds.at_once {
        last = ada.challenge(None, &challenge).await.expect(201);
    }
    ada.challenge(None, &challenge).await.expect_problem(409, "too_many_challenges");
    ada.withdraw_challenge(id(&last)).await.expect(200);
    fill_a_day(app, bounds).await;
    ada.challenge(None, &challenge).await.expect_problem(409, "too_many_challenges_today");
}

async fn pairings(app: &TestApp, ada: &Player, bounds: &Bounds) {
    let wish = |elimination: usize| json!({"size": 2, "rules": {"elimination": elimination}});
    let mut last = Value::Null;
    for number in 0..bounds.at_once {
        last = ada.request_pairing(None, &wish(100 + number)).await.expect(201);
    }
    ada.request_pairing(None, &wish(99)).await.expect_problem(409, "too_many_pairings");
    ada.withdraw_pairing(id(&last)).await.expect(200);
    fill_a_day(app, bounds).await;
    ada.request_pairing(None, &wish(99)).await.expect_problem(409, "too_many_pairings_today");
}

/// Each kind is filled up to its bounds, and one more is refused; `sessions` makes room instead. Channels, passkeys and
/// streams have tests of their own (`channels.rs`, `passkeys.rs`, `events.rs`).
#[tokio::test(flavor = "multi_thread")]
async fn one_more_than_the_table_of_bounds_allows_is_refused() {
    for bounds in bounds::ALL {
        let app = TestApp::start().await;
        let (ada, most) = (app.player("ada").await, bounds.at_once);
        match bounds.kind {
            "match" => waiting_matches(&app, &ada, &bounds).await,
            "running match" => running_matches(&app, &ada, &bounds).await,
            "challenge" => challenges(&app, &ada, &bounds).await,
            "pairing" => pairings(&app, &ada, &bounds).await,
            "session" => {
                copy_rows(&app, "sessions", "'id', gen_random_uuid(), 'hash', sha256(i::text::bytea)", most)
                    .await;
                Player::log_in(app.address, "ada").await;
                let open = "SELECT count(*) FROM sessions WHERE ended_at IS NULL";
                assert_eq!(usize::try_from(app.count(open).await).unwrap(), most);
            }
            "token" => {
                let wanted = json!({"name": "my bot", "scopes": ["read"], "expires_in_days": 30});
                ada.post("/v1/tokens", None, &wanted).await.expect(201);
                let new = "'id', gen_random_uuid(), 'hash', sha256(i::text::bytea)";
                copy_rows(&app, "personal_tokens", new, most).await;
                ada.post("/v1/tokens", None, &wanted).await.expect_problem(409, "too_many_tokens");
            }
            "bot" => {
                for number in 0..most {
                    let bot = json!({"username": format!("robot_{number}")});
                    ada.post("/v1/bots", None, &bot).await.expect(201);
                }
                let bot = json!({"username": "robot_more"});
                ada.post("/v1/bots", None, &bot).await.expect_problem(409, "too_many_bots");
            }
            kind => assert!(["passkey", "channel", "stream"].contains(&kind), "{kind} has no test"),
        }
    }
}
