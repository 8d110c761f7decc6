//! Test databases: isolated, prepared once, removed afterwards.

use std::sync::atomic::{AtomicU32, Ordering};

use local_postgres::TestDatabase;

use crate::support::sql;

/// A key unique to this run.
fn key(name: &str) -> String {
    format!("{name}-{}-{:?}", std::process::id(), std::time::SystemTime::now())
}

fn prepare(url: &str) -> Result<(), String> {
    sql(url, "CREATE TABLE t (x text)").map(|_| ()).map_err(|error| error.to_string())
}

#[test]
fn two_databases_of_one_template_are_apart() {
    let key = key("apart");
    let count = AtomicU32::new(0);
    let prepare = |url: &str| {
        count.fetch_add(1, Ordering::Relaxed);
        prepare(url)
    };

    let first = TestDatabase::create(&key, prepare).unwrap();
    let second = TestDatabase::create(&key, prepare).unwrap();
    sql(first.url(), "INSERT INTO t VALUES ('first')").unwrap();

    assert_eq!(count.load(Ordering::Relaxed), 1);
    assert_eq!(sql(first.url(), "SELECT x FROM t").unwrap(), ["first"]);
    assert!(sql(second.url(), "SELECT x FROM t").unwrap().is_empty());
}

#[test]
fn a_database_is_dropped_despite_open_connections() {
    let database = TestDatabase::create(&key("gone"), prepare).unwrap();
    let other = TestDatabase::create("empty", |_| Ok(())).unwrap();
    let url = database.url().to_owned();
    let name = sql(&url, "SELECT current_database()").unwrap().remove(0);
    let sleeper = std::thread::spawn(move || sql(&url, "SELECT pg_sleep(60)"));
    std::thread::sleep(std::time::Duration::from_millis(100));

    drop(database);

    assert!(sleeper.join().unwrap().is_err());
    let left = format!("SELECT 1 FROM pg_database WHERE datname = '{name}'");
    assert!(sql(other.url(), &left).unwrap().is_empty());
}

#[test]
fn many_tests_at_once_prepare_the_template_once() {
    let key = key("many");
    let count = AtomicU32::new(0);

    std::thread::scope(|scope| {
        for number in 0..16 {
            let (key, count) = (&key, &count);
            scope.spawn(move || {
                let database = TestDatabase::create(key, |url| {
                    count.fetch_add(1, Ordering::Relaxed);
                    prepare(url)
                })
                .unwrap();
                sql(database.url(), &format!("INSERT INTO t VALUES ('{number}')")).unwrap();
                assert_eq!(sql(database.url(), "SELECT x FROM t").unwrap(), [number.to_string()]);
            });
        }
    });

    assert_eq!(count.load(Ordering::Relaxed), 1);
}

#[test]
fn a_failed_preparation_is_tried_again() {
    let key = key("failed");

    let error = TestDatabase::create(&key, |url| {
        prepare(url)?;
        Err("the second migration is broken".to_owned())
    });
    assert!(error.unwrap_err().to_string().contains("the second migration is broken"));

    TestDatabase::create(&key, prepare).unwrap();
}

#[test]
fn a_database_of_a_dead_process_is_swept() {
    let mine = TestDatabase::create("empty", |_| Ok(())).unwrap();
    let left = format!("test_{}_0_0", i32::MAX);
    let _ = sql(mine.url(), &format!("CREATE DATABASE {left}"));

    // Each process sweeps only once, so another one is needed.
    let this = std::env::current_exe().unwrap();
    let status = std::process::Command::new(this)
        .args(["--exact", "test_database::two_databases_of_one_template_are_apart"])
        .status();

    assert!(status.unwrap().success());
    let rows = sql(mine.url(), &format!("SELECT 1 FROM pg_database WHERE datname = '{left}'")).unwrap();
    assert!(rows.is_empty());
}

#[tokio::test]
async fn it_works_inside_a_runtime() {
    let database = TestDatabase::create("empty", |_| Ok(())).unwrap();

    let (client, connection) = tokio_postgres::connect(database.url(), tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);

    assert_eq!(client.query_one("SELECT 1", &[]).await.unwrap().get::<_, i32>(0), 1);
    drop(database);
}
