//! Runs schema migrations while other instances serve, after checking the server (`server_check`).
//!
//! PostgreSQL queues lock requests per table, and later requests wait behind earlier ones. A migration
//! therefore waits only briefly for a lock, gives up so that the queue drains, and retries. Rules that keep a
//! migration's own locks short: `migrations/README.md`.

use std::fmt;
use std::time::{Duration, Instant};

use diesel::migration::{Migration, MigrationSource};
use diesel::pg::Pg;
use diesel::sql_types::{BigInt, Bool, Integer, Text};
use diesel_async::{AsyncMigrationHarness, AsyncPgConnection, RunQueryDsl};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::error::is_lock_failure;
use crate::kernel::server_check::{check_server, check_sessions};

/// All migrations, embedded in the binary.
pub const MIGRATIONS: EmbeddedMigrations = embed_migrations!();

/// Key of the advisory lock that lets one instance migrate at a time: "yaniv" in ASCII.
const MIGRATION_LOCK: i64 = 0x79_61_6e_69_76;
/// Interval at which an instance polls the migration lock.
const TURN_POLL: Duration = Duration::from_millis(250);
/// Interval at which the sessions that block a migration are looked up.
const BLOCKERS_POLL: Duration = Duration::from_millis(100);
/// Interval between log lines about a wait.
const LOG_EVERY: Duration = Duration::from_secs(10);

type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// Lock timeouts of migrations.
#[derive(Clone, Copy, Debug)]
pub struct LockWaits {
    /// For one lock, inside a transaction. Requests that need the table wait behind it this long.
    pub one: Duration,
    /// Before the first retry; doubles with each retry, up to ten times this value.
    pub pause: Duration,
    /// In total, from the first try of a migration to the last.
    pub all: Duration,
}

impl Default for LockWaits {
    fn default() -> Self {
        Self {
            one: Duration::from_millis(300),
            pause: Duration::from_millis(500),
            all: Duration::from_secs(600),
        }
    }
}

/// Checks the server and runs pending migrations.
///
/// # Errors
/// If the database is unreachable, fails the checks or rejects a migration, or if other sessions hold locks
/// for too long.
pub async fn prepare(database_url: &str) -> Result<(), AnyError> {
    let mut connection = crate::connect(database_url).await?;
    check_sessions(&mut connection, &mut crate::connect(database_url).await?).await?;
    check_server(&mut connection).await?;
    drop(connection);
    migrate(database_url, &MIGRATIONS, LockWaits::default()).await
}

/// Runs the pending migrations of a source, one instance at a time.
///
/// # Errors
/// If the database is unreachable or rejects a migration, or if other sessions hold locks for too long.
pub async fn migrate(
    database_url: &str,
    source: &(impl MigrationSource<Pg> + Sync),
    waits: LockWaits,
) -> Result<(), AnyError> {
    let mut connection = crate::connect(database_url).await?;
    diesel::sql_query("SET statement_timeout = 0").execute(&mut connection).await?;
    // The session ends with the connection, and the lock with the session.
    take_turn(&mut connection).await?;
    let (mut connection, mut next) = first_missing(connection, source)?;
    if next.is_none() {
        return Ok(());
    }
    let blockers = Blockers::watch(database_url, &mut connection).await?;
    while let Some(missing) = next {
        connection = apply(connection, source, &missing, waits, &blockers).await?;
        tracing::info!(migration = %missing.name, "migrated");
        (connection, next) = first_missing(connection, source)?;
    }
    Ok(())
}

/// Waits until no other instance migrates. Polls instead of blocking in a statement, because `CREATE INDEX
/// CONCURRENTLY` waits for every running statement.
async fn take_turn(connection: &mut AsyncPgConnection) -> Result<(), AnyError> {
    #[derive(diesel::QueryableByName)]
    struct Lock {
        #[diesel(sql_type = Bool)]
        taken: bool,
    }
    let begun = Instant::now();
    let mut log = Pace::default();
    loop {
        let lock = diesel::sql_query(format!("SELECT pg_try_advisory_lock({MIGRATION_LOCK}) AS taken"));
        if lock.get_result::<Lock>(connection).await?.taken {
            return Ok(());
        }
        if log.is_due() {
            tracing::info!(seconds = begun.elapsed().as_secs(), "waiting: another instance migrates");
        }
        tokio::time::sleep(TURN_POLL).await;
    }
}

/// A pending migration.
struct Missing {
    name: String,
    in_transaction: bool,
}

type Harness = AsyncMigrationHarness<AsyncPgConnection>;

fn first_missing(
    connection: AsyncPgConnection,
    source: &impl MigrationSource<Pg>,
) -> Result<(AsyncPgConnection, Option<Missing>), AnyError> {
    let mut harness = Harness::new(connection);
    let missing = find_missing(&mut harness, source)?.map(|migration| Missing {
        name: migration.name().to_string(),
        in_transaction: migration.metadata().run_in_transaction(),
    });
    Ok((harness.into_inner(), missing))
}

fn find_missing(
    harness: &mut Harness,
    source: &impl MigrationSource<Pg>,
) -> Result<Option<Box<dyn Migration<Pg>>>, AnyError> {
    let applied = harness.applied_migrations()?;
    let missing = source.migrations()?.into_iter().filter(|one| !applied.contains(&one.name().version()));
    Ok(missing.min_by(|one, other| one.name().version().cmp(&other.name().version())))
}

/// Applies the first pending migration, with retries.
async fn apply(
    mut connection: AsyncPgConnection,
    source: &(impl MigrationSource<Pg> + Sync),
    missing: &Missing,
    waits: LockWaits,
    blockers: &Blockers,
) -> Result<AsyncPgConnection, AnyError> {
    let begun = Instant::now();
    let mut pause = waits.pause;
    // Outside a transaction no requests queue behind the wait, so it may be long: `CREATE INDEX CONCURRENTLY`
    // waits for all older transactions.
    let lock_timeout = if missing.in_transaction { waits.one } else { waits.all };
    loop {
        let setting = format!("SET lock_timeout = {}", lock_timeout.as_millis());
        diesel::sql_query(setting).execute(&mut connection).await?;
        let (left, tried) = try_once(connection, source, missing).await;
        connection = left;
        let Err(error) = tried else { return Ok(connection) };
        if !is_lock_failure(&error.to_string()) {
            return Err(error);
        }
        if begun.elapsed() + pause >= waits.all {
            return Err(format!(
                "migration {} did not get its locks within {} s; it waited for {}. Instances that run go on as \
                 before. Let those sessions end (a dump, a report), or end them with pg_terminate_backend, and start again",
                missing.name,
                waits.all.as_secs(),
                blockers.last()
            )
            .into());
        }
        tokio::time::sleep(pause.mul_f64(1.0 + rand::random::<f64>() / 2.0)).await;
        pause = (pause * 2).min(waits.pause * 10);
    }
}

async fn try_once(
    mut connection: AsyncPgConnection,
    source: &(impl MigrationSource<Pg> + Sync),
    missing: &Missing,
) -> (AsyncPgConnection, Result<(), AnyError>) {
    if !missing.in_transaction
        && let Err(error) = drop_invalid_indexes(&mut connection).await
    {
        return (connection, Err(error.into()));
    }
    let mut harness = Harness::new(connection);
    let run = |harness: &mut Harness| match find_missing(harness, source)? {
        Some(migration) => harness.run_migration(&migration).map(drop),
        None => Ok(()),
    };
    let tried = run(&mut harness);
    (harness.into_inner(), tried)
}

/// Drops invalid indexes left by an interrupted `CREATE INDEX CONCURRENTLY`. They are maintained but never
/// used, and block the retry. Invalid indexes of a `REINDEX` are left to its operator.
async fn drop_invalid_indexes(connection: &mut AsyncPgConnection) -> Result<(), diesel::result::Error> {
    #[derive(diesel::QueryableByName)]
    struct Index {
        #[diesel(sql_type = Text)]
        name: String,
    }
    let invalid = "SELECT format('%I.%I', n.nspname, c.relname) AS name FROM pg_index i \
         JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace \
         WHERE NOT i.indisvalid AND n.nspname = current_schema() AND c.relname !~ '_cc(new|old)[0-9]*$'";
    for Index { name } in diesel::sql_query(invalid).load::<Index>(connection).await? {
        tracing::info!(index = %name, "dropping an index whose building was broken off");
        diesel::sql_query(format!("DROP INDEX CONCURRENTLY IF EXISTS {name}")).execute(connection).await?;
    }
    Ok(())
}

/// A session that blocks another one.
#[derive(Clone, Debug, diesel::QueryableByName)]
struct Blocker {
    #[diesel(sql_type = Integer)]
    pid: i32,
    #[diesel(sql_type = Text)]
    application: String,
    #[diesel(sql_type = BigInt)]
    seconds: i64,
}

impl fmt::Display for Blocker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pid, application, seconds } = self;
        write!(f, "session {pid} ({application:?}, in a transaction for {seconds} s)")
    }
}

/// Watches which sessions block the migrating session, from a second connection, and logs them.
struct Blockers {
    seen: watch::Receiver<String>,
    task: JoinHandle<()>,
}

impl Blockers {
    async fn watch(database_url: &str, waiting: &mut AsyncPgConnection) -> Result<Self, AnyError> {
        #[derive(diesel::QueryableByName)]
        struct Own {
            #[diesel(sql_type = Integer)]
            pid: i32,
        }
        let own: Own = diesel::sql_query("SELECT pg_backend_pid() AS pid").get_result(waiting).await?;
        let mut connection = crate::connect(database_url).await?;
        let (saw, seen) = watch::channel("no session that is visible".to_owned());
        let task = tokio::spawn(async move {
            let (mut log, mut since) = (Pace::default(), None);
            // Optional: if the lookup fails, the migration continues with less logging.
            while let Ok(blockers) = blockers_of(&mut connection, own.pid).await {
                if !blockers.is_empty() {
                    let names: Vec<String> = blockers.iter().map(ToString::to_string).collect();
                    let names = names.join(", ");
                    let since = *since.get_or_insert_with(Instant::now);
                    if log.is_due() {
                        tracing::info!(seconds = since.elapsed().as_secs(), "a migration waits for {names}");
                    }
                    saw.send_replace(names);
                }
                tokio::time::sleep(BLOCKERS_POLL).await;
            }
        });
        Ok(Self { seen, task })
    }

    fn last(&self) -> String {
        self.seen.borrow().clone()
    }
}

impl Drop for Blockers {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn blockers_of(
    connection: &mut AsyncPgConnection,
    pid: i32,
) -> Result<Vec<Blocker>, diesel::result::Error> {
    diesel::sql_query(
        "SELECT a.pid, coalesce(nullif(a.application_name, ''), a.backend_type, '') AS application, \
         coalesce(extract(epoch FROM clock_timestamp() - a.xact_start), 0)::bigint AS seconds \
         FROM unnest(pg_blocking_pids($1)) AS b (pid) JOIN pg_stat_activity a ON a.pid = b.pid",
    )
    .bind::<Integer, _>(pid)
    .load(connection)
    .await
}

/// Limits how often a log line is written.
#[derive(Default)]
struct Pace(Option<Instant>);

impl Pace {
    fn is_due(&mut self) -> bool {
        let due = self.0.is_none_or(|last| last.elapsed() >= LOG_EVERY);
        if due {
            self.0 = Some(Instant::now());
        }
        due
    }
}
