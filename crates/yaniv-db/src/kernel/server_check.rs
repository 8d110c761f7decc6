//! Refuses servers and poolers on which the service's guarantees would not hold.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::sql_types::{Bool, Integer, Text, Timestamptz};
use diesel_async::{AsyncConnection, AsyncPgConnection, RunQueryDsl};

type AnyError = Box<dyn std::error::Error + Send + Sync>;

#[derive(diesel::QueryableByName)]
struct Settings {
    #[diesel(sql_type = Bool)]
    standby: bool,
    #[diesel(sql_type = Text)]
    synchronous_commit: String,
    #[diesel(sql_type = Text)]
    fsync: String,
    #[diesel(sql_type = Text)]
    lc_messages: String,
    #[diesel(sql_type = Text)]
    lock_timeout: String,
    #[diesel(sql_type = Timestamptz)]
    clock: DateTime<Utc>,
}

/// Checks the server behind a connection.
///
/// # Errors
/// If it is a standby, may lose acknowledged commits, uses another language for messages, or ignores our
/// session settings.
pub(crate) async fn check_server(connection: &mut AsyncPgConnection) -> Result<(), AnyError> {
    let settings: Settings = diesel::sql_query(
        "SELECT pg_is_in_recovery() AS standby, current_setting('synchronous_commit') AS synchronous_commit, \
         current_setting('fsync') AS fsync, current_setting('lc_messages') AS lc_messages, \
         current_setting('lock_timeout') AS lock_timeout, clock_timestamp() AS clock",
    )
    .get_result(connection)
    .await?;
    if settings.standby {
        return Err("DATABASE_URL names a standby; give the primary, or several hosts with target_session_attrs=read-write".into());
    }
    if settings.synchronous_commit == "off" || settings.synchronous_commit == "local" {
        return Err(format!(
            "synchronous_commit is {}: acknowledged actions could be lost; set it to on",
            settings.synchronous_commit
        )
        .into());
    }
    if settings.lock_timeout != "3s" {
        return Err(
            "the settings that the service asks for do not reach the server, as when a pooler drops them \
             (ignore_startup_parameters): let the service connect to PostgreSQL itself, or give them to its role, see \
             docs/operations.md"
                .into(),
        );
    }
    let language = settings.lc_messages.as_str();
    if !(["", "C", "POSIX"].contains(&language) || language.starts_with("C.") || language.starts_with("en")) {
        return Err(format!(
            "lc_messages is {language}: what went wrong could not be told apart; \
             let the database's administrator run: ALTER ROLE … SET lc_messages TO 'C'"
        )
        .into());
    }
    let apart = (settings.clock - Utc::now()).abs();
    if apart > TimeDelta::seconds(5) {
        tracing::warn!(
            seconds = apart.num_seconds(),
            "the clocks of this machine and of the database differ"
        );
    }
    if settings.fsync != "on" {
        tracing::warn!("fsync is off on this server: a crash of its machine loses data");
    }
    Ok(())
}

#[derive(diesel::QueryableByName)]
struct Backend {
    #[diesel(sql_type = Integer)]
    pid: i32,
}

/// Checks that two connections are two lasting sessions.
///
/// Behind a pooler in transaction mode they are not: prepared statements of the same name collide across
/// instances and return other requests' rows.
///
/// # Errors
/// If the session behind a connection changes.
pub(crate) async fn check_sessions(
    one: &mut AsyncPgConnection,
    other: &mut AsyncPgConnection,
) -> Result<(), AnyError> {
    let stayed = stay_apart(one, other).await;
    if let Err(error) = &stayed {
        tracing::error!(%error, "two sessions could not be told apart");
    }
    // If statements get mixed up, the check itself may fail.
    if !stayed.unwrap_or(false) {
        return Err("DATABASE_URL seems to name a pooler in transaction mode, under which prepared statements can \
             answer with other requests' rows: let the service connect to PostgreSQL itself, or set the pooler to \
             session mode"
            .into());
    }
    Ok(())
}

async fn stay_apart(
    one: &mut AsyncPgConnection,
    other: &mut AsyncPgConnection,
) -> Result<bool, diesel::result::Error> {
    let before = backend(one).await?;
    // While this transaction is open, a pooler must give the first connection another session.
    let (held, after) = other
        .transaction(async |other| {
            let held = backend(other).await?;
            Ok::<_, diesel::result::Error>((held, backend(one).await?))
        })
        .await?;
    Ok(before != held && before == after)
}

async fn backend(connection: &mut AsyncPgConnection) -> Result<i32, diesel::result::Error> {
    let backend: Backend = diesel::sql_query("SELECT pg_backend_pid() AS pid").get_result(connection).await?;
    Ok(backend.pid)
}
