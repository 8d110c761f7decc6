//! `yaniv rebuild`: recomputes derived data from the log, with a progress bar. The computations are in
//! `yaniv_app::statistics::rebuild` and `yaniv_app::ratings::rebuild`.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::{Args, Subcommand};
use tokio::runtime::Handle;
use uuid::Uuid;
use yaniv_app::ratings::rebuild::rebuild_ratings;
use yaniv_app::statistics::rebuild::{Progress, rebuild_statistics};
use yaniv_db::Store;
use yaniv_db::kernel::migrations;

use crate::admin::database::on_database;
use crate::config::Secret;

type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// Interval between progress updates: the same line on a terminal, a new line elsewhere.
const ON_TERMINAL: Duration = Duration::from_millis(100);
const ELSEWHERE: Duration = Duration::from_secs(10);
/// Width of the bar in characters.
const BAR: usize = 30;
const BAR_LENGTH: u64 = 30;

/// Options of `yaniv rebuild`.
#[derive(Debug, Args)]
pub struct RebuildOptions {
    /// What to rebuild.
    #[command(subcommand)]
    pub command: RebuildCommand,
    /// Number of matches counted concurrently; without it, one per core.
    #[arg(long, value_name = "NUMBER", global = true)]
    pub workers: Option<usize>,
    /// Database URL, as postgres://…; without it, the embedded PostgreSQL with its data in the directory
    /// `YANIV_DATA_DIR`.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true, global = true)]
    pub database_url: Option<Secret>,
    /// File that holds the database URL.
    #[arg(long, env = "DATABASE_URL_FILE", conflicts_with = "database_url", global = true)]
    pub database_url_file: Option<PathBuf>,
}

/// Data that can be rebuilt.
#[derive(Debug, Subcommand)]
pub enum RebuildCommand {
    /// Empty the statistics and count all matches again. Until it ends, figures are too small.
    Statistics {
        /// Resume after this match without emptying: the one printed by an interrupted run.
        #[arg(long, value_name = "MATCH")]
        after: Option<Uuid>,
    },
    /// Delete the ratings and rate every rated match again. Leaderboards refill in the meantime. After an
    /// interruption, the service does the rest.
    Ratings,
}

/// Progress output.
struct ProgressBar {
    begun: Instant,
    terminal: bool,
    /// Time of the last output, in milliseconds since the start.
    said: AtomicU64,
    line: Mutex<()>,
}

/// Rebuilds the requested data.
///
/// # Errors
/// If there is no database (with advice), or if not everything could be counted.
pub fn run(options: &RebuildOptions) -> Result<(), AnyError> {
    let workers =
        options.workers.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from));
    let database = (options.database_url.as_ref(), options.database_url_file.as_deref());
    on_database(workers.max(1), database, async |url| run_on(options, workers, url).await)
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
    let teller = Arc::new(ProgressBar::new());
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
    let teller = ProgressBar::new();
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

impl ProgressBar {
    fn new() -> Self {
        let terminal = std::io::stderr().is_terminal();
        Self { begun: Instant::now(), terminal, said: AtomicU64::new(0), line: Mutex::new(()) }
    }

    /// Prints the number of matches done, unless the last output was too recent.
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
        // A failed progress output is ignored.
        let _ = write!(std::io::stderr(), "{begin}{}{end}", line(done, all, elapsed));
        let _ = std::io::stderr().flush();
    }

    fn end(&self) {
        if self.terminal {
            let _ = writeln!(std::io::stderr());
        }
    }
}

/// One line: bar, done and total, estimated remaining time.
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
