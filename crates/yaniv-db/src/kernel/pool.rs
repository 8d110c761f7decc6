//! Connections of a pool: opening one, and checking it before it is lent. The pools are those of `Store`.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use deadpool::managed::{Manager, Metrics, RecycleError, RecycleResult};
use diesel::ConnectionError;
use diesel_async::pooled_connection::{PoolError, PoolableConnection};
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use tokio::runtime::Handle;

use super::connect_error::is_none_left;
use super::servers::Servers;
use super::timelines::Unfit;

/// How long a connection is lent again without a new check.
///
/// A check costs a statement and a round trip, and most operations need only a few of them. The price: a connection
/// whose server has vanished silently, has become a standby or was replaced, may be lent for one more second; so may one that is
/// still executing a statement whose borrower has gone. The next statement then fails or waits for its own timeout. As
/// after every lost connection, a write is retried, and a read answers 503. A connection that is known to be closed is
/// never lent.
const TRUST: Duration = Duration::from_secs(1);

/// How long the server is not asked again after it had no connection left.
const FULL: Duration = Duration::from_millis(500);

/// Opens and checks the connections of one pool.
#[derive(Debug)]
pub struct Connections {
    servers: Arc<Servers>,
    settings: &'static str,
    runtime: Handle,
    /// Until when the server is not asked, as it had no connection left.
    full: Mutex<Option<(Instant, String)>>,
}

impl Connections {
    /// Connections to one of these servers, with extra settings.
    ///
    /// They run on `runtime`, not on the HTTP worker that happens to open one, because they outlive it.
    pub(crate) fn new(servers: &Arc<Servers>, settings: &'static str, runtime: &Handle) -> Self {
        Self { servers: Arc::clone(servers), settings, runtime: runtime.clone(), full: Mutex::new(None) }
    }

    /// The last refusal, if the server had no connection left a moment ago: many requests wait for one.
    fn refusal(&self) -> Option<PoolError> {
        let full = self.full.lock().unwrap_or_else(PoisonError::into_inner);
        let (since, said) = full.as_ref()?;
        let refused = || PoolError::ConnectionError(ConnectionError::BadConnection(said.clone()));
        (since.elapsed() < FULL).then(refused)
    }
}

impl Manager for Connections {
    type Type = CheckedConnection;
    type Error = PoolError;

    async fn create(&self) -> Result<CheckedConnection, PoolError> {
        if let Some(refusal) = self.refusal() {
            return Err(refusal);
        }
        let (servers, settings) = (Arc::clone(&self.servers), self.settings);
        let opening = self.runtime.spawn(CheckedConnection::open(servers, settings));
        let opened =
            opening.await.unwrap_or_else(|error| Err(ConnectionError::BadConnection(error.to_string())));
        if let Err(error) = &opened
            && is_none_left(error)
        {
            tracing::debug!(%error, "a connection is waited for");
            let mut full = self.full.lock().unwrap_or_else(PoisonError::into_inner);
            *full = Some((Instant::now(), error.to_string()));
        }
        opened.map_err(PoolError::ConnectionError)
    }

    async fn recycle(&self, returned: &mut CheckedConnection, _: &Metrics) -> RecycleResult<PoolError> {
        if std::thread::panicking() || returned.connection.is_broken() {
            return Err(RecycleError::message("closed, broken, or in a transaction"));
        }
        if returned.checked.elapsed() >= TRUST {
            returned.check().await.map_err(|unfit| RecycleError::message(unfit.to_string()))?;
        }
        Ok(())
    }
}

/// A connection with the time of its last successful check.
pub struct CheckedConnection {
    connection: AsyncPgConnection,
    servers: Arc<Servers>,
    /// Which of the servers it leads to.
    server: usize,
    /// When that check began.
    checked: Instant,
}

impl CheckedConnection {
    /// Whether a borrower may go on using the connection: checked within the last second, and not known to be closed.
    #[must_use]
    pub fn is_trusted(&mut self) -> bool {
        self.checked.elapsed() < TRUST && !self.connection.is_broken()
    }

    /// Opens a connection to the server to be used, and applies extra settings.
    async fn open(servers: Arc<Servers>, settings: &'static str) -> Result<Self, ConnectionError> {
        let checked = Instant::now();
        let (mut connection, server) = servers.open().await?;
        if !settings.is_empty() {
            let applied = connection.batch_execute(settings).await;
            applied.map_err(|error| ConnectionError::BadConnection(error.to_string()))?;
        }
        Ok(Self { connection, servers, server, checked })
    }

    /// Checks that the connection still answers, and that its server accepts writes on the newest timeline.
    pub(crate) async fn check(&mut self) -> Result<(), Unfit> {
        let begun = Instant::now();
        self.servers.check(self.server, &mut self.connection).await?;
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
