//! `yaniv rebuild ratings`: what is worked out from the logs of matches, worked out anew. It works on the database, past the
//! service, which may run meanwhile.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use clap::{Args, Subcommand};
use tokio::runtime::{Handle, Runtime};

use crate::cli::print;
use crate::config::{Secret, given};
use crate::service::rating_rebuild::rebuild_ratings;
use crate::store::Store;
use crate::store::migrations;

type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// What to work out anew, and where.
#[derive(Debug, Args)]
pub struct RebuildOptions {
    /// What to work out anew.
    #[command(subcommand)]
    pub command: RebuildCommand,
    /// The database, as postgres://…; without it, the PostgreSQL of the service's own in the directory that `YANIV_DATA_DIR`
    /// names.
    #[arg(long, env = "DATABASE_URL", hide_env_values = true, global = true)]
    pub database_url: Option<Secret>,
    /// File that holds the database's URL.
    #[arg(long, env = "DATABASE_URL_FILE", conflicts_with = "database_url", global = true)]
    pub database_url_file: Option<PathBuf>,
}

/// What is worked out from the logs.
#[derive(Debug, Subcommand)]
pub enum RebuildCommand {
    /// Forget all ratings, and rate every match that counts again, from its log. Leaderboards fill up again meanwhile. If it is
    /// broken off, the service does the rest.
    Ratings,
}

/// Does it, and prints what came of it.
///
/// # Errors
/// With what to do about it, if there is no database; those of the database, and logs that are damaged.
pub fn run(options: &RebuildOptions) -> Result<(), AnyError> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    match given(options.database_url.as_ref(), options.database_url_file.as_deref())? {
        Some(url) => runtime.block_on(run_on(&options.command, url.expose())),
        None => run_embedded(&runtime, &options.command),
    }
}

/// On the database of a service that runs, or of one that does not: then it is brought up for as long as this takes.
#[cfg(feature = "embedded-postgres")]
fn run_embedded(runtime: &Runtime, command: &RebuildCommand) -> Result<(), AnyError> {
    let cluster = local_postgres::Cluster::start(&local_postgres::default_dir())?;
    cluster.ensure_database("yaniv")?;
    let result = runtime.block_on(run_on(command, &cluster.url("yaniv")));
    // A service that uses it keeps it.
    cluster.stop()?;
    result
}

#[cfg(not(feature = "embedded-postgres"))]
fn run_embedded(_: &Runtime, _: &RebuildCommand) -> Result<(), AnyError> {
    Err("DATABASE_URL is not set, and this build brings no PostgreSQL of its own".into())
}

async fn run_on(command: &RebuildCommand, database_url: &str) -> Result<(), AnyError> {
    migrations::prepare(database_url).await?;
    let store = Store::new(database_url, 1, &Handle::current())?;
    match command {
        RebuildCommand::Ratings => {
            let matches = rebuild_ratings(&store, progress).await?;
            print(&format!("rated {matches} matches\n"))?;
        }
    }
    Ok(())
}

/// A line that is written again and again, for somebody who looks at it.
fn progress(done: i64, all: i64) {
    let mut to = std::io::stderr();
    if to.is_terminal() {
        // Nobody may be looking any more.
        let _ = write!(to, "\r{done} of {all} matches");
        let _ = if done >= all { writeln!(to) } else { to.flush() };
    }
}
