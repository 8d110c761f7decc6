//! Connects an admin command to its database: the given one, or the embedded PostgreSQL.

use std::path::Path;

use tokio::runtime::{Builder, Runtime};

use super::AnyError;
use crate::config::{Secret, given};

/// Runs `work` on the database of this URL or URL file, or on the embedded one, with this number of threads.
///
/// # Errors
/// If there is no database (with advice); errors of the work.
pub(crate) fn on_database<T>(
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

/// Runs on the embedded database; starts it if the service is not running, and stops it afterwards. It must be there: an
/// empty one would answer that nothing is wrong.
#[cfg(feature = "embedded-postgres")]
fn on_embedded<T>(
    runtime: &Runtime,
    work: impl AsyncFnOnce(&str) -> Result<T, AnyError>,
) -> Result<T, AnyError> {
    let directory = local_postgres::default_dir()?;
    if !local_postgres::Cluster::exists(&directory) {
        let place = directory.display();
        return Err(format!(
            "DATABASE_URL is not set, and there is no database in {place}: set DATABASE_URL or DATABASE_URL_FILE as for \
             the service, or YANIV_DATA_DIR"
        )
        .into());
    }
    let cluster = local_postgres::Cluster::start(&directory)?;
    let made = cluster.ensure_database("yaniv");
    let result = made.map_err(Into::into).and_then(|()| runtime.block_on(work(&cluster.url("yaniv"))));
    // A running service keeps its database: this stops only a server started here.
    cluster.stop()?;
    result
}

#[cfg(not(feature = "embedded-postgres"))]
fn on_embedded<T>(_: &Runtime, _: impl AsyncFnOnce(&str) -> Result<T, AnyError>) -> Result<T, AnyError> {
    Err("DATABASE_URL is not set, and this build has no embedded PostgreSQL".into())
}
