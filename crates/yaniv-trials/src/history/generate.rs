//! Plays and stores matches, several concurrently, in atomic chunks: after an interruption, the next chunk continues.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use indicatif::{ProgressBar, ProgressStyle};
use tokio_postgres::{Client, NoTls};
use yaniv_auth::password::Passwords;
use yaniv_bot::Level;

use super::copy::{Copied, Line, copy};
use super::people::account;
use super::play::Plan;
use crate::Error;
use crate::load::results::machine;
use crate::load::results::number::{pretty, real};

/// Matches in a chunk.
const PIECE: u64 = 500;
/// From this many on, indexes are built afterwards.
const MANY: u64 = 20_000;
/// The password of every account.
pub const PASSWORD: &str = "correct horse battery";
/// How long ago the first match was created, and the last.
const BEGINS: TimeDelta = TimeDelta::days(3 * 365);
const ENDS: TimeDelta = TimeDelta::days(40);

const SCHEMA: &str = "
CREATE SCHEMA IF NOT EXISTS generator;
CREATE TABLE IF NOT EXISTS generator.plan (
    matches bigint NOT NULL, begins timestamptz NOT NULL, played_out boolean NOT NULL);
CREATE TABLE IF NOT EXISTS generator.pieces (piece bigint PRIMARY KEY);
CREATE TABLE IF NOT EXISTS generator.indexes (definition text NOT NULL);";

/// Indexes of the filled tables that no key needs.
const INDEXES: &str = "
SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index
WHERE indrelid = ANY (ARRAY['matches', 'match_states', 'seats', 'actions', 'rounds']::regclass[]) AND NOT indisunique";

/// Measured speed.
#[derive(Clone, Copy, Debug)]
pub struct Speed {
    /// Matches that were played.
    pub matches: u64,
    /// Log entries.
    pub actions: u64,
    /// Time for playing and storing.
    pub stored: Duration,
    /// Time for the rest: indexes, vacuum.
    pub rest: Duration,
}

/// Connects.
///
/// # Errors
/// If the database cannot be reached.
pub async fn connect(url: &str) -> Result<Client, Error> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

/// Plays and stores the missing ones of this many matches, each to its end if they are to be played out.
///
/// # Errors
/// Those of the database; and if it was filled with another plan.
pub async fn generate(url: &str, matches: u64, played_out: bool) -> Result<Speed, Error> {
    yaniv_db::kernel::migrations::prepare(url).await?;
    let client = connect(url).await?;
    client.batch_execute(SCHEMA).await?;
    let plan = match plan(&client).await? {
        Some(plan) if plan.matches == matches && plan.played_out == played_out => plan,
        Some(plan) => return Err(format!("it has been filled with other matches: {plan:?}").into()),
        None => begin(&client, matches, played_out).await?,
    };
    let pieces = client.query("SELECT piece FROM generator.pieces", &[]).await?;
    let done: HashSet<i64> = pieces.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
    if matches >= MANY {
        drop_indexes(&client).await?;
    }
    let begun = Instant::now();
    let (played, actions) = fill(url, plan, done).await?;
    let stored = begun.elapsed();
    make_indexes(&client).await?;
    client.batch_execute("VACUUM (ANALYZE)").await?;
    let rest = begun.elapsed().saturating_sub(stored);
    Ok(Speed { matches: played, actions, stored, rest })
}

/// The plan that a database was filled with.
///
/// # Errors
/// Those of the database.
pub async fn plan(client: &Client) -> Result<Option<Plan>, Error> {
    let sql = "SELECT matches, (extract(epoch FROM begins) * 1000)::bigint, played_out FROM generator.plan";
    let Some(row) = client.query_opt(sql, &[]).await? else { return Ok(None) };
    let (matches, begins): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
    let begins = DateTime::from_timestamp_millis(begins).ok_or("a time out of bounds")?;
    let (matches, ends) = (u64::try_from(matches)?, begins + BEGINS - ENDS);
    Ok(Some(Plan { matches, begins, ends, played_out: row.try_get(2)? }))
}

/// Stores the accounts and the plan.
async fn begin(client: &Client, matches: u64, played_out: bool) -> Result<Plan, Error> {
    let begins = Utc::now() - BEGINS;
    let plan = Plan { matches, begins, ends: begins + BEGINS - ENDS, played_out };
    let hash = Passwords::new(1).hash(PASSWORD.to_owned()).await.map_err(|error| error.to_string())?;
    let people = plan.people();
    let (mut text, created) = (String::new(), begins - TimeDelta::days(30));
    for number in 0..people.count() {
        let mut line = Line::of(&mut text);
        line.put(account(number).0)?.put(format_args!("player_{number}"))?.text(&hash)?;
        line.time(Some(created))?.text("person")?.maybe(None)?;
        line.end();
    }
    for level in Level::ALL {
        let mut line = Line::of(&mut text);
        line.put(account(people.bot(level)).0)?.put(format_args!("bot_{level}"))?.text("")?;
        line.time(Some(created))?.text("bot")?.text(&level.to_string())?;
        line.end();
    }
    client.batch_execute("BEGIN").await?;
    copy(client, "accounts (id, username, password_hash, created_at, kind, level)", text).await?;
    let sql = "INSERT INTO generator.plan VALUES ($1, to_timestamp($2::bigint / 1000.0), $3)";
    client.execute(sql, &[&i64::try_from(matches)?, &begins.timestamp_millis(), &played_out]).await?;
    client.batch_execute("COMMIT").await?;
    // Read back, with the precision of the database.
    self::plan(client).await?.ok_or_else(|| "the plan is missing".into())
}

/// A progress bar for this many matches.
///
/// # Errors
/// Never: its template is right.
pub fn bar(matches: u64) -> Result<ProgressBar, Error> {
    let style = ProgressStyle::with_template("{bar:30} {pos} of {len} matches, {per_sec}, {eta} left")?;
    Ok(ProgressBar::new(matches).with_style(style))
}

/// Plays and stores all missing chunks, as many concurrently as keep the machine busy.
async fn fill(url: &str, plan: Plan, done: HashSet<i64>) -> Result<(u64, u64), Error> {
    let bar = bar(plan.matches)?;
    let (next, done) = (Arc::new(AtomicU64::new(0)), Arc::new(done));
    let (played, actions) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let mut workers = tokio::task::JoinSet::new();
    for _ in 0..machine::cores() + 1 {
        let client = connect(url).await?;
        let (next, done, bar) = (Arc::clone(&next), Arc::clone(&done), bar.clone());
        let (played, actions) = (Arc::clone(&played), Arc::clone(&actions));
        workers.spawn(async move {
            // Foreign keys hold by construction, and what a crash loses is played again.
            let settings = "SET synchronous_commit = off; SET session_replication_role = replica";
            client.batch_execute(settings).await?;
            loop {
                let piece = next.fetch_add(1, Ordering::Relaxed);
                let (from, to) = (piece * PIECE, ((piece + 1) * PIECE).min(plan.matches));
                if from >= to {
                    return Ok::<_, Error>(());
                }
                bar.inc(to - from);
                if done.contains(&i64::try_from(piece)?) {
                    continue;
                }
                let copied = tokio::task::block_in_place(|| piece_of(&plan, from..to))?;
                played.fetch_add(to - from, Ordering::Relaxed);
                actions.fetch_add(copied.actions, Ordering::Relaxed);
                client.batch_execute("BEGIN").await?;
                copied.store(&client).await?;
                let sql = "INSERT INTO generator.pieces VALUES ($1)";
                client.execute(sql, &[&i64::try_from(piece)?]).await?;
                client.batch_execute("COMMIT").await?;
            }
        });
    }
    while let Some(worker) = workers.join_next().await {
        worker??;
    }
    bar.finish_and_clear();
    Ok((played.load(Ordering::Relaxed), actions.load(Ordering::Relaxed)))
}

fn piece_of(plan: &Plan, numbers: std::ops::Range<u64>) -> Result<Copied, Error> {
    let mut copied = Copied::default();
    for number in numbers {
        copied.push(&plan.play(number)?)?;
    }
    Ok(copied)
}

async fn drop_indexes(client: &Client) -> Result<(), Error> {
    for row in client.query(INDEXES, &[]).await? {
        let (name, definition): (String, String) = (row.try_get(0)?, row.try_get(1)?);
        client.execute("INSERT INTO generator.indexes VALUES ($1)", &[&definition]).await?;
        client.batch_execute(&format!("DROP INDEX {name}")).await?;
    }
    Ok(())
}

async fn make_indexes(client: &Client) -> Result<(), Error> {
    client.batch_execute("SET maintenance_work_mem = '512MB'").await?;
    for row in client.query("SELECT definition FROM generator.indexes", &[]).await? {
        let definition: String = row.try_get(0)?;
        client.batch_execute("BEGIN").await?;
        client.batch_execute(&definition).await?;
        client.execute("DELETE FROM generator.indexes WHERE definition = $1", &[&definition]).await?;
        client.batch_execute("COMMIT").await?;
    }
    Ok(())
}

impl Speed {
    /// In words.
    #[must_use]
    pub fn said(&self) -> String {
        let Self { matches, actions, stored, rest } = self;
        let seconds = stored.as_secs_f64().max(0.001);
        format!(
            "{} matches with {} entries played and stored in {seconds:.0} s, {} matches a second; indexes and vacuum took {:.0} s more",
            pretty(real(*matches)),
            pretty(real(*actions)),
            pretty(real(*matches) / seconds),
            rest.as_secs_f64()
        )
    }
}
