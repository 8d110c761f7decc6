//! What is done in a match that is no action of the game: a bot takes a seat, its owner takes it back, players are nudged,
//! the clock of a test match is moved.
//!
//! Under the lock of the match; each is an entry of the log.

use chrono::{DateTime, TimeDelta, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use yaniv_engine::{Code, PlayError, Seat};

use super::attendance::tell_near_in_txn;
use super::lobby_change::state_of;
use super::notices;
use super::replay::{self, Answer, IdempotencyKey};
use super::sandbox::clock_moved;
use super::status::Status;
use super::table::Table;
use super::turns::load_for;
use super::view::{LogEntry, MatchView};
use super::{ServiceError, Services};
use crate::ids::{AccountId, MatchId};
use crate::store::actions::{
    ActionRow, KIND_CLOCK, KIND_NUDGED, KIND_RETURNED, action_find_by_key, action_find_last,
    action_insert_in_txn,
};
use crate::store::attention::attention_set_in_txn;
use crate::store::clock::clock_read;
use crate::store::matches::{match_lock, state_update_in_txn};

/// Nobody is nudged before being waited for so long.
const NUDGED_AFTER: TimeDelta = TimeDelta::hours(1);
/// Between two nudges in a match there is so much time.
const BETWEEN_NUDGES: TimeDelta = TimeDelta::hours(12);

/// What somebody does of this kind.
#[derive(Clone, Copy, Debug)]
pub enum Intervention {
    /// The owner of a seat takes it back from the bot that holds it.
    TakeBack,
    /// A player reminds those who are waited for.
    Nudge,
    /// The clock of a test match is moved ahead by so much.
    MoveClock(TimeDelta),
}

impl Services {
    /// Takes a seat back, nudges, or moves the clock of a test match.
    ///
    /// # Errors
    /// `MatchNotFound`, `NotStarted`, `MatchOver`, `SeatNotHeld`, `TooEarlyToNudge`, `NotASandbox`, `KeyReused`.
    pub async fn intervene(
        &self,
        account: AccountId,
        id: MatchId,
        intervention: Intervention,
        key: Option<IdempotencyKey>,
    ) -> Result<Answer, ServiceError> {
        let (table, answer) = self
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
        if let Some(table) = table {
            self.keep(&std::sync::Arc::new(table));
        }
        Ok(answer)
    }
}

async fn intervene_in_txn(
    connection: &AsyncPgConnection,
    account: AccountId,
    id: MatchId,
    intervention: Intervention,
    key: Option<&IdempotencyKey>,
) -> Result<(Option<Table>, Answer), ServiceError> {
    match_lock(connection, id).await?;
    let mut table = load_for(connection, account, id).await?;
    if let Some(key) = key
        && let Some(row) = action_find_by_key(connection, id, key.hash(account)).await?
    {
        return Ok((None, replay::answer(connection, account, key, &row).await?));
    }
    let at = table.clocks.time(clock_read(connection).await?);
    let seat = table.seat_of(account).ok_or(ServiceError::MatchNotFound)?;
    let (kind, detail) = match intervention {
        Intervention::TakeBack => (KIND_RETURNED, take_back(&mut table, seat, at)?),
        Intervention::Nudge => (KIND_NUDGED, nudge_in_txn(connection, &mut table, seat, at).await?),
        Intervention::MoveClock(by) => (KIND_CLOCK, clock_moved(&mut table, by, at)?),
    };
    let key = key.map(|key| (key.hash(account), key.fingerprint));
    let entry = store_entry(connection, &mut table, kind, seat, detail, key).await?;
    let answer = entry_answer(&table, account, &entry)?;
    Ok((Some(table), answer))
}

/// The answer of a write that has just made an entry.
///
/// # Errors
/// If the entry is damaged.
pub(super) fn entry_answer(
    table: &Table,
    account: AccountId,
    entry: &ActionRow,
) -> Result<Answer, ServiceError> {
    let entry = LogEntry::for_viewer(entry, &replay::Names::new(), table, account)?;
    Ok(Answer { view: MatchView::new(table, account, vec![entry]), replayed: false })
}

/// Gives a seat back to its owner. What the entry says of it is returned, as by its neighbours.
fn take_back(table: &mut Table, seat: Seat, at: DateTime<Utc>) -> Result<String, ServiceError> {
    check(table, seat)?;
    if !table.clocks.is_held(seat.number()) {
        return Err(ServiceError::SeatNotHeld);
    }
    table.give_back(seat, at);
    Ok(String::new())
}

async fn nudge_in_txn(
    connection: &AsyncPgConnection,
    table: &mut Table,
    seat: Seat,
    at: DateTime<Utc>,
) -> Result<String, ServiceError> {
    check(table, seat)?;
    let seats = seats_to_nudge(connection, table, seat, at).await?;
    table.pass_by(at);
    for player in seats.iter().filter_map(|seat| table.player(Seat::new(*seat))) {
        notices::nudge_in_txn(connection, table.id(), table.version, player.account, at).await?;
    }
    Ok(seats.iter().map(ToString::to_string).collect::<Vec<_>>().join(","))
}

fn check(table: &Table, seat: Seat) -> Result<(), ServiceError> {
    match table.status {
        Status::Running if table.game.as_ref().is_some_and(|game| game.is_out(seat)) => {
            Err(ServiceError::SeatNotHeld)
        }
        Status::Running => Ok(()),
        Status::Waiting => Err(ServiceError::NotStarted),
        Status::Finished | Status::Cancelled => {
            let detail = "the match is over".into();
            Err(ServiceError::Rejected(PlayError { code: Code::MatchOver, detail }))
        }
    }
}

/// Who else has been waited for long enough, if nobody has nudged lately.
async fn seats_to_nudge(
    connection: &AsyncPgConnection,
    table: &Table,
    own: Seat,
    at: DateTime<Utc>,
) -> Result<Vec<u8>, ServiceError> {
    let since =
        |seat: u8| table.clocks.seat(seat).and_then(|of_seat| of_seat.clock.wait).map(|wait| wait.began_at);
    let waited = |seat: &u8| {
        *seat != own.number()
            && since(*seat).is_some_and(|since| at.signed_duration_since(since) >= NUDGED_AFTER)
    };
    let count = u8::try_from(table.players.len()).map_err(ServiceError::internal)?;
    let seats: Vec<u8> = (0..count).filter(waited).collect();
    let nudged = action_find_last(connection, table.id(), KIND_NUDGED).await?;
    let too_soon = nudged.is_some_and(|row| at.signed_duration_since(row.at) < BETWEEN_NUDGES);
    if seats.is_empty() || too_soon { Err(ServiceError::TooEarlyToNudge) } else { Ok(seats) }
}

/// Stores a match that has just been changed by something that is no action, and the entry of the log for it.
///
/// # Errors
/// Those of the database.
pub(super) async fn store_entry(
    connection: &AsyncPgConnection,
    table: &mut Table,
    kind: u8,
    seat: Seat,
    detail: String,
    key: Option<(i64, i32)>,
) -> Result<ActionRow, ServiceError> {
    let round = table.game.as_ref().map_or(0, yaniv_engine::Match::round);
    let row = ActionRow {
        match_id: table.id().0,
        at: table.at,
        key_hash: key.map(|(hash, _)| hash),
        fingerprint: key.map(|(_, fingerprint)| fingerprint),
        version: table.version,
        round: i16::try_from(round).map_err(ServiceError::internal)?,
        flags: 0,
        seat: Some(i16::from(seat.number())),
        kind,
        account_id: None,
        detail,
        drew: None,
    };
    let state = state_of(table)?;
    state_update_in_txn(connection, &state).await?;
    // The next look is only for what comes later.
    tell_near_in_txn(connection, table, table.at).await?;
    // Standing orders that are to be carried out now are not forgotten by it.
    attention_set_in_txn(connection, table.id(), state.check_at).await?;
    action_insert_in_txn(connection, &row).await?;
    table.note(row.key_hash, std::slice::from_ref(&row));
    Ok(row)
}
