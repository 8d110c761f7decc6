//! Background work: deletes what has expired, and refuses all tokens while the revocation list is out of date.

use std::time::{Duration, Instant};

use diesel::QueryableByName;
use diesel::sql_types::BigInt;
use diesel_async::{AsyncConnection, RunQueryDsl};
use serde_json::json;
use yaniv_db::connect;

use crate::support::{TestApp, held_up, id, until, until_swept};

#[derive(QueryableByName)]
struct Counted {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

async fn count(app: &TestApp, what: &str) -> i64 {
    let mut connection = connect(app.database.url()).await.unwrap();
    let query = diesel::sql_query(format!("SELECT count(*) AS count FROM {what}"));
    query.get_result::<Counted>(&mut connection).await.unwrap().count
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_that_fails_does_not_keep_the_next_from_its_work() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let view = app.started(&players, json!({})).await;
    players[0].resign(id(&view)).await;
    let open = "seats WHERE closed_at IS NULL";
    until("the seats are closed", async || count(&app, open).await == 0).await;
    players[0].challenge(None, &json!({"opponents": ["player_1"]})).await.expect(201);
    for statement in [
        "UPDATE challenges SET expires_at = now() - interval '31 days'",
        "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$",
        "CREATE TRIGGER fail BEFORE DELETE ON challenges FOR EACH ROW EXECUTE FUNCTION fail()",
        "UPDATE seats SET closed_at = NULL",
    ] {
        app.run(statement).await;
    }
    app.second().await;
    until_swept(&app, "open seats", async || count(&app, open).await == 0).await;
    assert_eq!(count(&app, "challenges").await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_over_for_long_is_deleted_and_the_rest_is_kept() {
    let app = TestApp::start().await;
    let players = app.players(3).await;
    let asked = players[0].request_pairing(Some("a-key-of-sixteen"), &json!({"size": 4})).await.expect(201);
    players[0].withdraw_pairing(id(&asked)).await.expect(200);
    players[0].request_pairing(None, &json!({"size": 3})).await.expect(201);
    for number in 1..3 {
        let body = json!({"opponents": [format!("player_{number}")]});
        players[0].post("/v1/challenges", None, &body).await.expect(201);
    }
    players[1].delete("/v1/sessions/current").await.expect(204);
    for change in [
        "pairings SET withdrawn_at = now() - interval '31 days' WHERE withdrawn_at IS NOT NULL",
        "pairing_groups SET created_at = now() - interval '31 days'",
        "challenges SET expires_at = now() - interval '31 days' WHERE id = (SELECT min(id::text)::uuid FROM challenges)",
        "sessions SET ended_at = now() - interval '25 hours' WHERE ended_at IS NOT NULL",
    ] {
        app.run(&format!("UPDATE {change}")).await;
    }
    // Runs at the start, and then every hour.
    app.second().await;
    let all = [
        ("pairings", 1),
        ("idempotency_keys WHERE pairing_id IS NOT NULL", 0),
        ("pairing_groups", 1),
        ("pairing_criteria", 1),
        ("challenges", 1),
        ("sessions", 2),
    ];
    for (table, left) in all {
        until_swept(&app, table, async || count(&app, table).await == left).await;
    }
    assert_eq!(players[0].get("/v1/pairings").await.expect(200)["items"][0]["size"], 3);
}

/// Ended tokens could not be told from valid ones.
#[tokio::test(flavor = "multi_thread")]
async fn no_token_is_trusted_while_it_cannot_be_heard_what_has_ended() {
    let started = Instant::now();
    let app = TestApp::start().await;
    let ada = app.player("ada").await;
    let mut connection = connect(app.database.url()).await.unwrap();
    connection
        .transaction::<_, diesel::result::Error, _>(async |connection| {
            diesel::sql_query("SET LOCAL idle_in_transaction_session_timeout = 0")
                .execute(connection)
                .await?;
            diesel::sql_query("LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE").execute(connection).await?;
            let begun = Instant::now();
            let refused = loop {
                let answer = ada.get("/v1/account").await;
                if answer.status != 200 {
                    break answer;
                }
                assert!(begun.elapsed() < Duration::from_secs(120), "it is trusted");
                tokio::time::sleep(Duration::from_millis(100)).await;
            };
            refused.expect_problem(503, "database_unavailable");
            // Unless the list was already out of date for some time.
            let early = begun.elapsed() < Duration::from_secs(3);
            assert!(!early || held_up::since(started).await, "a short silence does no harm");
            Ok(())
        })
        .await
        .unwrap();
    until("tokens are trusted again", async || ada.get("/v1/account").await.status == 200).await;
}
