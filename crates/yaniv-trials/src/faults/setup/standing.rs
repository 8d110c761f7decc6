//! Versions of matches in the database, and their row locks: what trials of deadlines count, lock and interrupt. With
//! `database` and `plants`, the only files that know tables.

use crate::Error;
use crate::faults::setup::database::Database;
use crate::faults::setup::plants::trigger;

/// Number of matches before a version.
///
/// # Errors
/// Those of the database.
pub async fn before(database: &Database, version: usize) -> Result<i64, Error> {
    database.count(&format!("SELECT count(*) FROM match_states WHERE version < {version}")).await
}

/// Number of matches after a version.
///
/// # Errors
/// Those of the database.
pub async fn after(database: &Database, version: usize) -> Result<i64, Error> {
    database.count(&format!("SELECT count(*) FROM match_states WHERE version > {version}")).await
}

/// Number of matches in which the entry at a version was played for an absent player.
///
/// # Errors
/// Those of the database.
pub async fn missed_at(database: &Database, version: usize) -> Result<i64, Error> {
    let count = format!("SELECT count(*) FROM actions WHERE version = {version} AND flags & 8 <> 0");
    database.count(&count).await
}

/// The number of those per second, from the first on, until all are counted.
///
/// # Errors
/// Those of the database.
pub async fn missed_each_second(database: &Database, version: usize) -> Result<Vec<i64>, Error> {
    let (mut seconds, mut left) = (Vec::new(), missed_at(database, version).await?);
    while left > 0 {
        let which = format!("version = {version} AND flags & 8 <> 0");
        let count = format!(
            "SELECT count(*) FROM actions, (SELECT min(at) AS first FROM actions WHERE {which}) AS f \
             WHERE {which} AND floor(extract(epoch FROM at - first)) = {}",
            seconds.len()
        );
        let fired = database.count(&count).await?;
        seconds.push(fired);
        left -= fired;
    }
    Ok(seconds)
}

/// Slows down each insert into the log, so that work can be interrupted.
///
/// # Errors
/// Those of the database.
pub async fn slow_down(database: &Database) -> Result<(), Error> {
    let slow = "PERFORM pg_sleep(0.02 * random());";
    database.run(&trigger("actions", "INSERT", slow)).await
}

/// Terminates one session of the service that holds locks of matches, if there is one: between its claim and its
/// commit.
///
/// # Errors
/// Those of the database.
pub async fn terminate_holder(database: &Database) -> Result<bool, Error> {
    let terminated = database
        .count(
            "SELECT count(pg_terminate_backend(pid)) FROM (SELECT a.pid FROM pg_stat_activity a JOIN pg_locks l \
             ON l.pid = a.pid AND l.granted AND l.relation = 'match_states'::regclass AND l.mode = 'RowShareLock' \
             WHERE a.datname = current_database() AND a.application_name = 'yaniv' \
             ORDER BY random() LIMIT 1) AS one",
        )
        .await?;
    Ok(terminated > 0)
}

/// Locks a match until [`let_go`]; returns its version.
///
/// # Errors
/// Those of the database.
pub async fn hold(database: &Database, id: &str) -> Result<i64, Error> {
    database.run("BEGIN").await?;
    let lock = format!("SELECT version::int8 FROM match_states WHERE match_id = '{id}' FOR UPDATE");
    database.count(&lock).await
}

/// Rolls back.
///
/// # Errors
/// Those of the database.
pub async fn let_go(database: &Database) -> Result<(), Error> {
    database.run("ROLLBACK").await
}
