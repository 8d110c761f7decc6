//! Rating worker: rates finished matches.
//!
//! Runs on every instance, without a leader: the instance that gets the lock rates a batch in one
//! transaction, and the others skip. Play never waits for it: unrated matches are found by an index. The
//! order of rating is in `order`, the formulas in `math`.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use uuid::Uuid;
use yaniv_db::matches::seats::{SeatRow, seat_list};
use yaniv_db::ratings::queue::{
    UnratedRow, rating_try_lock_in_txn, unrated_done_in_txn, unrated_list, unrated_waits,
};
use yaniv_db::ratings::rating_rows::rating_unlist_idle_in_txn;
use yaniv_db::{Connection, StoreError, Transactions};
use yaniv_engine::{Match, rules_from_json};
use yaniv_match::status::Status;

use crate::kernel::worker::{Next, Work};
use crate::ratings::order::{LISTED_FOR, RatedMatch, rate_all_in_txn};
use crate::{ServiceError, Services};

/// Polling interval.
const PERIOD: Duration = Duration::from_millis(250);
/// Matches per transaction.
const AT_A_TIME: i64 = 50;
/// Interval of the removal of inactive players from leaderboards, and its batch size.
const TIDY_EVERY: Duration = Duration::from_secs(600);
const UNLISTED_AT_A_TIME: i64 = 1000;

/// One run rates all finished matches, and sometimes removes inactive players from leaderboards.
struct Rater {
    services: Services,
    tidied: Option<Instant>,
}

impl Work for Rater {
    async fn run(&mut self) -> Result<Next, ServiceError> {
        let tidy = self.tidied.is_none_or(|tidied| tidied.elapsed() > TIDY_EVERY);
        self.services.rate_what_is_over(tidy).await?;
        if tidy {
            self.tidied = Some(Instant::now());
        }
        Ok(Next::Period)
    }
}

impl Services {
    /// Starts the rating worker.
    pub(crate) fn start_ratings(&self) {
        let rater = Rater { services: self.clone(), tidied: None };
        self.worker("ratings", PERIOD).woken_by(&self.rater).start(&self.runtime, rater);
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

/// Rates the matches that have waited longest, unless another instance holds the lock. Returns whether there
/// may be more.
async fn rate_some(connection: &Connection) -> Result<bool, ServiceError> {
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
            // A damaged match must not block the others. A rebuild reports it again.
            tracing::error!(%error, match_id = %id, "a match cannot be rated");
            None
        })
    });
    rate_all_in_txn(connection, rated.collect()).await?;
    unrated_done_in_txn(connection, &ids).await?;
    Ok(i64::try_from(ids.len()).is_ok_and(|count| count == AT_A_TIME))
}

async fn unlist_idle(connection: &Connection) -> Result<bool, ServiceError> {
    if !rating_try_lock_in_txn(connection).await? {
        return Ok(false);
    }
    Ok(rating_unlist_idle_in_txn(connection, LISTED_FOR, UNLISTED_AT_A_TIME).await?)
}

/// The rated match, from its last position; `None` if it was cancelled before the start.
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
