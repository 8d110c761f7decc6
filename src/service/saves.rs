//! Storing actions: those of different matches that have come at the same time in one statement. Each is stored or
//! not by itself; what befalls the statement as a whole befalls each of them, and each is then looked into alone.

use std::collections::HashSet;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use yaniv_engine::{RecordResult, Seat};

use super::ServiceError;
use super::status::Status;
use super::table::{Step, Table};
use super::turns::Act;
use super::view::outcome_flags;
use crate::store::action_save::{ActionSave, EndedRound, SavedEntry, action_save};
use crate::store::actions::{FLAG_ENDED_MATCH, FLAG_ENDED_ROUND, FLAG_RECYCLED};
use crate::store::{Store, StoreError};

/// Statements at a time, and actions in one.
pub(super) const SAVE_LANES: usize = 2;
pub(super) const SAVE_BATCH: usize = 64;

/// What became of an action that was to be stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Saved {
    /// It was accepted then.
    At(DateTime<Utc>),
    /// It was not stored: the match has moved on, or the database could not.
    Not,
    /// The connection was lost: perhaps.
    Perhaps,
}

/// Stores actions of several matches. Of two of the same match the first is taken: the other has lost.
pub(super) async fn save_together(store: Store, saves: Vec<Arc<ActionSave>>) -> Vec<Saved> {
    let mut seen = HashSet::new();
    let chosen: Vec<&ActionSave> =
        saves.iter().map(AsRef::as_ref).filter(|save| seen.insert(save.match_id)).collect();
    let result = match store.saving_connection().await {
        Ok(connection) => action_save(&connection, &chosen).await,
        Err(error) => Err(error),
    };
    let outcome = |save: &Arc<ActionSave>| match &result {
        Ok(times) => {
            let place = chosen.iter().position(|chosen| std::ptr::eq(*chosen, save.as_ref()));
            let time = place.and_then(|place| times.get(place).copied().flatten());
            time.map_or(Saved::Not, Saved::At)
        }
        Err(StoreError::ConnectionLost(_)) => Saved::Perhaps,
        Err(_) => Saved::Not,
    };
    if let Err(error) = &result {
        tracing::warn!(error = %error, actions = chosen.len(), "actions could not be stored together");
    }
    saves.iter().map(outcome).collect()
}

/// Stores one action; answers when it was accepted, or nothing if the match has moved on.
///
/// # Errors
/// Those of `action_save`.
pub(super) async fn save_alone(
    connection: &AsyncPgConnection,
    save: &ActionSave,
) -> Result<Option<DateTime<Utc>>, StoreError> {
    Ok(action_save(connection, &[save]).await?.pop().flatten())
}

/// Everything that the steps changed, to be stored if the match still stands as it was read.
///
/// # Errors
/// Only if the engine has given what cannot be.
pub(super) fn new_save(
    table: &Table,
    act: &Act,
    seat: Seat,
    steps: &[Step],
) -> Result<Arc<ActionSave>, ServiceError> {
    let damaged = |what: &str| StoreError::Damaged(what.to_owned());
    let game = table.game.as_ref().ok_or_else(|| damaged("a match in play without a position"))?;
    let (first, last) = steps.first().zip(steps.last()).ok_or_else(|| damaged("nothing was played"))?;
    let result = last.played.round_ended.as_ref().and_then(|end| end.result.as_ref());
    let result = result.map(|result| serde_json::to_string(&RecordResult::from(result)));
    let result = result.transpose().map_err(ServiceError::internal)?;
    let taken = i32::try_from(steps.len()).map_err(ServiceError::internal)?;
    Ok(Arc::new(ActionSave {
        match_id: act.match_id.0,
        read_version: table.version.saturating_sub(taken),
        read_gifts: table.stands_at().gifts,
        state: game.to_bytes(),
        waiting_on: table.waiting_on(),
        finished: table.status == Status::Finished,
        seat: i16::from(seat.number()),
        round: i16::try_from(last.played.round).map_err(ServiceError::internal)?,
        key_hash: act.key.hash(act.account),
        fingerprint: act.key.fingerprint,
        entry: new_entry(first),
        slam: steps.get(1).map(new_entry),
        ended: last
            .played
            .round_ended
            .as_ref()
            .map(|_| EndedRound { starter: i16::from(last.starter.number()), result }),
    }))
}

fn new_entry(step: &Step) -> SavedEntry {
    let played = &step.played;
    let flag = |set: bool, bit: i16| if set { bit } else { 0 };
    let drew: Vec<u8> = played
        .drew
        .iter()
        .chain(played.drew_three.iter())
        .chain(&step.slammed)
        .map(|card| card.index())
        .collect();
    SavedEntry {
        detail: step.action.to_string(),
        drew: (!drew.is_empty()).then_some(drew),
        flags: flag(played.recycled, FLAG_RECYCLED)
            | flag(played.round_ended.is_some(), FLAG_ENDED_ROUND)
            | flag(played.match_ended.is_some(), FLAG_ENDED_MATCH)
            | outcome_flags(played.call),
    }
}
