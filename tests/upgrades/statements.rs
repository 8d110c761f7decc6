//! An instance of the release runs beside one of this version: its SQL statements mean the same on every schema from its
//! own to this one, also while the migrations run.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use diesel::migration::MigrationSource;
use diesel::pg::Pg;
use diesel_migrations::MigrationHarness;
use tokio_postgres::Client;
use yaniv_db::kernel::migrations::MIGRATIONS;

use crate::VARIABLES;
use crate::program::Program;
use crate::release::{Release, Statement, connect};

/// The outcome of each statement.
async fn outcomes(client: &Client, statements: &[Statement]) -> BTreeMap<String, String> {
    let mut outcomes = BTreeMap::new();
    for statement in statements {
        outcomes.insert(statement.sql.clone(), statement.outcome(client).await);
    }
    outcomes
}

#[tokio::test(flavor = "multi_thread")]
async fn statements_of_each_release_mean_the_same_on_every_schema_since() {
    for release in Release::all() {
        let database = release.restore().await;
        let statements = release.statements();
        let client = connect(database.url()).await;
        let before = outcomes(&client, &statements).await;
        // A statement that does not fit the schema has a code of class 42: then the recording is wrong.
        let wrong: Vec<_> = before.iter().filter(|(_, outcome)| outcome.starts_with("42")).collect();
        assert_eq!(wrong, Vec::<(&String, &String)>::new());
        let worked = before.values().filter(|outcome| outcome.ends_with("rows")).count();
        assert!(worked * 10 > before.len() * 8, "{worked} of {} succeed", before.len());

        let all = MigrationSource::<Pg>::migrations(&MIGRATIONS).unwrap().len();
        let connection = yaniv_db::connect(database.url()).await.unwrap();
        let mut harness = diesel_async::AsyncMigrationHarness::new(connection);
        let mut run = 0;
        while MigrationHarness::<Pg>::has_pending_migration(&mut harness, MIGRATIONS).unwrap() {
            let migration = harness.run_next_migration(MIGRATIONS).unwrap();
            let after = outcomes(&client, &statements).await;
            let changed = before.iter().filter(|(sql, outcome)| after.get(*sql) != Some(outcome));
            let changed: Vec<_> = changed.map(|(sql, outcome)| (sql, outcome, &after[sql])).collect();
            assert!(changed.is_empty(), "after migration {migration}: {changed:#?}");
            run += 1;
        }
        assert!(run > 0 && run < all, "{run} of {all}");
    }
}

/// Runs all statements again and again until told to stop: how many, the longest time, and those with another outcome.
async fn load(
    client: Client,
    statements: Vec<Statement>,
    expected: BTreeMap<String, String>,
    stop: Arc<AtomicBool>,
) -> (usize, Duration, Vec<String>) {
    let (mut count, mut longest, mut wrong) = (0, Duration::ZERO, Vec::new());
    while !stop.load(Ordering::Relaxed) {
        for statement in &statements {
            let begun = Instant::now();
            let outcome = statement.outcome(&client).await;
            longest = longest.max(begun.elapsed());
            count += 1;
            if outcome != expected[&statement.sql] {
                wrong.push(format!("{outcome} in place of {}: {}", expected[&statement.sql], statement.sql));
            }
        }
    }
    (count, longest, wrong)
}

#[tokio::test(flavor = "multi_thread")]
async fn migrations_run_while_the_release_works() {
    for release in Release::all() {
        let database = release.restore().await;
        let client = connect(database.url()).await;
        // Only those that succeed alone.
        let mut statements = release.statements();
        let expected = outcomes(&client, &statements).await;
        statements.retain(|statement| expected[&statement.sql].ends_with("rows"));
        let stop = Arc::new(AtomicBool::new(false));
        let mut sessions = Vec::new();
        for _ in 0..4 {
            let client = connect(database.url()).await;
            sessions.push(tokio::spawn(load(
                client,
                statements.clone(),
                expected.clone(),
                Arc::clone(&stop),
            )));
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
        let url = database.url().to_owned();
        let started = tokio::task::spawn_blocking(move || drop(Program::start(&url, &VARIABLES))).await;
        stop.store(true, Ordering::Relaxed);
        started.unwrap();
        for session in sessions {
            let (count, longest, wrong) = session.await.unwrap();
            assert!(count > 100, "{count}");
            // The timeout of the service for a lock.
            assert!(longest < Duration::from_secs(3), "{longest:?}");
            // Rows that another session holds are passed by, and a key that it inserts is waited for.
            let wrong: Vec<_> = wrong.iter().filter(|text| !text.contains("rows in place of")).collect();
            assert_eq!(wrong, Vec::<&String>::new());
        }
    }
}
