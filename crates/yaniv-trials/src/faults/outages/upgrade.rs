//! Schema upgrade: the schema changes while matches are played and a dump runs, and no client waits for long.
//!
//! The migrations are the trial's own, like those of a release; the service's code applies them. Before that, a
//! database of release 0.1.0 is migrated to the current schema beside such a dump; its instances have to be stopped for
//! that, so no matches are played.

use std::time::{Duration, Instant};

use diesel::migration::{Migration, MigrationSource};
use diesel::pg::Pg;
use diesel_migrations::{EmbeddedMigrations, embed_migrations};
use tokio_postgres::{Client, NoTls};
use yaniv_db::kernel::migrations::{self, LockWaits, migrate};

use crate::Error;
use crate::faults::drive::{Plan, drive};
use crate::faults::report::Report;
use crate::faults::setup::stage::Stage;
use crate::faults::trial::{Context, Outcome, Trial};
use crate::faults::workload::Clock;

/// The trial.
pub(crate) const TRIAL: Trial = Trial {
    name: "upgrade",
    promise: "A schema change makes no client wait for a second, even during a dump",
    injects: "a migration with columns, an index and a backfill, beside a reader of all tables",
    times: 10,
    short: 1,
    bug: "migrations wait for locks without bound",
    run,
    planted,
};

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("migrations");

/// Initial content of a database: copies of one played match.
const FILL: &str = "INSERT INTO matches \
     SELECT (jsonb_populate_record(m, jsonb_build_object('id', c.id, 'code', c.id))).* \
     FROM copies c JOIN matches m ON m.id = c.original; \
     INSERT INTO seats \
     SELECT (jsonb_populate_record(s, jsonb_build_object('match_id', c.id, 'closed_at', now()))).* \
     FROM copies c JOIN seats s ON s.match_id = c.original";

/// The last migration of release 0.1.0.
const RELEASED: &str = "20261121140000";

/// Finished matches of two, as release 0.1.0 stored them.
const RELEASED_ROWS: &str = "INSERT INTO accounts (id, username, password_hash) \
     SELECT gen_random_uuid(), 'player_' || n, '' FROM generate_series(1, 100) n; \
     INSERT INTO matches (id, code, rules, preset, size, seat_order, secret, commitment) \
     SELECT gen_random_uuid(), upper(lpad(to_hex(n), 8, '0')), '{}', 'yaniv', 2, 'joined', sha256(n::text::bytea), \
     encode(sha256(n::text::bytea), 'hex') FROM generate_series(1, MATCHES) n; \
     INSERT INTO match_states (match_id, version, status, updated_at) SELECT id, 3, 'finished', now() FROM matches; \
     INSERT INTO seats (match_id, account_id, seat, client_seed) SELECT m.id, a.id, a.seat, '' FROM matches m, \
     (SELECT id, row_number() OVER () - 1 AS seat FROM accounts LIMIT 2) a";

/// Reverts the migrations.
const REVERT: &str = "DELETE FROM __diesel_schema_migrations WHERE version >= '2999'; \
     ALTER TABLE seats DROP COLUMN trial; ALTER TABLE matches DROP COLUMN trial";

fn run(context: &Context) -> Result<Outcome, Error> {
    // In the short form other trials run at the same time.
    let most = Duration::from_millis(context.long_or_short(1000, 2000));
    let copies = context.long_or_short(100_000, 2000);
    let reads_for = Duration::from_secs(context.long_or_short(20, 4));
    let mut report = upgrade(context, Plan::full(context, 5), LockWaits::default(), copies, reads_for)?;
    let matches = context.long_or_short(20_000, 500);
    let took = context.runtime.block_on(from_release(&new_database(context)?, matches))?.as_secs_f64();
    report.note(format!(
        "{matches} matches of release 0.1.0 are migrated in {took:.1} s, beside a reader of 2 s"
    ));
    Ok(judged(report, most).into())
}

fn planted(context: &Context) -> Result<Outcome, Error> {
    let plan = Plan { groups: 3, times: 1, part: 1, ..Plan::full(context, 1) };
    let for_ever = LockWaits { one: Duration::from_secs(3600), ..LockWaits::default() };
    let mut report =
        judged(upgrade(context, plan, for_ever, 100, Duration::from_secs(10))?, Duration::from_secs(2));
    // A write that waited too long counts as a gap, too.
    report.gaps += report.wrong;
    Ok(report.into())
}

fn judged(mut report: Report, most: Duration) -> Report {
    let slowest = report.slowest;
    report.require(slowest < most, || format!("a write took {slowest:?}"));
    report
}

fn upgrade(
    context: &Context,
    plan: Plan,
    waits: LockWaits,
    copies: usize,
    reads_for: Duration,
) -> Result<Report, Error> {
    let mut stage = Stage::new(context, "upgrade")?;
    let mut filled = false;
    let inject = &mut |stage: &mut Stage, clock: &Clock, report: &mut Report| {
        let before = context.runtime.block_on(async {
            if !filled {
                fill(&stage.url, copies).await?;
                filled = true;
            }
            let before: String =
                connect(&stage.url).await?.query_one("SELECT clock_timestamp()::text", &[]).await?.get(0);
            let reader = read_everything(&stage.url).await?;
            let reading = tokio::spawn(async move {
                tokio::time::sleep(reads_for).await;
                drop(reader);
            });
            let begun = Instant::now();
            migrate(&stage.url, &MIGRATIONS, waits).await?;
            let took = begun.elapsed().as_secs_f64();
            reading.await?;
            report.note(format!("migrated in {took:.1} s, beside a reader of {} s", reads_for.as_secs()));
            Ok::<_, Error>(before)
        })?;
        report.injected += 1;
        clock.wait_more(20, Duration::from_secs(5));
        context.runtime.block_on(async {
            let client = connect(&stage.url).await?;
            // Only seats closed before the migration: later ones get no value, as no code sets one.
            let query = format!("SELECT count(*) FROM seats WHERE trial IS NULL AND closed_at < '{before}'");
            let left: i64 = client.query_one(&query, &[]).await?.get(0);
            report.require(left == 0, || format!("{left} seats were not filled in"));
            revert(&client).await
        })
    };
    drive(context, &mut stage, &plan, inject)
}

fn new_database(context: &Context) -> Result<String, Error> {
    let mut shared = context.cluster()?;
    let cluster = shared.get()?;
    cluster.ensure_database("upgrade_released")?;
    Ok(cluster.url("upgrade_released"))
}

/// The migrations up to those of release 0.1.0.
struct Released;

impl MigrationSource<Pg> for Released {
    fn migrations(&self) -> diesel::migration::Result<Vec<Box<dyn Migration<Pg>>>> {
        let mut all = migrations::MIGRATIONS.migrations()?;
        all.retain(|migration| migration.name().version().to_string().as_str() <= RELEASED);
        Ok(all)
    }
}

/// Time to migrate this many matches from release 0.1.0, while a reader holds its locks for two seconds.
async fn from_release(url: &str, matches: usize) -> Result<Duration, Error> {
    migrate(url, &Released, LockWaits::default()).await?;
    let client = connect(url).await?;
    client.batch_execute(&RELEASED_ROWS.replace("MATCHES", &matches.to_string())).await?;
    let reader = read_everything(url).await?;
    let reading = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(2)).await;
        drop(reader);
    });
    let begun = Instant::now();
    migrations::prepare(url).await?;
    let took = begun.elapsed();
    reading.await?;
    let left = "SELECT count(*) FROM seats WHERE preset IS DISTINCT FROM 'yaniv' OR closed_at IS NULL";
    let left: i64 = client.query_one(left, &[]).await?.get(0);
    if left > 0 { Err(format!("{left} seats were not filled in").into()) } else { Ok(took) }
}

async fn connect(url: &str) -> Result<Client, Error> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

async fn fill(url: &str, copies: usize) -> Result<(), Error> {
    let client = connect(url).await?;
    let ids = format!(
        "CREATE TEMP TABLE copies AS SELECT gen_random_uuid() AS id, \
         (SELECT id FROM matches ORDER BY id LIMIT 1) AS original FROM generate_series(1, {copies})"
    );
    client.batch_execute(&ids).await?;
    Ok(client.batch_execute(FILL).await?)
}

/// No client may wait for this either; all statements of a message are one transaction.
async fn revert(client: &Client) -> Result<(), Error> {
    client.batch_execute("SET lock_timeout = '300ms'").await?;
    for _ in 0..100 {
        if client.batch_execute(REVERT).await.is_ok() {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    Err("the migrations could not be taken back".into())
}

/// A session that has read all tables in one snapshot and keeps its locks, like a dump.
async fn read_everything(url: &str) -> Result<Client, Error> {
    let client = connect(url).await?;
    client.batch_execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY").await?;
    let tables =
        "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname = current_schema()";
    for row in client.query(tables, &[]).await? {
        let table: String = row.get(0);
        client.batch_execute(&format!("SELECT count(*) FROM {table}")).await?;
    }
    Ok(client)
}
