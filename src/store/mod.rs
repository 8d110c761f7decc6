//! Everything that knows SQL.
//!
//! One file a table, plus `table_load` and `action_save`, the two statements of an action in play. Query functions
//! take a connection, never the pool, and are named noun first: `match_find`. The rules are not known here; of the
//! engine only the bytes of a state pass through.

pub mod account_changes;
pub mod account_deletions;
pub mod account_names;
pub mod accounts;
pub mod action_save;
pub mod actions;
pub mod activity;
pub mod attention;
pub mod audit_entries;
pub mod blocks;
pub mod bots;
pub mod challenge_keys;
pub mod challenge_members;
pub mod challenge_news;
pub mod challenges;
pub mod channels;
pub mod clock;
pub mod creation_keys;
pub mod deliveries;
pub mod delivery_claims;
pub mod derived_audit;
pub mod error;
pub mod friend_wishes;
pub mod gifts;
pub mod history_list;
pub mod house_bots;
pub mod inbox;
pub mod join_codes;
pub mod match_announcements;
pub mod match_audit;
pub mod match_list;
pub mod match_looks;
pub mod match_rows;
pub mod match_versions;
pub mod matches;
pub mod migrations;
pub mod notice_settings;
pub mod open_matches;
pub mod pairing_groups;
pub mod pairing_keys;
pub mod pairings;
pub mod password_tries;
pub mod personal_tokens;
pub mod quiet_hours;
pub mod rating_boards;
pub mod rating_changes;
pub mod rating_queue;
pub mod ratings;
pub mod revocations;
pub mod rounds;
pub(crate) mod schema;
pub mod scripts;
pub mod seats;
pub mod secrets;
mod server_check;
pub mod service_totals;
pub mod sessions;
pub mod sign_up_invitations;
pub mod standing_orders;
pub mod table_load;
pub mod tallies;
pub mod totals;
pub mod turn_list;
pub mod vacations;
pub mod watched;
pub mod wishes;

use std::time::Duration;

use deadpool::managed::TimeoutType;
use diesel::{ConnectionError, QueryResult};
use diesel_async::pooled_connection::deadpool::{Object, Pool, PoolError};
use diesel_async::pooled_connection::{AsyncDieselConnectionManager, ManagerConfig, RecyclingMethod};
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use futures_util::FutureExt;
use tokio::runtime::Handle;

pub use error::StoreError;

/// Longest wait for a free connection, for a new one, and for the check of a used one.
const POOL_TIMEOUT: Duration = Duration::from_secs(2);
/// Bounds on every session: a lock wait, a statement, a forgotten transaction; and how soon the server
/// notices that nobody waits for an answer any more.
const SESSION_OPTIONS: &str = "-c lock_timeout=3s -c statement_timeout=10s \
     -c idle_in_transaction_session_timeout=3s -c client_connection_check_interval=500ms \
     -c timezone=UTC -c synchronous_commit=on";

/// A connection on loan from the pool.
pub type Connection = Object<AsyncPgConnection>;

/// How long the network may be silent where it should not be.
const SILENCE: Duration = Duration::from_secs(10);
/// What sessions that work for many at a time have besides: their statement is planned once, by way of the key, and
/// does not wait long for a match that somebody holds, as its neighbours wait with it.
const LANE_SETTINGS: &str = "SET lock_timeout = '100ms'; SET plan_cache_mode = force_generic_plan; \
     SET enable_seqscan = off; SET enable_mergejoin = off";
/// Such sessions: one stores actions, one says how matches stand, one what was revoked, one what people wait for.
const LANES: usize = 4;

/// The way to the database.
#[derive(Clone)]
pub struct Store {
    pool: Pool<AsyncPgConnection>,
    lanes: Pool<AsyncPgConnection>,
}

impl Store {
    /// Prepares the pools, of this many connections and four more; connects to nothing yet.
    ///
    /// The connections are driven by `runtime`, not by the HTTP worker that happens to open one: they outlive it.
    ///
    /// # Errors
    /// If the pool cannot be built, which no URL causes.
    pub fn new(database_url: &str, connections: usize, runtime: &Handle) -> Result<Self, StoreError> {
        Ok(Self {
            pool: pool(database_url, "", connections, runtime)?,
            lanes: pool(database_url, LANE_SETTINGS, LANES, runtime)?,
        })
    }

    /// A connection that has just answered.
    ///
    /// # Errors
    /// `Busy` after two seconds in which others held them all; `Unavailable` if none can be opened.
    pub async fn connection(&self) -> Result<Connection, StoreError> {
        lend(&self.pool).await
    }

    /// A connection for statements that work for many at a time, which has just answered.
    ///
    /// # Errors
    /// As of `connection`.
    pub async fn lane_connection(&self) -> Result<Connection, StoreError> {
        lend(&self.lanes).await
    }
}

async fn lend(pool: &Pool<AsyncPgConnection>) -> Result<Connection, StoreError> {
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

/// Whether a used connection still answers, and its server still takes writes.
async fn check(connection: &mut AsyncPgConnection) -> QueryResult<()> {
    let standby: bool = diesel::select(pg_is_in_recovery()).get_result(connection).await?;
    if standby { Err(diesel::result::Error::BrokenTransactionManager) } else { Ok(()) }
}

/// Opens a connection, with settings besides, to a server that takes writes.
async fn connect_fit(database_url: &str, settings: &str) -> Result<AsyncPgConnection, ConnectionError> {
    let mut connection = connect(database_url).await?;
    let unfit = |error: diesel::result::Error| ConnectionError::BadConnection(error.to_string());
    check(&mut connection).await.map_err(unfit)?;
    if !settings.is_empty() {
        connection.batch_execute(settings).await.map_err(unfit)?;
    }
    Ok(connection)
}

/// Opens one connection with the bounds of `SESSION_OPTIONS`.
///
/// # Errors
/// If the URL is malformed or the server refuses.
pub async fn connect(database_url: &str) -> Result<AsyncPgConnection, ConnectionError> {
    let mut config: tokio_postgres::Config =
        database_url.parse().map_err(|error| ConnectionError::InvalidConnectionUrl(chain(&error)))?;
    let options = match config.get_options() {
        Some(given) => format!("{SESSION_OPTIONS} {given}"),
        None => SESSION_OPTIONS.to_owned(),
    };
    // A machine that vanishes without a word must not hold a connection for hours.
    config.tcp_user_timeout(SILENCE).keepalives_idle(SILENCE).keepalives_interval(SILENCE);
    config.options(options).application_name("yaniv").connect_timeout(POOL_TIMEOUT);
    let (client, connection) = config
        .connect(tokio_postgres::NoTls)
        .await
        .map_err(|error| ConnectionError::BadConnection(chain(&error)))?;
    AsyncPgConnection::try_from_client_and_connection(client, connection).await
}

/// An error with its causes, as diesel's connection error has room for a text only.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
