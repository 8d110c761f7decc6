//! Connections of the pool: which are lent again, and which are checked before.

use std::time::{Duration, Instant};

use diesel_async::{AnsiTransactionManager, RunQueryDsl, TransactionManager};
use serde_json::json;
use tokio::runtime::Handle;
use yaniv_db::{Connection, PooledConnection, Store};

use crate::support::statements::Statements;
use crate::support::{TestApp, id, new_database};

/// Ends all other sessions of the database, and waits until they are gone.
const TERMINATE: &str = "SELECT pg_terminate_backend(pid, 9000) FROM pg_stat_activity \
     WHERE datname = current_database() AND pid <> pg_backend_pid()";
/// How long a connection is lent without a new check, in seconds.
const TRUST: u64 = 1;
/// Time in which the end of a session arrives at a client.
const ARRIVAL: Duration = Duration::from_millis(200);

#[derive(diesel::QueryableByName)]
struct Backend {
    #[diesel(sql_type = diesel::sql_types::Integer)]
    pid: i32,
}

/// A pool of one connection, which runs on the test's own runtime.
fn store(url: &str) -> Store {
    Store::new(url, 1, &Handle::current()).unwrap()
}

async fn pid(mut connection: &Connection) -> i32 {
    let asked = diesel::sql_query("SELECT pg_backend_pid() AS pid").get_result::<Backend>(&mut connection);
    asked.await.unwrap().pid
}

/// Ends the sessions of a pool or a service, and waits until it can know that.
async fn end_sessions(url: &str) {
    let mut connection = yaniv_db::connect(url).await.unwrap();
    assert!(diesel::sql_query(TERMINATE).execute(&mut connection).await.unwrap() > 0);
    tokio::time::sleep(ARRIVAL).await;
}

#[tokio::test]
async fn a_closed_connection_is_not_lent_again() {
    let database = tokio::task::spawn_blocking(new_database).await.unwrap();
    let store = store(database.url());
    let lent = store.connection().await.unwrap();
    let before = pid(&lent).await;
    drop(lent);
    assert_eq!(pid(&store.connection().await.unwrap()).await, before);
    end_sessions(database.url()).await;
    assert_ne!(pid(&store.connection().await.unwrap()).await, before);
}

#[tokio::test]
async fn a_borrower_sees_that_its_connection_was_closed() {
    let database = tokio::task::spawn_blocking(new_database).await.unwrap();
    let store = store(database.url());
    let begun = Instant::now();
    let mut lent = store.lane_connection().await.unwrap();
    assert!(lent.is_trusted() || begun.elapsed().as_secs() >= TRUST);
    end_sessions(database.url()).await;
    assert!(!lent.is_trusted());
}

#[tokio::test]
async fn a_connection_with_an_open_transaction_is_not_lent_again() {
    let database = tokio::task::spawn_blocking(new_database).await.unwrap();
    let store = store(database.url());
    let mut lent: PooledConnection = store.connection().await.unwrap();
    let before = pid(&lent).await;
    AnsiTransactionManager::begin_transaction(&mut **lent).await.unwrap();
    drop(lent);
    assert_ne!(pid(&store.connection().await.unwrap()).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_is_checked_once_a_second() {
    let database = tokio::task::spawn_blocking(new_database).await.unwrap();
    let statements = Statements::default();
    let store = store(&statements.watch(database.url()).await);
    let begun = Instant::now();
    drop(store.connection().await.unwrap());
    let opened = statements.count();
    for _ in 0..200 {
        drop(store.connection().await.unwrap());
    }
    let checks = statements.checks();
    // When it was opened, and after each second.
    assert!((1..=1 + begun.elapsed().as_secs() / TRUST).contains(&checks.into()), "{checks}");
    tokio::time::sleep(Duration::from_secs(TRUST)).await;
    drop(store.connection().await.unwrap());
    assert_eq!(statements.checks(), checks + 1);
    assert_eq!(statements.count(), opened, "a check is counted as a statement of an operation");
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_after_all_sessions_have_ended_succeed() {
    let app = TestApp::start().await;
    let players = app.players(2).await;
    let view = app.started(&players, json!({})).await;
    let path = format!("/v1/matches/{}", id(&view));
    for _ in 0..3 {
        for path in [path.as_str(), "/v1/account", "/v1/home", "/v1/turns"] {
            players[0].get(path).await;
        }
        end_sessions(app.database.url()).await;
        for path in ["/v1/account", "/readyz", path.as_str(), "/v1/turns"] {
            players[0].get(path).await.expect(200);
        }
        players[0].create(&json!({"size": 2})).await.expect(201);
    }
}

/// As on a small plan of a managed database: fewer connections than the pool may open.
#[tokio::test(flavor = "multi_thread")]
async fn a_borrower_waits_for_a_connection_if_the_server_has_none_left() {
    let database = tokio::task::spawn_blocking(new_database).await.unwrap();
    let mut owner = yaniv_db::connect(database.url()).await.unwrap();
    let name = format!("few_{}", uuid::Uuid::new_v4().simple());
    let role = format!("CREATE ROLE {name} LOGIN CONNECTION LIMIT 2");
    diesel::sql_query(role).execute(&mut owner).await.unwrap();
    let url = format!("{}&user={name}", database.url());
    let store = Store::new(&url, 8, &Handle::current()).unwrap();
    let borrow = async || {
        for _ in 0..20 {
            let connection = store.connection().await.unwrap();
            assert!(pid(&connection).await > 0);
        }
    };
    futures_util::future::join_all((0..8).map(|_| borrow())).await;
    drop(store);
    diesel::sql_query(format!("DROP ROLE {name}")).execute(&mut owner).await.unwrap();
}
