//! `yaniv rebuild`: what follows from the log is worked out anew. What that is, is in `service`; here is how far it has got.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use tokio::runtime::{Handle, Runtime};
use uuid::Uuid;

use crate::config::{Secret, given};
use crate::service::bookkeeper::rebuild::{Progress, rebuild_statistics};
use crate::service::rating_rebuild::rebuild_ratings;
use crate::store::Store;
use crate::store::migrations;

type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// Between two lines about how far it has got: on a terminal the same line, elsewhere a new one.
const ON_TERMINAL: Duration = Duration::from_millis(100);
const ELSEWHERE: Duration = Duration::from_secs(10);
/// Letters of the bar.
const BAR: usize = 30;
const BAR_LENGTH: u64 = 30;

/// What is rebuilt, in which database.
#[derive(Debug, Args)]
pub struct RebuildOptions {
    /// What to rebuild.
    #[command(subcommand)]
    pub command: RebuildCommand,
    /// So many matches are counted at a time; without it, one a core.
    #[arg(long, value_name = "NUMBER", global = true)]
    pub workers: Option<usize>,
    /// The database, as postgres://…; without it, the PostgreSQL of the service's own in the directory that `YANIV_DATA_DIR`
    /// names.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true, global = true)]
    pub database_url: Option<Secret>,
    /// File that holds the database's URL.
    #[arg(long, env = "DATABASE_URL_FILE", conflicts_with = "database_url", global = true)]
    pub database_url_file: Option<PathBuf>,
}

/// What is rebuilt.
#[derive(Debug, Subcommand)]
pub enum RebuildCommand {
    /// The statistics: they are emptied, and all matches counted again. Until it is done, figures are too small.
    Statistics {
        /// Go on after this match, with nothing emptied: what was printed when it was broken off.
        #[arg(long, value_name = "MATCH")]
        after: Option<Uuid>,
    },
    /// The ratings: they are forgotten, and every match that counts is rated again. Leaderboards fill up again meanwhile. If it is
    /// broken off, the service does the rest.
    Ratings,
}

/// How far it has got, for whoever looks.
struct Teller {
    begun: Instant,
    terminal: bool,
    /// When it was said last, in milliseconds since the beginning.
    said: AtomicU64,
    line: Mutex<()>,
}

/// Rebuilds what is asked for.
///
/// # Errors
/// With what to do about it, if there is no database; and if not everything could be counted.
pub fn run(options: &RebuildOptions) -> Result<(), AnyError> {
    let workers =
        options.workers.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let threads = workers.max(1);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build()?;
    match given(options.database_url.as_ref(), options.database_url_file.as_deref())? {
        Some(url) => runtime.block_on(run_on(options, workers, url.expose())),
        None => run_embedded(&runtime, options, workers),
    }
}

#[cfg(feature = "embedded-postgres")]
fn run_embedded(runtime: &Runtime, options: &RebuildOptions, workers: usize) -> Result<(), AnyError> {
    let cluster = local_postgres::Cluster::start(&local_postgres::default_dir())?;
    cluster.ensure_database("yaniv")?;
    let result = runtime.block_on(run_on(options, workers, &cluster.url("yaniv")));
    // A service that uses it keeps it.
    cluster.stop()?;
    result
}

#[cfg(not(feature = "embedded-postgres"))]
fn run_embedded(_: &Runtime, _: &RebuildOptions, _: usize) -> Result<(), AnyError> {
    Err("DATABASE_URL is not set, and this build brings no PostgreSQL of its own".into())
}

async fn run_on(options: &RebuildOptions, workers: usize, database_url: &str) -> Result<(), AnyError> {
    migrations::prepare(database_url).await?;
    let store = Store::new(database_url, workers.max(1), &Handle::current())?;
    match options.command {
        RebuildCommand::Statistics { after } => statistics(&store, after, workers).await,
        RebuildCommand::Ratings => ratings(&store).await,
    }
}

async fn statistics(store: &Store, after: Option<Uuid>, workers: usize) -> Result<(), AnyError> {
    let teller = Arc::new(Teller::new());
    let told = Arc::clone(&teller);
    let progress: Progress = Arc::new(move |done, all| told.tell(done, all));
    let rebuilt = rebuild_statistics(store, after, workers, &progress).await?;
    teller.end();
    println!("{} matches are counted", rebuilt.matches.saturating_sub(rebuilt.damaged));
    if let Some((after, error)) = rebuilt.broken_off {
        let after = after.map(|after| format!(" --after {after}")).unwrap_or_default();
        eprintln!("not all are counted: go on with yaniv rebuild statistics{after}");
        return Err(error.into());
    }
    if rebuilt.damaged > 0 {
        return Err(format!("{} matches are damaged and could not be counted", rebuilt.damaged).into());
    }
    Ok(())
}

async fn ratings(store: &Store) -> Result<(), AnyError> {
    let teller = Teller::new();
    let (matches, damaged) = rebuild_ratings(store, |done, all| {
        teller.tell(done.unsigned_abs(), all.unsigned_abs());
    })
    .await?;
    teller.end();
    println!("{} matches are rated", matches.unsigned_abs().saturating_sub(u64::try_from(damaged.len())?));
    if damaged.is_empty() {
        return Ok(());
    }
    let ids: Vec<String> = damaged.iter().map(ToString::to_string).collect();
    Err(format!("matches that are damaged and could not be rated: {}", ids.join(", ")).into())
}

impl Teller {
    fn new() -> Self {
        let terminal = std::io::stderr().is_terminal();
        Self { begun: Instant::now(), terminal, said: AtomicU64::new(0), line: Mutex::new(()) }
    }

    /// Says how many matches are done, unless that has just been said.
    fn tell(&self, done: u64, all: u64) {
        let elapsed = self.begun.elapsed();
        let pause = if self.terminal { ON_TERMINAL } else { ELSEWHERE };
        let now = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
        let due =
            self.said.load(Ordering::Relaxed).saturating_add(u64::try_from(pause.as_millis()).unwrap_or(0));
        if done < all && now < due {
            return;
        }
        self.said.store(now, Ordering::Relaxed);
        let _line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        let (begin, end) = if self.terminal { ("\r\x1b[K", "") } else { ("", "\n") };
        // Who does not see it does not miss it.
        let _ = write!(std::io::stderr(), "{begin}{}{end}", line(done, all, elapsed));
        let _ = std::io::stderr().flush();
    }

    fn end(&self) {
        if self.terminal {
            let _ = writeln!(std::io::stderr());
        }
    }
}

/// A bar, how many of how many, and how long it may still take.
fn line(done: u64, all: u64, elapsed: Duration) -> String {
    let part = |of: u64| of.saturating_mul(done).checked_div(all).unwrap_or(of);
    let full = usize::try_from(part(BAR_LENGTH)).unwrap_or(BAR).min(BAR);
    let left = all.saturating_sub(done).saturating_mul(elapsed.as_secs()).checked_div(done).unwrap_or(0);
    format!(
        "[{}{}] {done} of {all} matches ({} %), {} min {} s left",
        "#".repeat(full),
        " ".repeat(BAR - full),
        part(100),
        left / 60,
        left % 60,
    )
}

#[cfg(test)]
mod tests {
    use super::line;
    use std::time::Duration;

    #[test]
    fn the_bar_is_as_long_as_what_is_done() {
        let half = line(500, 1000, Duration::from_secs(90));
        assert_eq!(
            half,
            format!("[{}{}] 500 of 1000 matches (50 %), 1 min 30 s left", "#".repeat(15), " ".repeat(15))
        );
        assert!(line(0, 0, Duration::ZERO).ends_with("0 of 0 matches (100 %), 0 min 0 s left"));
    }
}
