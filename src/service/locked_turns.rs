//! Actions near a deadline, and in sandboxes: decided under the lock of the match, by the database's clock as it is read
//! then. Whichever of the player and the deadline comes second finds that it is second.

use chrono::{DateTime, TimeDelta, Utc};
use diesel_async::AsyncPgConnection;
use yaniv_engine::Seat;

use super::automatic::attend_in_txn;
use super::replay::Answer;
use super::saves::{Stored, new_save, save_alone};
use super::table::Table;
use super::turns::{Act, Decided, decide, load_for};
use super::{ServiceError, Services};
use crate::store::StoreError;
use crate::store::action_save::SaveTiming;
use crate::store::clock::clock_read;
use crate::store::matches::{match_lock, match_ordered_find};

/// So long before a deadline an action is decided under the lock: longer than a statement may wait for one.
const NEAR: TimeDelta = TimeDelta::seconds(15);

/// What became of an action under the lock.
pub(super) enum UnderLock {
    /// It had happened before.
    Answered(Box<Answer>),
    /// It is stored.
    Stored(Box<Stored>),
    /// It is too late: something else was done instead.
    Attended,
}

impl Services {
    /// How an action of a seat may be stored without the lock; none if it may not.
    pub(super) fn timing(&self, table: &Table, seat: Seat) -> Option<SaveTiming> {
        let now = self.database_time.now()?;
        if table.settings.sandbox || table.clocks.is_held(seat.number()) {
            return None;
        }
        let deadline = table.clocks.seat(seat.number()).and_then(|of_seat| of_seat.clock.deadline());
        let not_after = deadline.and_then(|deadline| deadline.checked_sub_signed(NEAR));
        if not_after.is_some_and(|not_after| now >= not_after) {
            return None;
        }
        Some(SaveTiming { not_after, ..SaveTiming::default() })
    }
}

impl Table {
    /// The timing of steps that have been played but have no time yet: when to look at the match again, if they are stored
    /// about now.
    pub(super) fn with_check(&self, timing: SaveTiming, now: Option<DateTime<Utc>>) -> SaveTiming {
        let mut after = self.clone();
        after.at = now.map_or(self.at, |now| self.clocks.time(now));
        let turning = std::mem::take(&mut after.turning);
        after.turn_clocks(&turning);
        SaveTiming { check_at: after.check_at(), as_of: now, ..timing }
    }
}

/// Decides and stores an action, inside a transaction.
///
/// # Errors
/// Those of `Services::act`.
pub(super) async fn act_under_lock(
    connection: &AsyncPgConnection,
    act: &Act,
) -> Result<UnderLock, ServiceError> {
    match_lock(connection, act.match_id).await?;
    let now = clock_read(connection).await?;
    let mut table = load_for(connection, act.account, act.match_id).await?;
    let seat = table.seat_of(act.account).ok_or(ServiceError::MatchNotFound)?;
    let at = table.clocks.time(now);
    if table.clocks.is_late(&table.clock_settings(), seat.number(), at) && !table.knows(act) {
        let ordered = match_ordered_find(connection, act.match_id).await?;
        attend_in_txn(connection, table, ordered, at).await?;
        return Ok(UnderLock::Attended);
    }
    let steps = match decide(connection, &mut table, act, seat).await? {
        Decided::Answered(answer) => return Ok(UnderLock::Answered(answer)),
        Decided::Played(steps) => steps,
    };
    let timing = SaveTiming { at: Some(at), ..table.with_check(SaveTiming::default(), Some(now)) };
    let save = new_save(&table, Some(act.stored_key()), seat, &steps, timing)?;
    let saved = save_alone(connection, &save).await?;
    let at = saved.ok_or_else(|| StoreError::Damaged(format!("lock of {}", act.match_id)))?;
    Ok(UnderLock::Stored(Box::new(Stored { table, save, steps, at })))
}

impl Table {
    /// Whether the key of an action is in the log.
    fn knows(&self, act: &Act) -> bool {
        self.keys.contains(&act.stored_key().0)
    }
}
