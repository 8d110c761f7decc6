//! Brings the schema up to date, and refuses databases on which our promises would not hold.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::sql_types::{Bool, Text, Timestamptz};
use diesel_async::{AsyncMigrationHarness, AsyncPgConnection, RunQueryDsl};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

/// All migrations, part of the binary.
pub const MIGRATIONS: EmbeddedMigrations = embed_migrations!();

/// One instance migrates, the others wait: "yaniv" in ASCII as the key of an advisory lock.
const MIGRATION_LOCK: i64 = 0x79_61_6e_69_76;

type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// Checks the server and runs the migrations that are missing.
///
/// # Errors
/// If the database cannot be reached, is a standby, would acknowledge what it may lose, or refuses a migration.
pub async fn prepare(database_url: &str) -> Result<(), AnyError> {
    let mut connection = super::connect(database_url).await?;
    check(&mut connection).await?;
    diesel::sql_query("SET lock_timeout = 0").execute(&mut connection).await?;
    diesel::sql_query("SET statement_timeout = 0").execute(&mut connection).await?;
    diesel::sql_query(format!("SELECT pg_advisory_lock({MIGRATION_LOCK})")).execute(&mut connection).await?;
    // The session ends with the connection, and the lock with the session.
    let mut harness = AsyncMigrationHarness::new(connection);
    for applied in harness.run_pending_migrations(MIGRATIONS)? {
        tracing::info!(migration = %applied, "migrated");
    }
    Ok(())
}

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
    #[diesel(sql_type = Timestamptz)]
    clock: DateTime<Utc>,
}

async fn check(connection: &mut AsyncPgConnection) -> Result<(), AnyError> {
    let settings: Settings = diesel::sql_query(
        "SELECT pg_is_in_recovery() AS standby, current_setting('synchronous_commit') AS synchronous_commit, \
         current_setting('fsync') AS fsync, current_setting('lc_messages') AS lc_messages, \
         clock_timestamp() AS clock",
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
