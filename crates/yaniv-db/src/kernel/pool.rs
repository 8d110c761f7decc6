//! Connections of a pool: opening one, and checking it before it is lent. The pools are those of `Store`.

use std::ops::{Deref, DerefMut};
use std::time::{Duration, Instant};

use deadpool::managed::{Manager, Metrics, RecycleError, RecycleResult};
use diesel::{ConnectionError, QueryResult};
use diesel_async::pooled_connection::{PoolError, PoolableConnection};
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use tokio::runtime::Handle;

/// How long a connection is lent again without a new check.
///
/// A check costs a statement and a round trip, and most operations need only a few of them. The price: a connection
/// whose server has vanished silently, or has become a standby, may be lent for one more second; so may one that is
/// still executing a statement whose borrower has gone. The next statement then fails or waits for its own timeout. As
/// after every lost connection, a write is retried, and a read answers 503. A connection that is known to be closed is
/// never lent.
const TRUST: Duration = Duration::from_secs(1);

/// Opens and checks the connections of one pool.
#[derive(Debug)]
pub struct Connections {
    database_url: String,
    settings: &'static str,
    runtime: Handle,
}

impl Connections {
    /// Connections to this database, with extra settings.
    ///
    /// They run on `runtime`, not on the HTTP worker that happens to open one, because they outlive it.
    pub(crate) fn new(database_url: &str, settings: &'static str, runtime: &Handle) -> Self {
        Self { database_url: database_url.to_owned(), settings, runtime: runtime.clone() }
    }
}

impl Manager for Connections {
    type Type = CheckedConnection;
    type Error = PoolError;

    async fn create(&self) -> Result<CheckedConnection, PoolError> {
        let (url, settings) = (self.database_url.clone(), self.settings);
        let opening = self.runtime.spawn(async move { CheckedConnection::open(&url, settings).await });
        let opened =
            opening.await.unwrap_or_else(|error| Err(ConnectionError::BadConnection(error.to_string())));
        opened.map_err(PoolError::ConnectionError)
    }

    async fn recycle(&self, returned: &mut CheckedConnection, _: &Metrics) -> RecycleResult<PoolError> {
        if std::thread::panicking() || returned.connection.is_broken() {
            return Err(RecycleError::message("closed, broken, or in a transaction"));
        }
        if returned.checked.elapsed() >= TRUST {
            returned.check().await.map_err(PoolError::QueryError)?;
        }
        Ok(())
    }
}

/// A connection with the time of its last successful check.
pub struct CheckedConnection {
    connection: AsyncPgConnection,
    /// When that check began.
    checked: Instant,
}

impl CheckedConnection {
    /// Whether a borrower may go on using the connection: checked within the last second, and not known to be closed.
    #[must_use]
    pub fn is_trusted(&mut self) -> bool {
        self.checked.elapsed() < TRUST && !self.connection.is_broken()
    }

    /// The connection alone.
    pub(crate) fn into_inner(self) -> AsyncPgConnection {
        self.connection
    }

    /// Opens a connection to a server that accepts writes, and applies extra settings.
    async fn open(database_url: &str, settings: &str) -> Result<Self, ConnectionError> {
        let connection = crate::connect(database_url).await?;
        let mut opened = Self { connection, checked: Instant::now() };
        let unfit = |error: diesel::result::Error| ConnectionError::BadConnection(error.to_string());
        opened.check().await.map_err(unfit)?;
        if !settings.is_empty() {
            opened.connection.batch_execute(settings).await.map_err(unfit)?;
        }
        Ok(opened)
    }

    /// Checks that the connection still answers and that its server accepts writes.
    async fn check(&mut self) -> QueryResult<()> {
        let begun = Instant::now();
        let standby: bool = diesel::select(pg_is_in_recovery()).get_result(&mut self.connection).await?;
        if standby {
            return Err(diesel::result::Error::BrokenTransactionManager);
        }
        self.checked = begun;
        Ok(())
    }
}

impl Deref for CheckedConnection {
    type Target = AsyncPgConnection;

    fn deref(&self) -> &AsyncPgConnection {
        &self.connection
    }
}

impl DerefMut for CheckedConnection {
    fn deref_mut(&mut self) -> &mut AsyncPgConnection {
        &mut self.connection
    }
}

diesel::define_sql_function! {
    /// Whether the server is a standby.
    fn pg_is_in_recovery() -> diesel::sql_types::Bool;
}
