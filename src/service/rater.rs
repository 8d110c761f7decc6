//! Rates matches that are over, on every instance and with no leader: whoever has the lock does what there is to do, in one
//! transaction with its mark, and the others pass by. Nobody who plays waits for it: it finds what has ended by an index.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use diesel_async::{AsyncConnection, AsyncPgConnection};
use tokio::sync::Notify;
use uuid::Uuid;
use yaniv_engine::{Match, rules_from_json};

use super::rating_order::{LISTED_FOR, RatedMatch, rate_all_in_txn};
use super::status::Status;
use super::{ServiceError, Services};
use crate::store::StoreError;
use crate::store::rating_queue::{
    UnratedRow, rating_try_lock_in_txn, unrated_done_in_txn, unrated_list, unrated_waits,
};
use crate::store::ratings::rating_unlist_idle_in_txn;
use crate::store::seats::{SeatRow, seat_list};

/// Between two looks, at most.
const PERIOD: Duration = Duration::from_millis(250);
/// Matches that are rated in a transaction.
const AT_A_TIME: i64 = 50;
/// How often it is looked for those who have not played for too long, and how many are taken from leaderboards at a time.
const TIDY_EVERY: Duration = Duration::from_secs(600);
const UNLISTED_AT_A_TIME: i64 = 1000;

/// Wakes the rater of this instance.
#[derive(Clone, Default)]
pub(super) struct RaterBell(Arc<Notify>);

impl RaterBell {
    /// A match that counts has just ended here.
    pub(super) fn ring(&self) {
        self.0.notify_one();
    }
}

impl Services {
    /// Rates matches, from now until no more writes are to come.
    pub fn rate_matches(&self) {
        let services = self.clone();
        self.runtime.spawn(async move {
            let mut failing = false;
            let mut tidied: Option<Instant> = None;
            while !services.writes.is_closed() {
                let tidy = tidied.is_none_or(|tidied| tidied.elapsed() > TIDY_EVERY);
                let rated = services.rate_what_is_over(tidy).await;
                match &rated {
                    Ok(()) if tidy => tidied = Some(Instant::now()),
                    Err(error) if !failing => tracing::warn!(%error, "matches were not rated"),
                    _ => {}
                }
                failing = rated.is_err();
                let pause = tokio::time::timeout(PERIOD, services.rater.0.notified());
                tokio::select! {
                    _ = pause => {}
                    () = services.writes.wait() => {}
                }
            }
        });
    }

    async fn rate_what_is_over(&self, tidy: bool) -> Result<(), ServiceError> {
        let mut connection = self.store.connection().await?;
        if tidy {
            while connection.transaction(async |connection| unlist_idle(connection).await).await? {}
        }
        while unrated_waits(&connection).await? {
            let more = connection.transaction(async |connection| rate_some(connection).await).await?;
            if !more || self.writes.is_closed() {
                break;
            }
        }
        Ok(())
    }
}

/// Rates matches that have waited longest, unless another instance is at it. Answers whether there may be more.
async fn rate_some(connection: &AsyncPgConnection) -> Result<bool, ServiceError> {
    if !rating_try_lock_in_txn(connection).await? {
        return Ok(false);
    }
    let rows = unrated_list(connection, AT_A_TIME).await?;
    let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
    let mut seats: HashMap<Uuid, Vec<SeatRow>> = HashMap::new();
    for seat in seat_list(connection, &ids).await? {
        seats.entry(seat.match_id).or_default().push(seat);
    }
    let rated = rows.into_iter().filter_map(|row| {
        let (id, seats) = (row.id, seats.remove(&row.id).unwrap_or_default());
        rated_match(row, &seats).unwrap_or_else(|error| {
            // It must not keep others from being rated. A rebuild finds it again.
            tracing::error!(%error, match_id = %id, "a match cannot be rated");
            None
        })
    });
    rate_all_in_txn(connection, rated.collect()).await?;
    unrated_done_in_txn(connection, &ids).await?;
    Ok(i64::try_from(ids.len()).is_ok_and(|count| count == AT_A_TIME))
}

async fn unlist_idle(connection: &AsyncPgConnection) -> Result<bool, ServiceError> {
    if !rating_try_lock_in_txn(connection).await? {
        return Ok(false);
    }
    Ok(rating_unlist_idle_in_txn(connection, LISTED_FOR, UNLISTED_AT_A_TIME).await?)
}

/// What is to be rated of a match that is over, by its last position; nothing if it never began.
fn rated_match(row: UnratedRow, seats: &[SeatRow]) -> Result<Option<RatedMatch>, ServiceError> {
    if Status::parse(&row.status)? == Status::Cancelled {
        return Ok(None);
    }
    let damaged = |what: &str| StoreError::Damaged(format!("{what} of {}", row.id));
    let rules = rules_from_json(&row.rules).map_err(ServiceError::internal)?;
    let state = row.state.as_deref().ok_or_else(|| damaged("position"))?;
    let game = Match::from_bytes(&rules, state).map_err(ServiceError::internal)?;
    let at = row.finished_at.ok_or_else(|| damaged("end"))?;
    let preset = row.preset.clone().ok_or_else(|| damaged("preset"))?;
    let players = seats.iter().map(|seat| (seat.account_id, seat.bot));
    RatedMatch::of(row.id, at, preset, &game, players.collect()).map(Some)
}
