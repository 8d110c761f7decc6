//! The durable cluster without faults: what persists, who may stop it, odd paths.

use std::fs;

use local_postgres::{Cluster, Error};

use crate::support::{Scratch, sql};

#[test]
fn data_is_there_after_a_stop_and_a_start() {
    let scratch = Scratch::new();
    let cluster = Cluster::start(&scratch.0).unwrap();
    cluster.ensure_database("yaniv").unwrap();
    sql(&cluster.url("yaniv"), "CREATE TABLE t (x text); INSERT INTO t VALUES ('kept')").unwrap();

    cluster.stop().unwrap();
    assert!(!scratch.has_server());
    let cluster = Cluster::start(&scratch.0).unwrap();
    cluster.ensure_database("yaniv").unwrap();

    assert_eq!(sql(&cluster.url("yaniv"), "SELECT x FROM t").unwrap(), ["kept"]);
}

#[test]
fn a_database_may_have_any_name_and_may_be_there_already() {
    let scratch = Scratch::new();
    let cluster = Cluster::start(&scratch.0).unwrap();
    let name = "it's \"odd\"/?&%";

    cluster.ensure_database(name).unwrap();
    cluster.ensure_database(name).unwrap();

    let url = cluster.url(name);
    assert_eq!(sql(&url, "SELECT current_database()").unwrap(), [name]);
    assert_eq!(sql(&url, "SHOW server_encoding").unwrap(), ["UTF8"]);
    assert_eq!(sql(&url, "SHOW fsync").unwrap(), ["on"]);
    assert_eq!(sql(&url, "SHOW synchronous_commit").unwrap(), ["on"]);
    assert_eq!(sql(&url, "SHOW listen_addresses").unwrap(), [""]);
}

#[test]
fn the_server_stays_until_the_last_user_stops_it() {
    let scratch = Scratch::new();
    let first = Cluster::start(&scratch.0).unwrap();
    let second = Cluster::start(&scratch.0).unwrap();
    assert_eq!(first.url("postgres"), second.url("postgres"));

    first.stop().unwrap();
    assert_eq!(sql(&second.url("postgres"), "SELECT 1").unwrap(), ["1"]);

    second.stop().unwrap();
    assert!(!scratch.has_server());
}

#[test]
fn many_starts_at_once_share_one_server() {
    let scratch = Scratch::new();

    let clusters: Vec<Cluster> = std::thread::scope(|scope| {
        let starts: Vec<_> = (0..8).map(|_| scope.spawn(|| Cluster::start(&scratch.0).unwrap())).collect();
        starts.into_iter().map(|start| start.join().unwrap()).collect()
    });
    std::thread::scope(|scope| {
        for cluster in &clusters {
            scope.spawn(|| cluster.ensure_database("yaniv").unwrap());
        }
    });

    scratch.postmaster();
    for cluster in clusters {
        assert_eq!(sql(&cluster.url("yaniv"), "SELECT 1").unwrap(), ["1"]);
        cluster.stop().unwrap();
    }
    assert!(!scratch.has_server());
}

#[test]
fn a_directory_with_a_long_or_odd_path_will_do() {
    let scratch = Scratch::new();
    let dir = scratch.0.join("a, \"b\" %20 é").join("long".repeat(30));

    let cluster = Cluster::start(&dir).unwrap();

    assert_eq!(sql(&cluster.url("postgres"), "SELECT 1").unwrap(), ["1"]);
    cluster.stop().unwrap();
}

#[test]
fn data_of_a_version_that_is_not_there_is_not_left_behind() {
    let scratch = Scratch::new();
    let data = scratch.0.join("postgres-99/data");
    fs::create_dir_all(&data).unwrap();
    fs::write(data.join("PG_VERSION"), "99\n").unwrap();

    let error = Cluster::start(&scratch.0).unwrap_err();

    assert!(matches!(error, Error::OtherMajor { major: 99, .. }), "{error}");
    assert!(error.to_string().contains("install PostgreSQL 99"), "{error}");
}

#[tokio::test]
async fn it_works_inside_a_runtime() {
    let scratch = Scratch::new();

    let cluster = Cluster::start(&scratch.0).unwrap();
    cluster.ensure_database("yaniv").unwrap();

    cluster.stop().unwrap();
}
