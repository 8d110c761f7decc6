//! Actions under the lock of the match, decided at the database time that is read then: near a deadline, in
//! sandboxes, for a seat that a bot holds, and while the database's time is unknown.
//!
//! So player and timeout are serialized. All other actions are stored without the lock, in `play`.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use yaniv_db::kernel::clock::clock_read;
use yaniv_db::matches::match_rows::{match_lock, match_ordered_find};
use yaniv_db::turns::append_actions::SaveTiming;
use yaniv_db::{Connection, StoreError};
use yaniv_engine::Seat;
use yaniv_match::MatchState;

use crate::matches::repeated_write::Repeat;
use crate::turns::automatic::timeouts::attend_in_txn;
use crate::turns::play::{Act, Decided, decide, load_for};
use crate::turns::save::{CommittedAction, new_save, save_alone};
use crate::{ServiceError, Services};

/// Actions closer than this to a deadline are decided under the lock. Longer than the lock timeout of a
/// statement.
const NEAR: TimeDelta = TimeDelta::seconds(15);

/// Outcome of an action under the lock.
pub(crate) enum UnderLock {
    /// The key is known: the action was done before.
    Repeated(Repeat),
    /// Stored.
    CommittedAction(Box<CommittedAction>),
    /// Too late: the timeout was played instead.
    Attended,
}

impl Services {
    /// The conditions for storing an action of a seat without the lock; `None` if the lock is needed.
    pub(crate) fn timing(&self, state: &MatchState, seat: Seat) -> Option<SaveTiming> {
        let now = self.database_time.now()?;
        if state.settings().sandbox || state.clocks().is_held(seat.number()) {
            return None;
        }
        let deadline = state.clocks().seat(seat.number()).and_then(|of_seat| of_seat.clock.deadline());
        let not_after = deadline.and_then(|deadline| deadline.checked_sub_signed(NEAR));
        if not_after.is_some_and(|not_after| now >= not_after) {
            return None;
        }
        Some(SaveTiming { not_after, ..SaveTiming::default() })
    }
}

/// Adds the match's next check to the timing, if the played steps are stored at about now.
pub(crate) fn with_check(state: &MatchState, timing: SaveTiming, now: Option<DateTime<Utc>>) -> SaveTiming {
    SaveTiming { check_at: state.check_at_if_stored(now), as_of: now, ..timing }
}

/// Decides and stores an action, inside a transaction.
///
/// # Errors
/// Those of `Services::act`.
pub(crate) async fn act_under_lock(connection: &Connection, act: &Act) -> Result<UnderLock, ServiceError> {
    match_lock(connection, act.match_id).await?;
    let now = clock_read(connection).await?;
    let mut state = load_for(connection, act.account, act.match_id).await?;
    let seat = state.seat_of(act.account).ok_or(ServiceError::MatchNotFound)?;
    let at = state.clocks().time(now);
    if state.clocks().is_late(&state.clock_settings(), seat.number(), at) && !knows(&state, act) {
        let ordered = match_ordered_find(connection, act.match_id).await?;
        attend_in_txn(connection, state, ordered, at).await?;
        return Ok(UnderLock::Attended);
    }
    let steps = match decide(connection, &mut state, act, seat).await? {
        Decided::Repeated(repeat) => return Ok(UnderLock::Repeated(repeat)),
        Decided::Played(steps) => steps,
    };
    let timing = SaveTiming { at: Some(at), ..with_check(&state, SaveTiming::default(), Some(now)) };
    let save = new_save(&state, Some(act.stored_key()), seat, &steps, timing)?;
    let saved = save_alone(connection, &save).await?;
    let at = saved.ok_or_else(|| StoreError::Damaged(format!("lock of {}", act.match_id)))?;
    Ok(UnderLock::CommittedAction(Box::new(CommittedAction { state: Arc::new(state), save, steps, at })))
}

/// Whether the key of the action is in the log.
fn knows(state: &MatchState, act: &Act) -> bool {
    state.keys().contains(&act.stored_key().0)
}
