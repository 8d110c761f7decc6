//! `yaniv fsck`: checks all matches, prints a line per difference, and can be resumed. The checks are in
//! `yaniv_app::admin::integrity`.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::available_parallelism;

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use uuid::Uuid;
use yaniv_app::ServiceError;
use yaniv_app::admin::integrity::check::{Difference, Fsck};
use yaniv_db::Store;
use yaniv_model::ids::MatchId;

use super::AnyError;
use super::database::on_database;
use crate::cli;
use crate::config::Secret;

/// Page size of match identifiers.
const AT_A_TIME: i64 = 500;

/// Options of `yaniv fsck`.
#[derive(Debug, Args)]
pub struct FsckOptions {
    /// Resume after this match: the last one printed by an interrupted run.
    #[arg(long, value_name = "MATCH")]
    pub after: Option<Uuid>,
    /// Number of matches checked concurrently; without it, one per core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub jobs: Option<u16>,
    /// Database URL, as postgres://…; without it, the embedded PostgreSQL with its data in the directory
    /// `YANIV_DATA_DIR`.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    pub database_url: Option<Secret>,
    /// File that holds the database URL.
    #[arg(long, env = "DATABASE_URL_FILE", conflicts_with = "database_url")]
    pub database_url_file: Option<PathBuf>,
}

/// Progress and findings.
struct Looked {
    last: Option<MatchId>,
    matches: u64,
    differing: u64,
    differences: usize,
    /// Whether the last match was reached.
    whole: bool,
}

/// Checks the matches. Exit status 0: no differences; 1: differences; 2: not everything was checked.
pub fn run(options: &FsckOptions) -> ExitCode {
    let database = (options.database_url.as_ref(), options.database_url_file.as_deref());
    let jobs = options.jobs.map_or_else(|| available_parallelism().map_or(1, usize::from), usize::from);
    let mut looked =
        Looked { last: options.after.map(MatchId), matches: 0, differing: 0, differences: 0, whole: false };
    let result = on_database(jobs, database, async |url| look_through(&mut looked, url, jobs).await);
    if let Err(error) = &result {
        eprintln!("yaniv: {error}");
        let mut cause = error.source();
        while let Some(error) = cause {
            eprintln!("  because: {error}");
            cause = error.source();
        }
    }
    looked.say();
    ExitCode::from(match () {
        () if !looked.whole => 2,
        () if looked.differences > 0 => 1,
        () => 0,
    })
}

async fn look_through(looked: &mut Looked, url: &str, jobs: usize) -> Result<(), AnyError> {
    let fsck = Fsck::new(Store::new(url, jobs + 1, &Handle::current())?);
    let bar = ProgressBar::new(fsck.count(looked.last).await?);
    let form = "{bar:30} {pos} of {len} matches, {per_sec}, {eta} left";
    bar.set_style(ProgressStyle::with_template(form)?);
    let stopped = stop_at_once_flag();
    let mut running = VecDeque::new();
    loop {
        let newest = running.back().map(|running: &Running| running.id).or(looked.last);
        let ids = fsck.after(newest, AT_A_TIME).await?;
        if ids.is_empty() {
            break;
        }
        for id in ids {
            if stopped.load(Ordering::Relaxed) {
                bar.finish_and_clear();
                return Ok(());
            }
            if running.len() >= jobs {
                looked.take(running.pop_front(), &bar).await?;
            }
            let fsck = fsck.clone();
            running.push_back(Running { id, found: tokio::spawn(async move { fsck.check(id).await }) });
        }
    }
    while !running.is_empty() {
        looked.take(running.pop_front(), &bar).await?;
    }
    bar.finish_and_clear();
    for (what, rows) in fsck.check_sums().await? {
        looked.differences += 1;
        cli::print(&format!("{what}: {rows} rows are not the sums of what is stored of the matches\n"))?;
    }
    looked.whole = true;
    Ok(())
}

/// A match being checked.
struct Running {
    id: MatchId,
    found: JoinHandle<Result<Vec<Difference>, ServiceError>>,
}

impl Looked {
    /// Waits for a check and prints its findings.
    async fn take(&mut self, running: Option<Running>, bar: &ProgressBar) -> Result<(), AnyError> {
        let Some(Running { id, found }) = running else { return Ok(()) };
        let found = found.await??;
        let text: String = found.iter().map(|difference| line(id, difference)).collect();
        if !text.is_empty() {
            bar.suspend(|| cli::print(&text))?;
        }
        self.last = Some(id);
        self.matches += 1;
        self.differing += u64::from(!found.is_empty());
        self.differences += found.len();
        bar.inc(1);
        Ok(())
    }

    fn say(&self) {
        let Self { matches, differing, differences, .. } = self;
        eprintln!("{matches} matches checked, {differences} differences; {differing} of the matches differ");
        if let Some(last) = self.last.filter(|_| !self.whole) {
            eprintln!("not all were checked: continue with --after {last}");
        }
    }
}

fn line(id: MatchId, difference: &Difference) -> String {
    let Difference { what, values } = difference;
    match values {
        Some((stored, replayed)) => format!("{id} {what}: stored {stored}, by the log {replayed}\n"),
        None => format!("{id} {what}\n"),
    }
}

/// A flag that turns true with Ctrl-C.
fn stop_at_once_flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let stopped = Arc::clone(&flag);
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            stopped.store(true, Ordering::Relaxed);
        }
    });
    flag
}
