//! Crashes of the server and of its users.

use std::fs;
use std::time::{Duration, Instant};

use local_postgres::{Cluster, TestCluster, not_installed};

use crate::support::{Scratch, kill, sql};

fn wait_until(what: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(120);
    while !what() {
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn what_was_committed_survives_kill_9_of_the_server() {
    let scratch = Scratch::new();
    let cluster = Cluster::start(&scratch.0).unwrap();
    let url = cluster.url("postgres");
    sql(&url, "CREATE TABLE t (x text); INSERT INTO t VALUES ('kept')").unwrap();

    kill("-9", scratch.postmaster());
    wait_until(|| sql(&url, "SELECT 1").is_err());
    let again = Cluster::start(&scratch.0).unwrap();

    assert_eq!(again.url("postgres"), url);
    assert_eq!(sql(&url, "SELECT x FROM t").unwrap(), ["kept"]);
}

#[test]
fn a_service_that_just_goes_leaves_the_server_to_the_next_one() {
    let scratch = Scratch::new();
    drop(Cluster::start(&scratch.0).unwrap());
    let before = scratch.postmaster();

    let next = Cluster::start(&scratch.0).unwrap();

    assert_eq!(scratch.postmaster(), before);
    next.stop().unwrap();
    assert!(!scratch.has_server());
}

#[test]
fn lock_files_that_name_a_foreign_process_do_no_harm() {
    let scratch = Scratch::new();
    let cluster = Cluster::start(&scratch.0).unwrap();
    let url = cluster.url("postgres");
    let pid = scratch.postmaster();
    let home =
        fs::read_dir(&scratch.0).unwrap().map(|entry| entry.unwrap().path()).find(|path| path.is_dir());
    let (file, lock) =
        { (home.as_ref().unwrap().join("data/postmaster.pid"), home.unwrap().join(".s.PGSQL.5432.lock")) };
    kill("-9", pid);
    wait_until(|| sql(&url, "SELECT 1").is_err());

    // A process of the server's user, so that the owner does not reveal the difference.
    let mut stranger = stranger(&file);
    for path in [&file, &lock] {
        let text =
            fs::read_to_string(path).unwrap().replacen(&pid.to_string(), &stranger.id().to_string(), 1);
        fs::write(path, text).unwrap();
    }
    let again = Cluster::start(&scratch.0);
    let survivor = stranger.try_wait().unwrap().is_none();
    stranger.kill().unwrap();
    stranger.wait().unwrap();

    assert_eq!(sql(&again.unwrap().url("postgres"), "SELECT 1").unwrap(), ["1"]);
    assert!(survivor);
}

/// A sleeping process of the user that owns a file.
fn stranger(file: &std::path::Path) -> std::process::Child {
    use std::os::unix::fs::MetadataExt;
    use std::os::unix::process::CommandExt;
    let metadata = fs::metadata(file).unwrap();
    let mut command = std::process::Command::new("sleep");
    command.arg("60").current_dir("/");
    if fs::metadata("/proc/self").is_ok_and(|me| me.uid() != metadata.uid()) {
        command.uid(metadata.uid()).gid(metadata.gid());
    }
    command.spawn().unwrap()
}

#[test]
fn a_server_that_cannot_start_says_why() {
    let scratch = Scratch::new();
    let cluster = Cluster::start(&scratch.0).unwrap();
    cluster.stop().unwrap();
    let home =
        fs::read_dir(&scratch.0).unwrap().map(|entry| entry.unwrap().path()).find(|path| path.is_dir());
    let settings = home.unwrap().join("data/postgresql.conf");
    let text = fs::read_to_string(&settings).unwrap();
    fs::write(&settings, format!("{text}\nno_such_setting = 7\n")).unwrap();

    let error = Cluster::start(&scratch.0).unwrap_err().to_string();

    assert!(error.contains("no_such_setting"), "{error}");
}

#[test]
fn a_test_cluster_is_killed_and_brought_back() {
    let mut cluster = TestCluster::start().unwrap();
    cluster.ensure_database("app").unwrap();
    let url = cluster.url("app");
    sql(&url, "CREATE TABLE t (x int); INSERT INTO t VALUES (42)").unwrap();

    for _ in 0..3 {
        cluster.kill9().unwrap();
        assert!(sql(&url, "SELECT 1").is_err());
        cluster.restart().unwrap();
        assert_eq!(sql(&url, "SELECT x FROM t").unwrap(), ["42"]);
    }
}

#[test]
fn a_standby_follows_and_takes_over() {
    let mut primary = TestCluster::start_in_memory().unwrap();
    if !primary.can_be_copied() {
        not_installed("a standby follows and takes over", "pg_basebackup").unwrap();
        return;
    }
    primary.ensure_database("app").unwrap();
    let mut standby = primary.standby("second").unwrap();
    let names = "ALTER SYSTEM SET synchronous_standby_names = 'second'";
    sql(&primary.url("app"), names).unwrap();
    sql(&primary.url("app"), "SELECT pg_reload_conf()").unwrap();
    let state = "SELECT sync_state FROM pg_stat_replication WHERE application_name = 'second'";
    wait_until(|| sql(&primary.url("app"), state).unwrap() == ["sync"]);
    sql(&primary.url("app"), "CREATE TABLE t (x int); INSERT INTO t VALUES (42)").unwrap();

    primary.kill9().unwrap();
    standby.promote().unwrap();
    std::mem::swap(&mut primary, &mut standby);
    standby.follow(&primary, "second").unwrap();

    assert_eq!(sql(&primary.url("app"), "SELECT x FROM t").unwrap(), ["42"]);
    wait_until(|| sql(&standby.url("app"), "SELECT x FROM t").is_ok_and(|rows| rows == ["42"]));
}
