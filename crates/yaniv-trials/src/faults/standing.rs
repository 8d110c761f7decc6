//! Where matches stand in the database, and who holds them: what trials of deadlines count, lock and interrupt. With
//! `database` and `plants`, this is where tables are known.

use super::database::Database;
use super::plants::trigger;
use crate::Error;

/// How many matches stand before a version.
///
/// # Errors
/// Those of the database.
pub async fn before(database: &Database, version: usize) -> Result<i64, Error> {
    database.count(&format!("SELECT count(*) FROM match_states WHERE version < {version}")).await
}

/// How many matches stand after a version.
///
/// # Errors
/// Those of the database.
pub async fn after(database: &Database, version: usize) -> Result<i64, Error> {
    database.count(&format!("SELECT count(*) FROM match_states WHERE version > {version}")).await
}

/// How many matches have at a version what was done for somebody absent.
///
/// # Errors
/// Those of the database.
pub async fn missed_at(database: &Database, version: usize) -> Result<i64, Error> {
    let count = format!("SELECT count(*) FROM actions WHERE version = {version} AND flags & 8 <> 0");
    database.count(&count).await
}

/// Has each entry of the log take a moment, so that work can be interrupted.
///
/// # Errors
/// Those of the database.
pub async fn slow_down(database: &Database) -> Result<(), Error> {
    let slow = "PERFORM pg_sleep(0.02 * random());";
    database.run(&trigger("actions", "INSERT", slow)).await
}

/// Terminates one session of the service that holds matches, if there is one: between its claim and its commit.
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

/// Takes the lock of a match, and holds it until [`let_go`]; answers at which version it stands.
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
