//! Timelines: a server of an older one than has been seen is never used.
//!
//! PostgreSQL begins a new timeline when a standby is promoted. A primary that was replaced so, and is started again,
//! accepts writes as well, on its old timeline: what is written there is lost. An instance keeps the newest timeline of
//! each cluster that it has seen. It tells others, and itself after a restart, by a row in `newer_timelines` on the
//! server that it refuses. It cannot know of a new timeline that neither it has seen nor such a row names.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use diesel::result::Error as DieselError;
use diesel::sql_types::{BigInt, Bool, Nullable};
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};

use super::prepared::Prepared;

/// Interval between log lines, and for how long a refusal is reported.
const REPORTED: Duration = Duration::from_secs(60);

/// What a server says of itself. The functions need no rights.
const STATE: &str = "SELECT pg_is_in_recovery() AS standby, s.system_identifier AS system, \
     CASE WHEN NOT pg_is_in_recovery() THEN \
         ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint END AS timeline, \
     (SELECT max(n.timeline) FROM newer_timelines n WHERE n.system_identifier = s.system_identifier) AS newer \
     FROM pg_control_system() s";
/// The same where the server does not say more, as some that are only compatible with PostgreSQL, or before the migration.
const SHORT_STATE: &str = "SELECT pg_is_in_recovery() AS standby, 0::bigint AS system, \
     NULL::bigint AS timeline, NULL::bigint AS newer";

/// The state of a server.
#[derive(Clone, Copy, Debug, diesel::QueryableByName)]
pub(crate) struct ServerState {
    #[diesel(sql_type = Bool)]
    standby: bool,
    /// Its cluster: the same on a primary and its standbys.
    #[diesel(sql_type = BigInt)]
    system: i64,
    /// None on a standby.
    #[diesel(sql_type = Nullable<BigInt>)]
    timeline: Option<i64>,
    /// The newest timeline that instances have written down there.
    #[diesel(sql_type = Nullable<BigInt>)]
    newer: Option<i64>,
}

/// Why a server is not used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unfit {
    #[error("the server is a standby")]
    Standby,
    #[error(
        "the server is on timeline {timeline}, but timeline {newest} of this cluster has been seen: it is an old primary"
    )]
    Older { timeline: i64, newest: i64 },
    #[error("the server does not answer: {0}")]
    Silent(#[from] DieselError),
}

/// The timelines that an instance has seen, by cluster.
#[derive(Debug, Default)]
pub(crate) struct Timelines {
    newest: Mutex<HashMap<i64, i64>>,
    refusals: Mutex<Refusals>,
}

#[derive(Debug, Default)]
struct Refusals {
    last: Option<Instant>,
    logged: Option<Instant>,
}

impl Timelines {
    /// Asks a server for its state, and keeps its timeline.
    pub(crate) async fn ask(&self, connection: &mut AsyncPgConnection) -> Result<ServerState, Unfit> {
        let state = match Prepared(diesel::sql_query(STATE)).get_result::<ServerState>(connection).await {
            // Not if it was lost: that has to be found.
            Err(DieselError::DatabaseError(..)) => {
                Prepared(diesel::sql_query(SHORT_STATE)).get_result::<ServerState>(connection).await?
            }
            asked => asked?,
        };
        if let Some(timeline) = state.timeline {
            let mut newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner);
            let known = newest.entry(state.system).or_default();
            *known = timeline.max(*known);
        }
        Ok(state)
    }

    /// Refuses a standby, and a server of an older timeline. On the latter it writes which is newer, if it can.
    pub(crate) async fn admit(
        &self,
        state: ServerState,
        server: &str,
        connection: &mut AsyncPgConnection,
    ) -> Result<(), Unfit> {
        if state.standby {
            return Err(Unfit::Standby);
        }
        let Some(timeline) = state.timeline else { return Ok(()) };
        let seen = self.newest.lock().unwrap_or_else(PoisonError::into_inner).get(&state.system).copied();
        let newest = seen.max(state.newer).unwrap_or(timeline);
        if timeline >= newest {
            return Ok(());
        }
        self.report(server, timeline, newest);
        if state.newer < Some(newest) {
            // A standby that is gone must not hold the commit.
            let told = format!(
                "SET synchronous_commit = local; INSERT INTO newer_timelines (system_identifier, timeline) \
                 VALUES ({}, {newest}) ON CONFLICT DO NOTHING",
                state.system
            );
            if let Err(error) = connection.batch_execute(&told).await {
                tracing::debug!(%error, server, "an old primary could not be told");
            }
        }
        Err(Unfit::Older { timeline, newest })
    }

    /// Whether a server of an older timeline was refused within the last minute.
    pub(crate) fn refuses(&self) -> bool {
        let refusals = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
        refusals.last.is_some_and(|last| last.elapsed() < REPORTED)
    }

    fn report(&self, server: &str, timeline: i64, newest: i64) {
        let now = Instant::now();
        let mut refusals = self.refusals.lock().unwrap_or_else(PoisonError::into_inner);
        refusals.last = Some(now);
        if refusals.logged.is_none_or(|logged| now.duration_since(logged) >= REPORTED) {
            refusals.logged = Some(now);
            tracing::warn!(
                server,
                timeline,
                newest,
                "an old primary accepts writes, and is not used: stop it, see docs/operations.md, \"Failover\""
            );
        }
    }
}
