//! The database that a command works on: the one that is named, or that of the service's own.

use std::path::Path;

use tokio::runtime::{Builder, Runtime};

use super::AnyError;
use crate::config::{Secret, given};

/// Does something with the database of this URL, or of the file that holds it, on so many threads.
///
/// # Errors
/// With what to do about it, if there is no database; and those of what is done.
pub(super) fn on_database<T>(
    threads: usize,
    (url, file): (Option<&Secret>, Option<&Path>),
    work: impl AsyncFnOnce(&str) -> Result<T, AnyError>,
) -> Result<T, AnyError> {
    let runtime = Builder::new_multi_thread().worker_threads(threads).enable_all().build()?;
    match given(url, file)? {
        Some(url) => runtime.block_on(work(url.expose())),
        None => on_embedded(&runtime, work),
    }
}

/// On the database of a service that runs, or of one that does not: then it is brought up for as long as this takes.
#[cfg(feature = "embedded-postgres")]
fn on_embedded<T>(
    runtime: &Runtime,
    work: impl AsyncFnOnce(&str) -> Result<T, AnyError>,
) -> Result<T, AnyError> {
    let cluster = local_postgres::Cluster::start(&local_postgres::default_dir())?;
    cluster.ensure_database("yaniv")?;
    let result = runtime.block_on(work(&cluster.url("yaniv")));
    // A service that uses it keeps it.
    cluster.stop()?;
    result
}

#[cfg(not(feature = "embedded-postgres"))]
fn on_embedded<T>(_: &Runtime, _: impl AsyncFnOnce(&str) -> Result<T, AnyError>) -> Result<T, AnyError> {
    Err("DATABASE_URL is not set, and this build brings no PostgreSQL of its own".into())
}
