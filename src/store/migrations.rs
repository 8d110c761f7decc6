//! Brings the schema up to date, once the server was found fit (`server_check`).

use diesel_async::{AsyncMigrationHarness, RunQueryDsl};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

/// All migrations, part of the binary.
pub const MIGRATIONS: EmbeddedMigrations = embed_migrations!();

/// One instance migrates, the others wait: "yaniv" in ASCII as the key of an advisory lock.
const MIGRATION_LOCK: i64 = 0x79_61_6e_69_76;

use super::server_check::{check_server, check_sessions};

type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// Checks the server and runs the migrations that are missing.
///
/// # Errors
/// If the database cannot be reached, is not fit, or refuses a migration.
pub async fn prepare(database_url: &str) -> Result<(), AnyError> {
    let mut connection = super::connect(database_url).await?;
    check_sessions(&mut connection, &mut super::connect(database_url).await?).await?;
    check_server(&mut connection).await?;
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
