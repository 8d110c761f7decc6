//! Conversion between log events and rows of `actions`, in both directions; no other file does it.

use std::borrow::Borrow;
use std::collections::HashMap;

use chrono::{DateTime, Utc};
use uuid::Uuid;
use yaniv_db::accounts::account_rows::username_map;
use yaniv_db::matches::log::{
    ActionRow, FLAG_BOT, FLAG_ENDED_MATCH, FLAG_ENDED_ROUND, FLAG_MISSED, FLAG_ORDER, FLAG_RECYCLED,
    KIND_ACTION, KIND_CALENDAR, KIND_CLOCK, KIND_CODE, KIND_HELD, KIND_JOINED, KIND_LEFT, KIND_NO_CODE,
    KIND_NUDGED, KIND_REMOVED, KIND_RETURNED, KIND_STARTED, OUTCOME_SHIFT, action_find_last, action_list,
    action_list_from,
};
use yaniv_db::turns::append_actions::SavedEntry;
use yaniv_db::{Connection, StoreError};
use yaniv_engine::{CallOutcome, Card, Seat};
use yaniv_match::event::{ActionEvent, LogEvent, LoggedEvent, Name, Names};
use yaniv_match::join_code::JoinCode;
use yaniv_match::origin::ActionOrigin;
use yaniv_match::settings::level_of;
use yaniv_match::{
    MatchState, calendar_from_detail, calendar_to_detail, calendars_from_detail, calendars_to_detail,
};
use yaniv_model::ids::{AccountId, MatchId};

use crate::ServiceError;

/// Hash and fingerprint of a write's idempotency key, in stored form.
pub(crate) type KeyColumns = (i64, i32);

/// Entries with `after < version <= up_to`, oldest first, at most `limit`, with the names of their accounts.
///
/// # Errors
/// Those of the database, and damaged rows.
pub(crate) async fn log_load(
    connection: &Connection,
    id: MatchId,
    (after, up_to): (i32, i32),
    limit: i64,
) -> Result<(Vec<LoggedEvent>, Names), ServiceError> {
    let entries = events_of(&action_list(connection, id, after, up_to, limit).await?)?;
    let names = names_load(connection, &entries).await?;
    Ok((entries, names))
}

/// The logs of these matches, each from a version on, oldest first. A damaged log is an error in its place.
///
/// # Errors
/// Those of the database.
pub(crate) async fn logs_load(
    connection: &Connection,
    from: &[(Uuid, i32)],
) -> Result<HashMap<Uuid, Result<Vec<LoggedEvent>, ServiceError>>, ServiceError> {
    let logs = action_list_from(connection, from).await?;
    Ok(logs
        .into_iter()
        .map(|(id, rows)| (id, rows.map_err(Into::into).and_then(|rows| events_of(&rows))))
        .collect())
}

/// Time of the last nudge in a match.
///
/// # Errors
/// Those of the database.
pub(crate) async fn last_nudge(
    connection: &Connection,
    id: MatchId,
) -> Result<Option<DateTime<Utc>>, ServiceError> {
    Ok(action_find_last(connection, id, KIND_NUDGED).await?.map(|row| row.at))
}

/// The names of the accounts in these entries. Only entries before the start have accounts; later ones have
/// seats.
///
/// # Errors
/// Those of the database.
pub(crate) async fn names_load(
    connection: &Connection,
    entries: &[impl Borrow<LoggedEvent>],
) -> Result<Names, ServiceError> {
    let mut ids: Vec<Uuid> =
        entries.iter().filter_map(|entry| entry.borrow().event.account()).map(|account| account.0).collect();
    ids.sort_unstable();
    ids.dedup();
    names_find(connection, &ids).await
}

/// The names of accounts.
///
/// # Errors
/// Those of the database.
pub(crate) async fn names_find(connection: &Connection, ids: &[Uuid]) -> Result<Names, ServiceError> {
    if ids.is_empty() {
        return Ok(Names::new());
    }
    let name = |name: yaniv_db::accounts::account_rows::AccountName| Name {
        level: level_of(name.level.as_deref()),
        username: name.username,
        display_name: name.display_name,
        bot: name.bot,
    };
    Ok(username_map(connection, ids).await?.into_iter().map(|(id, row)| (id, name(row))).collect())
}

/// The names of the players of a match.
pub(crate) fn names_of_players(state: &MatchState) -> Names {
    let name = |player: &yaniv_match::settings::Player| Name {
        username: player.username.clone(),
        display_name: player.display_name.clone(),
        bot: player.bot,
        level: player.level,
    };
    state.players().iter().map(|player| (player.account.0, name(player))).collect()
}

/// Parses rows.
///
/// # Errors
/// `Damaged`.
pub(crate) fn events_of(rows: &[ActionRow]) -> Result<Vec<LoggedEvent>, ServiceError> {
    rows.iter().map(event_of).collect()
}

/// Parses a row.
///
/// # Errors
/// `Damaged`.
pub(crate) fn event_of(row: &ActionRow) -> Result<LoggedEvent, ServiceError> {
    let event = match row.kind {
        KIND_JOINED | KIND_LEFT | KIND_REMOVED | KIND_STARTED | KIND_CODE | KIND_NO_CODE => lobby_event(row)?,
        _ => play_event(row)?,
    };
    Ok(LoggedEvent { version: row.version, at: row.at, round: row.round, event })
}

fn damaged(what: &str, row: &ActionRow) -> ServiceError {
    StoreError::Damaged(format!("{what} of {}", row.version)).into()
}

fn lobby_event(row: &ActionRow) -> Result<LogEvent, ServiceError> {
    let account = AccountId(row.account_id.ok_or_else(|| damaged("account", row))?);
    Ok(match row.kind {
        KIND_JOINED => LogEvent::Joined { account, client_seed: row.detail.clone() },
        KIND_LEFT => LogEvent::Left { account },
        KIND_REMOVED => LogEvent::Removed { account },
        KIND_STARTED => LogEvent::Started { account, calendars: calendars_from_detail(&row.detail)? },
        KIND_CODE => LogEvent::CodeRenewed { account, code: JoinCode::from_detail(&row.detail)? },
        KIND_NO_CODE => LogEvent::CodeRevoked { account },
        _ => return Err(damaged("kind", row)),
    })
}

fn play_event(row: &ActionRow) -> Result<LogEvent, ServiceError> {
    let seat = row.seat.and_then(|seat| u8::try_from(seat).ok()).map(Seat::new);
    let seat = seat.ok_or_else(|| damaged("seat", row))?;
    Ok(match row.kind {
        KIND_ACTION => LogEvent::Action(action_event(row, seat)?),
        KIND_HELD => LogEvent::SeatHeld { seat },
        KIND_RETURNED => LogEvent::SeatTakenBack { seat },
        KIND_NUDGED => {
            let seats = row.detail.split(',').filter_map(|seat| seat.parse().ok()).collect();
            LogEvent::Nudged { seat, seats }
        }
        KIND_CALENDAR => {
            let (change, calendar) = calendar_from_detail(&row.detail)?;
            LogEvent::CalendarChanged { seat, change, calendar }
        }
        KIND_CLOCK => {
            LogEvent::ClockMoved { seat, by: row.detail.parse().map_err(|_| damaged("clock", row))? }
        }
        _ => return Err(damaged("kind", row)),
    })
}

fn action_event(row: &ActionRow, seat: Seat) -> Result<ActionEvent, ServiceError> {
    let card = |index: &u8| Card::from_index(*index).ok_or_else(|| damaged("card", row));
    let set = |bit: i16| row.flags & bit != 0;
    Ok(ActionEvent {
        seat,
        action: row.detail.parse().map_err(|_| damaged("action", row))?,
        origin: origin_of(row.flags),
        drew: row.drew.iter().flatten().map(card).collect::<Result<_, _>>()?,
        outcome: outcome_of(row.flags),
        recycled: set(FLAG_RECYCLED),
        ended_round: set(FLAG_ENDED_ROUND),
        ended_match: set(FLAG_ENDED_MATCH),
    })
}

/// The row of an event.
///
/// # Errors
/// If serialization fails.
pub(crate) fn row_of(
    id: MatchId,
    entry: &LoggedEvent,
    key: Option<KeyColumns>,
) -> Result<ActionRow, ServiceError> {
    let columns = columns_of(&entry.event)?;
    Ok(ActionRow {
        match_id: id.0,
        at: entry.at,
        key_hash: key.map(|(hash, _)| hash),
        fingerprint: key.map(|(_, fingerprint)| fingerprint),
        version: entry.version,
        round: entry.round,
        flags: columns.entry.flags,
        seat: entry.event.seat().map(|seat| seat.number().into()),
        kind: columns.kind,
        account_id: entry.event.account().map(|account| account.0),
        detail: columns.entry.detail,
        drew: columns.entry.drew,
    })
}

/// The columns of a row that depend on the event.
struct Columns {
    kind: u8,
    entry: SavedEntry,
}

fn columns_of(event: &LogEvent) -> Result<Columns, ServiceError> {
    let (kind, detail) = match event {
        LogEvent::Joined { client_seed, .. } => (KIND_JOINED, client_seed.clone()),
        LogEvent::Left { .. } => (KIND_LEFT, String::new()),
        LogEvent::Removed { .. } => (KIND_REMOVED, String::new()),
        LogEvent::Started { calendars, .. } => (KIND_STARTED, calendars_to_detail(calendars)?),
        LogEvent::CodeRenewed { code, .. } => (KIND_CODE, code.to_detail()),
        LogEvent::CodeRevoked { .. } => (KIND_NO_CODE, String::new()),
        LogEvent::CalendarChanged { change, calendar, .. } => {
            (KIND_CALENDAR, calendar_to_detail(*change, calendar)?)
        }
        LogEvent::SeatHeld { .. } => (KIND_HELD, String::new()),
        LogEvent::SeatTakenBack { .. } => (KIND_RETURNED, String::new()),
        LogEvent::Nudged { seats, .. } => {
            let seats: Vec<String> = seats.iter().map(ToString::to_string).collect();
            (KIND_NUDGED, seats.join(","))
        }
        LogEvent::ClockMoved { by, .. } => (KIND_CLOCK, by.to_string()),
        LogEvent::Action(action) => return Ok(Columns { kind: KIND_ACTION, entry: action_columns(action) }),
    };
    Ok(Columns { kind, entry: SavedEntry { detail, drew: None, flags: 0 } })
}

/// The columns of an action.
pub(crate) fn action_columns(action: &ActionEvent) -> SavedEntry {
    let flag = |set: bool, bit: i16| if set { bit } else { 0 };
    let drew: Vec<u8> = action.drew.iter().map(|card| card.index()).collect();
    SavedEntry {
        detail: action.action.to_string(),
        drew: (!drew.is_empty()).then_some(drew),
        flags: flag(action.recycled, FLAG_RECYCLED)
            | flag(action.ended_round, FLAG_ENDED_ROUND)
            | flag(action.ended_match, FLAG_ENDED_MATCH)
            | outcome_flags(action.outcome)
            | origin_flag(action.origin),
    }
}

fn origin_flag(origin: ActionOrigin) -> i16 {
    match origin {
        ActionOrigin::Player => 0,
        ActionOrigin::Missed => FLAG_MISSED,
        ActionOrigin::Bot => FLAG_BOT,
        ActionOrigin::Order => FLAG_ORDER,
    }
}

fn origin_of(flags: i16) -> ActionOrigin {
    let origins = [ActionOrigin::Missed, ActionOrigin::Bot, ActionOrigin::Order];
    origins.into_iter().find(|origin| flags & origin_flag(*origin) != 0).unwrap_or_default()
}

/// Encodes the outcome of a call in the bits from `OUTCOME_SHIFT` on: its index in the engine's list, counted
/// from 1.
fn outcome_flags(outcome: Option<CallOutcome>) -> i16 {
    let place = CallOutcome::ALL.iter().position(|one| Some(*one) == outcome);
    place.and_then(|place| i16::try_from(place + 1).ok()).map_or(0, |number| number << OUTCOME_SHIFT)
}

fn outcome_of(flags: i16) -> Option<CallOutcome> {
    let number = usize::try_from(flags >> OUTCOME_SHIFT).ok()?;
    CallOutcome::ALL.get(number.checked_sub(1)?).copied()
}
