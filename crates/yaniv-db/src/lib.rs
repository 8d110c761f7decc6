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
pub mod notifications;
pub mod oauth;
pub mod oidc;
pub mod ratings;
pub(crate) mod schema;
pub mod statistics;
pub mod turns;

use std::time::Duration;

use deadpool::managed::TimeoutType;
use diesel::{ConnectionError, QueryResult};
use diesel_async::pooled_connection::deadpool::{Object, Pool, PoolError};
use diesel_async::pooled_connection::{AsyncDieselConnectionManager, ManagerConfig, RecyclingMethod};
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use futures_util::FutureExt;
use tokio::runtime::Handle;
use tokio_postgres::config::SslMode;

pub use crate::error::StoreError;
use crate::kernel::connect_error::{explain, refuses_tls};
use crate::kernel::database_url::DatabaseUrl;
pub use crate::kernel::transaction::Transactions;

/// Timeout for getting a free connection, opening a new one, and checking a used one.
const POOL_TIMEOUT: Duration = Duration::from_secs(2);
/// Timeouts of every session: lock wait, statement, idle transaction; and the interval at which the server
/// checks that the client is still connected.
const SESSION_OPTIONS: &str = "-c lock_timeout=3s -c statement_timeout=10s \
     -c idle_in_transaction_session_timeout=3s -c client_connection_check_interval=500ms \
     -c timezone=UTC -c synchronous_commit=on";

/// A database connection; the query functions of this crate take one.
pub type Connection = AsyncPgConnection;

/// A connection borrowed from the pool.
pub type PooledConnection = Object<AsyncPgConnection>;

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
    pool: Pool<AsyncPgConnection>,
    lanes: Pool<AsyncPgConnection>,
}

impl Store {
    /// Builds the pools: `connections` plus five lanes. Opens no connection yet.
    ///
    /// The connections run on `runtime`, not on the HTTP worker that happens to open one, because they
    /// outlive it.
    ///
    /// # Errors
    /// If the pool cannot be built; no URL causes this.
    pub fn new(database_url: &str, connections: usize, runtime: &Handle) -> Result<Self, StoreError> {
        Ok(Self {
            pool: pool(database_url, "", connections, runtime)?,
            lanes: pool(database_url, LANE_SETTINGS, LANES, runtime)?,
        })
    }

    /// A checked connection from the pool.
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

    /// A checked connection for batched statements.
    ///
    /// # Errors
    /// As for `connection`.
    pub async fn lane_connection(&self) -> Result<PooledConnection, StoreError> {
        lend(&self.lanes).await
    }
}

async fn lend(pool: &Pool<AsyncPgConnection>) -> Result<PooledConnection, StoreError> {
    pool.get().await.map_err(|error| match error {
        PoolError::Timeout(TimeoutType::Wait) => StoreError::Busy,
        other => StoreError::Unavailable(Box::new(other)),
    })
}

fn pool(
    database_url: &str,
    settings: &'static str,
    connections: usize,
    runtime: &Handle,
) -> Result<Pool<AsyncPgConnection>, StoreError> {
    let mut config = ManagerConfig::default();
    config.recycling_method =
        RecyclingMethod::CustomFunction(Box::new(|connection| check(connection).boxed()));
    let runtime = runtime.clone();
    config.custom_setup = Box::new(move |url| {
        let (url, runtime) = (url.to_owned(), runtime.clone());
        async move {
            runtime
                .spawn(async move { connect_fit(&url, settings).await })
                .await
                .map_err(|error| ConnectionError::BadConnection(error.to_string()))?
        }
        .boxed()
    });
    Pool::builder(AsyncDieselConnectionManager::new_with_config(database_url, config))
        .max_size(connections)
        .wait_timeout(Some(POOL_TIMEOUT))
        .create_timeout(Some(POOL_TIMEOUT))
        .recycle_timeout(Some(POOL_TIMEOUT))
        .runtime(deadpool::Runtime::Tokio1)
        .build()
        .map_err(|error| StoreError::Unavailable(Box::new(error)))
}

diesel::define_sql_function! {
    /// Whether the server is a standby.
    fn pg_is_in_recovery() -> diesel::sql_types::Bool;
}

/// Checks that a used connection still answers and that its server accepts writes.
async fn check(connection: &mut AsyncPgConnection) -> QueryResult<()> {
    let standby: bool = diesel::select(pg_is_in_recovery()).get_result(connection).await?;
    if standby { Err(diesel::result::Error::BrokenTransactionManager) } else { Ok(()) }
}

/// Opens a connection to a server that accepts writes, and applies extra settings.
async fn connect_fit(database_url: &str, settings: &str) -> Result<AsyncPgConnection, ConnectionError> {
    let mut connection = connect(database_url).await?;
    let unfit = |error: diesel::result::Error| ConnectionError::BadConnection(error.to_string());
    check(&mut connection).await.map_err(unfit)?;
    if !settings.is_empty() {
        connection.batch_execute(settings).await.map_err(unfit)?;
    }
    Ok(connection)
}

/// Opens one connection with the timeouts of `SESSION_OPTIONS`, by TLS as the URL says.
///
/// # Errors
/// If the URL is malformed, a file that it names cannot be used, or the server refuses.
pub async fn connect(database_url: &str) -> Result<AsyncPgConnection, ConnectionError> {
    let DatabaseUrl { mut config, tls } =
        database_url.parse().map_err(ConnectionError::InvalidConnectionUrl)?;
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
