//! Changes of a running match that are not actions of the game: a bot takes over a seat, its owner takes it
//! back, a player nudges, the clock of a sandbox is moved.
//!
//! Each happens under the lock of the match and is an entry of the log. Actions of the game are in `play`.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use yaniv_db::accounts::blocks::blocker_list_of;
use yaniv_db::kernel::clock::clock_read;
use yaniv_db::matches::log::action_insert_in_txn;
use yaniv_db::matches::match_rows::state_update_in_txn;
use yaniv_db::turns::due::due_set_in_txn;
use yaniv_db::{Connection, Transactions};
use yaniv_engine::{Code, PlayError, Seat};
use yaniv_match::MatchState;
use yaniv_match::event::{LogEvent, LoggedEvent, Names};
use yaniv_match::status::Status;
use yaniv_match::view::{LogEntry, MatchView};
use yaniv_model::idempotency::IdempotencyKey;
use yaniv_model::ids::{AccountId, MatchId};

use crate::kernel::boxed;
use crate::matches::load::state_of;
use crate::matches::log::{KeyColumns, last_nudge, row_of};
use crate::matches::repeated_write::{Answer, Written, write_find};
use crate::turns::automatic::due_matches::tell_near_in_txn;
use crate::turns::play::lock_for;
use crate::turns::sandbox::clock_moved;
use crate::{ServiceError, Services, notifications};

/// Minimum waiting time before a player can be nudged.
const NUDGED_AFTER: TimeDelta = TimeDelta::hours(1);
/// Minimum time between two nudges in a match.
const BETWEEN_NUDGES: TimeDelta = TimeDelta::hours(12);

/// A change by a player.
#[derive(Clone, Copy, Debug)]
pub enum Intervention {
    /// The owner takes the seat back from the bot.
    TakeBack,
    /// A player reminds the players who have to act.
    Nudge,
    /// The clock of a sandbox is moved ahead by this time.
    MoveClock(TimeDelta),
}

impl Services {
    /// Takes a seat back, nudges, or moves the clock of a sandbox.
    ///
    /// # Errors
    /// `MatchNotFound`, `NotStarted`, `MatchOver`, `SeatNotHeld`, `TooEarlyToNudge`, `NotASandbox`,
    /// `KeyReused`.
    #[boxed]
    pub async fn intervene(
        &self,
        account: AccountId,
        id: MatchId,
        intervention: Intervention,
        key: Option<IdempotencyKey>,
    ) -> Result<Answer, ServiceError> {
        let (match_state, written) = self
            .durably(key.is_some(), false, move |mut connection, _| {
                let key = key.clone();
                async move {
                    connection
                        .transaction(async |connection| {
                            intervene_in_txn(connection, account, id, intervention, key.as_ref()).await
                        })
                        .await
                }
            })
            .await?;
        if let Some(match_state) = match_state {
            self.keep(&std::sync::Arc::new(match_state));
        }
        self.answer_of(written).await
    }
}

async fn intervene_in_txn(
    connection: &Connection,
    account: AccountId,
    id: MatchId,
    intervention: Intervention,
    key: Option<&IdempotencyKey>,
) -> Result<(Option<MatchState>, Written), ServiceError> {
    let mut match_state = lock_for(connection, account, id).await?;
    if let Some(key) = key
        && let Some(row) = write_find(connection, &match_state, (key.hash(account), key.fingerprint)).await?
    {
        return Ok((None, Written::before(account, key, row)?));
    }
    let at = match_state.clocks().time(clock_read(connection).await?);
    let seat = match_state.seat_of(account).ok_or(ServiceError::MatchNotFound)?;
    let (event, at) = match intervention {
        Intervention::TakeBack => (take_back(&match_state, seat)?, at),
        Intervention::Nudge => (nudge_in_txn(connection, &match_state, seat, at).await?, at),
        Intervention::MoveClock(by) => {
            (clock_moved(&match_state, seat, by)?, at.checked_add_signed(by).unwrap_or(at))
        }
    };
    let key = key.map(|key| (key.hash(account), key.fingerprint));
    let entry = store_event(connection, &mut match_state, event, at, key).await?;
    let answer = entry_answer(&match_state, account, &entry);
    Ok((Some(match_state), Written::new(answer)))
}

/// The answer of a write that has just added an entry.
pub(crate) fn entry_answer(match_state: &MatchState, account: AccountId, entry: &LoggedEvent) -> Answer {
    let entry = LogEntry::for_viewer(entry, &Names::new(), match_state, account);
    Answer { view: MatchView::new(match_state, account, vec![entry]), replayed: false }
}

/// Gives a seat back to its owner.
fn take_back(match_state: &MatchState, seat: Seat) -> Result<LogEvent, ServiceError> {
    check(match_state, seat)?;
    if !match_state.clocks().is_held(seat.number()) {
        return Err(ServiceError::SeatNotHeld);
    }
    Ok(LogEvent::SeatTakenBack { seat })
}

async fn nudge_in_txn(
    connection: &Connection,
    match_state: &MatchState,
    seat: Seat,
    at: DateTime<Utc>,
) -> Result<LogEvent, ServiceError> {
    check(match_state, seat)?;
    let seats = seats_to_nudge(connection, match_state, seat, at).await?;
    let version = match_state.version().saturating_add(1);
    let nudged: Vec<AccountId> = seats
        .iter()
        .filter_map(|seat| match_state.player(Seat::new(*seat)))
        .map(|player| player.account)
        .collect();
    let by = match_state.player(seat).ok_or(ServiceError::MatchNotFound)?.account;
    // Blocked nudges are dropped silently: the answer does not reveal a block.
    let deaf = blocker_list_of(connection, by, &nudged).await?;
    for account in nudged.into_iter().filter(|account| !deaf.contains(&account.0)) {
        notifications::nudge_in_txn(connection, match_state.id(), version, account, at).await?;
    }
    Ok(LogEvent::Nudged { seat, seats })
}

fn check(match_state: &MatchState, seat: Seat) -> Result<(), ServiceError> {
    match match_state.status() {
        Status::Running if match_state.game().is_some_and(|game| game.is_out(seat)) => {
            Err(ServiceError::SeatNotHeld)
        }
        Status::Running => Ok(()),
        Status::Waiting => Err(ServiceError::NotStarted),
        Status::Finished | Status::Cancelled => {
            Err(ServiceError::Rejected(PlayError::new(Code::MatchOver, "the match is over")))
        }
    }
}

/// The other seats that have been waited for long enough; an error if there are none or the last nudge is too
/// recent.
async fn seats_to_nudge(
    connection: &Connection,
    match_state: &MatchState,
    own: Seat,
    at: DateTime<Utc>,
) -> Result<Vec<u8>, ServiceError> {
    let since = |seat: u8| {
        match_state.clocks().seat(seat).and_then(|of_seat| of_seat.clock.wait).map(|wait| wait.began_at)
    };
    let waited = |seat: &u8| {
        *seat != own.number()
            && since(*seat).is_some_and(|since| at.signed_duration_since(since) >= NUDGED_AFTER)
    };
    let count = u8::try_from(match_state.players().len()).map_err(ServiceError::internal)?;
    let seats: Vec<u8> = (0..count).filter(waited).collect();
    let nudged = last_nudge(connection, match_state.id()).await?;
    let too_soon = nudged.is_some_and(|last| at.signed_duration_since(last) < BETWEEN_NUDGES);
    if seats.is_empty() || too_soon { Err(ServiceError::TooEarlyToNudge) } else { Ok(seats) }
}

/// Applies an event that is not an action of the game, and stores the match and the log entry.
///
/// # Errors
/// Those of the database.
pub(crate) async fn store_event(
    connection: &Connection,
    match_state: &mut MatchState,
    event: LogEvent,
    at: DateTime<Utc>,
    key: Option<KeyColumns>,
) -> Result<Arc<LoggedEvent>, ServiceError> {
    match_state.apply(&event, at, &Names::new())?;
    let round = match_state.game().map_or(0, yaniv_engine::Match::round);
    let round = i16::try_from(round).map_err(ServiceError::internal)?;
    let entry = LoggedEvent { version: match_state.version(), at: match_state.at(), round, event };
    let state = state_of(match_state)?;
    state_update_in_txn(connection, &state).await?;
    // The scheduler's next check covers later reminders only.
    tell_near_in_txn(connection, match_state, match_state.at()).await?;
    // Due standing orders keep their check.
    due_set_in_txn(connection, match_state.id(), state.check_at).await?;
    action_insert_in_txn(connection, &row_of(match_state.id(), &entry, key)?).await?;
    let entry = Arc::new(entry);
    match_state.note(key.map(|(hash, _)| hash), std::slice::from_ref(&entry));
    Ok(entry)
}
