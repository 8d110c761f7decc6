//! All SQL of the service: connection pools, migrations and queries.
//!
//! One file per table, plus `match_load` and `actions_append`, the two statements of an action in play. Query
//! functions take a connection, never the pool, and are named noun first: `match_find`. No game rules here;
//! of the engine only the encoded state passes through.

pub mod accounts;
pub mod admin;
pub mod calendar;
pub mod error;
pub mod feeds;
pub mod history;
pub mod home;
pub mod kernel;
pub mod lifecycle;
pub mod lobby;
pub mod matches;
pub mod matchmaking;
pub mod moderation;
pub mod notifications;
pub mod oauth;
pub mod oidc;
pub mod passkeys;
pub mod ratings;
pub(crate) mod schema;
pub mod statistics;
pub mod turns;

use std::sync::Arc;
use std::time::{Duration, Instant};

use deadpool::managed::{Object, Pool, PoolError, QueueMode, TimeoutType};
use diesel::ConnectionError;
use diesel_async::AsyncPgConnection;
use tokio::runtime::Handle;
use tokio_postgres::config::SslMode;
use tracing::Instrument;
use yaniv_model::traces::TRACES;

pub use crate::error::StoreError;
use crate::kernel::connect_error::{explain, is_none_left, refuses_tls};
use crate::kernel::database_url::DatabaseUrl;
use crate::kernel::pool::Connections;
use crate::kernel::servers::Servers;
pub use crate::kernel::transaction::Transactions;

/// Timeout for getting a free connection, opening a new one, and checking a used one.
const POOL_TIMEOUT: Duration = Duration::from_secs(2);
/// Pause before a connection is looked for again, where the server has none left.
const NONE_LEFT_PAUSE: Duration = Duration::from_millis(20);
/// Timeouts of every session: lock wait, statement, idle transaction; and the interval at which the server
/// checks that the client is still connected.
const SESSION_OPTIONS: &str = "-c lock_timeout=3s -c statement_timeout=10s \
     -c idle_in_transaction_session_timeout=3s -c client_connection_check_interval=500ms \
     -c timezone=UTC -c synchronous_commit=on";

/// A database connection; the query functions of this crate take one.
pub type Connection = AsyncPgConnection;

/// A connection borrowed from the pool.
pub type PooledConnection = Object<Connections>;

/// Network timeout: unacknowledged data, and idle time before and between keepalives.
const SILENCE: Duration = Duration::from_secs(10);
/// Extra settings of lane connections, which run batched statements. Plans are generic and use the primary
/// key; lock waits are short, because the whole batch waits with a locked match.
const LANE_SETTINGS: &str = "SET lock_timeout = '100ms'; SET plan_cache_mode = force_generic_plan; \
     SET enable_seqscan = off; SET enable_mergejoin = off";
/// Lane connections: one for storing actions, one for match versions, one for loads of matches, one for revocations,
/// one for change watches.
const LANES: usize = 5;

/// The connection pools of the database.
#[derive(Clone)]
pub struct Store {
    pool: Pool<Connections>,
    lanes: Pool<Connections>,
    servers: Arc<Servers>,
}

impl Store {
    /// Builds the pools: `connections` plus five lanes. Opens no connection yet; they will run on `runtime`.
    ///
    /// # Errors
    /// If the pool cannot be built; no URL causes this.
    pub fn new(database_url: &str, connections: usize, runtime: &Handle) -> Result<Self, StoreError> {
        let servers = Arc::new(Servers::new(database_url));
        servers.watch(runtime);
        let pool_of = |settings, size| pool(Connections::new(&servers, settings, runtime), size);
        let (pool, lanes) = (pool_of("", connections)?, pool_of(LANE_SETTINGS, LANES)?);
        Ok(Self { pool, lanes, servers })
    }

    /// A connection from the pool, checked within the last second.
    ///
    /// # Errors
    /// `Busy` if no connection becomes free within two seconds; `Unavailable` if none can be opened.
    pub async fn connection(&self) -> Result<PooledConnection, StoreError> {
        lend(&self.pool).await
    }

    /// Numbers of connections: open, and lent.
    #[must_use]
    pub fn connections(&self) -> [usize; 2] {
        let [pool, lanes] = [self.pool.status(), self.lanes.status()];
        let open = pool.size.saturating_add(lanes.size);
        [open, open.saturating_sub(pool.available).saturating_sub(lanes.available)]
    }

    /// Whether a primary that was replaced by a standby, and runs again, was refused within the last minute.
    #[must_use]
    pub fn refuses_old_primary(&self) -> bool {
        self.servers.refuse_one()
    }

    /// The same for batched statements.
    ///
    /// # Errors
    /// As for `connection`.
    pub async fn lane_connection(&self) -> Result<PooledConnection, StoreError> {
        lend(&self.lanes).await
    }
}

async fn lend(pool: &Pool<Connections>) -> Result<PooledConnection, StoreError> {
    let begun = Instant::now();
    loop {
        let span = tracing::trace_span!(target: TRACES, "connection");
        let error = match pool.get().instrument(span).await {
            Ok(connection) => return Ok(connection),
            Err(error) => error,
        };
        match error {
            PoolError::Timeout(TimeoutType::Wait) => return Err(StoreError::Busy),
            // The server gives fewer than the pool wants: one that is lent comes back. It may even have refused all that
            // were opened at once.
            PoolError::Backend(diesel_async::pooled_connection::PoolError::ConnectionError(error))
                if is_none_left(&error) =>
            {
                if begun.elapsed() >= POOL_TIMEOUT {
                    return Err(StoreError::Busy);
                }
                tokio::time::sleep(NONE_LEFT_PAUSE).await;
            }
            other => return Err(StoreError::Unavailable(Box::new(other))),
        }
    }
}

fn pool(connections: Connections, size: usize) -> Result<Pool<Connections>, StoreError> {
    Pool::builder(connections)
        .max_size(size)
        // The connection that was used last has its statements prepared, and its caches warm.
        .queue_mode(QueueMode::Lifo)
        .wait_timeout(Some(POOL_TIMEOUT))
        .create_timeout(Some(POOL_TIMEOUT))
        .recycle_timeout(Some(POOL_TIMEOUT))
        .runtime(deadpool::Runtime::Tokio1)
        .build()
        .map_err(|error| StoreError::Unavailable(Box::new(error)))
}

/// Opens one connection with the timeouts of `SESSION_OPTIONS`, by TLS as the URL says. Of several hosts it is the one
/// that accepts writes on the newest timeline.
///
/// # Errors
/// If the URL is malformed, a file that it names cannot be used, or the server refuses.
pub async fn connect(database_url: &str) -> Result<AsyncPgConnection, ConnectionError> {
    let url: DatabaseUrl = database_url.parse().map_err(ConnectionError::InvalidConnectionUrl)?;
    if url.hosts().len() > 1 {
        return Ok(Servers::new(database_url).open().await?.0);
    }
    connect_to(url).await
}

/// Opens one connection to the host of a URL.
async fn connect_to(url: DatabaseUrl) -> Result<AsyncPgConnection, ConnectionError> {
    let DatabaseUrl { mut config, tls } = url;
    let options = match config.get_options() {
        Some(given) => format!("{SESSION_OPTIONS} {given}"),
        None => SESSION_OPTIONS.to_owned(),
    };
    // Without these, a peer that vanishes silently would hold the connection for hours.
    config.tcp_user_timeout(SILENCE).keepalives_idle(SILENCE).keepalives_interval(SILENCE);
    config.options(options).application_name("yaniv").connect_timeout(POOL_TIMEOUT);
    let tls = tokio::task::spawn_blocking(move || tls.connector()).await;
    let tls = tls.map_err(|error| ConnectionError::BadConnection(error.to_string()))?;
    let tls = tls.map_err(ConnectionError::BadConnection)?;
    let connected = match config.connect(tls.clone()).await {
        Err(error) if config.get_ssl_mode() == SslMode::Prefer && refuses_tls(&error) => {
            config.ssl_mode(SslMode::Disable).connect(tls).await.map_err(|_| error)
        }
        connected => connected,
    };
    let (client, connection) = connected.map_err(|error| ConnectionError::BadConnection(explain(&error)))?;
    AsyncPgConnection::try_from_client_and_connection(client, connection).await
}
