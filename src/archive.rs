//! `yaniv archive`: archives matches that ended long ago, now, or rewrites archived logs of older formats. The work is in
//! `yaniv_app::admin::archive`.

use std::path::PathBuf;

use chrono::TimeDelta;
use clap::Args;
use tokio::runtime::Handle;
use yaniv_app::admin::archive::{AllArchived, AllRewritten, archive_all, rewrite_all};
use yaniv_db::Store;
use yaniv_db::kernel::migrations;

use crate::admin::database::on_database;
use crate::config::Secret;

type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// Options of `yaniv archive`.
#[derive(Debug, Args)]
pub struct ArchiveOptions {
    /// Days since the end of a match. With fewer than 15, Home may list a match as unread that a player has read.
    #[arg(long, value_name = "DAYS", env = "YANIV_ARCHIVE_AFTER", default_value_t = 30)]
    pub days: u16,
    /// Number of matches at a time; without it, one per core.
    #[arg(long, value_name = "NUMBER")]
    pub workers: Option<usize>,
    /// Archive nothing, but rewrite the archived logs that an older release has packed in another format.
    #[arg(long, conflicts_with = "workers")]
    pub rewrite: bool,
    /// Database URL, as postgres://…; without it, the embedded PostgreSQL with its data in the directory
    /// `YANIV_DATA_DIR`.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    pub database_url: Option<Secret>,
    /// File that holds the database URL.
    #[arg(long, env = "DATABASE_URL_FILE", conflicts_with = "database_url")]
    pub database_url_file: Option<PathBuf>,
}

/// Archives all matches that ended that long ago, or rewrites old formats, and prints their number.
///
/// # Errors
/// If there is no database (with advice), it fails, matches were refused, or logs are damaged.
pub fn run(options: &ArchiveOptions) -> Result<(), AnyError> {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let workers = options.workers.unwrap_or_else(cores).max(1);
    let database = (options.database_url.as_ref(), options.database_url_file.as_deref());
    let ended = TimeDelta::days(options.days.into());
    if options.rewrite {
        return on_database(1, database, async |url| rewrite(url).await);
    }
    on_database(workers, database, async |url| archive(url, ended, workers).await)
}

async fn rewrite(database_url: &str) -> Result<(), AnyError> {
    migrations::prepare(database_url).await?;
    let store = Store::new(database_url, 1, &Handle::current())?;
    let AllRewritten { rewritten, damaged } = rewrite_all(&store).await?;
    println!("{rewritten} archived logs are rewritten");
    if damaged > 0 {
        return Err(format!("{damaged} archived logs are damaged: yaniv fsck names them").into());
    }
    Ok(())
}

async fn archive(database_url: &str, ended: TimeDelta, workers: usize) -> Result<(), AnyError> {
    migrations::prepare(database_url).await?;
    let store = Store::new(database_url, workers, &Handle::current())?;
    let AllArchived { archived, refused } = archive_all(&store, ended, workers).await?;
    println!("{archived} matches are archived");
    if refused > 0 {
        return Err(
            format!("{refused} matches were refused: yaniv fsck names what is wrong with them").into()
        );
    }
    Ok(())
}
