//! Storing actions: those of different matches that have come at the same time in one statement. Each is stored or
//! not by itself; what befalls the statement as a whole befalls each of them, and each is then looked into alone.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use yaniv_engine::{RecordResult, Seat};

use super::ServiceError;
use super::gather::{Batches, Lane, within};
use super::status::Status;
use super::table::{Step, Table};
use super::view::outcome_flags;
use crate::store::StoreError;
use crate::store::action_save::{ActionSave, EndedRound, SaveTiming, SavedEntry, action_save};
use crate::store::actions::{ActionRow, FLAG_ENDED_MATCH, FLAG_ENDED_ROUND, FLAG_RECYCLED};
use crate::store::match_versions::MatchVersion;

/// How long a statement may take before its connection is given up.
const SAVED_WITHIN: Duration = Duration::from_secs(5);

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

/// An action that has been stored, with the match on which it was played.
pub(super) struct Stored {
    /// Before its time was known.
    pub(super) table: Table,
    /// What was stored.
    pub(super) save: Arc<ActionSave>,
    /// What was played.
    pub(super) steps: Vec<Step>,
    /// When it was accepted.
    pub(super) at: DateTime<Utc>,
}

impl Stored {
    /// The match after it, and the entries of the log that it made.
    pub(super) fn after(self) -> (Table, Vec<ActionRow>) {
        let Self { mut table, save, steps, at } = self;
        if let Some(last) = steps.last() {
            table.stamp(last, at);
        }
        let rows = save.rows(at);
        table.note(save.key_hash, &rows);
        (table, rows)
    }
}

/// Stores what has gathered.
pub(super) struct Saver(pub(super) Lane);

impl Batches for Saver {
    type Question = Arc<ActionSave>;
    type Answer = Saved;

    const MOST: usize = 128;

    /// Of two actions of the same match the first is taken: the other has lost.
    async fn answer(&mut self, saves: Vec<Arc<ActionSave>>) -> Vec<Saved> {
        let mut seen = HashSet::new();
        let chosen: Vec<&ActionSave> =
            saves.iter().map(AsRef::as_ref).filter(|save| seen.insert(save.match_id)).collect();
        let result = self.store(&chosen).await;
        if let Err(error) = &result {
            tracing::warn!(error = %error, actions = chosen.len(), "actions could not be stored together");
        }
        let outcome = |save: &Arc<ActionSave>| match &result {
            Ok(times) => {
                let place = chosen.iter().position(|chosen| std::ptr::eq(*chosen, save.as_ref()));
                let time = place.and_then(|place| times.get(place).copied().flatten());
                time.map_or(Saved::Not, Saved::At)
            }
            Err(StoreError::ConnectionLost(_) | StoreError::Silent) => Saved::Perhaps,
            Err(_) => Saved::Not,
        };
        saves.iter().map(outcome).collect()
    }
}

impl Saver {
    async fn store(&mut self, saves: &[&ActionSave]) -> Result<Vec<Option<DateTime<Utc>>>, StoreError> {
        let held = self.0.take().await?;
        let result = within(SAVED_WITHIN, action_save(&held.0, saves)).await;
        self.0.give_back(held, &result);
        result
    }
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

/// Everything that the steps changed, to be stored if the match still stands as it was read, with hash and fingerprint of
/// the key of whoever has asked for it.
///
/// # Errors
/// Only if the engine has given what cannot be.
pub(super) fn new_save(
    table: &Table,
    key: Option<(i64, i32)>,
    seat: Seat,
    steps: &[Step],
    timing: SaveTiming,
) -> Result<Arc<ActionSave>, ServiceError> {
    let damaged = |what: &str| StoreError::Damaged(what.to_owned());
    let game = table.game.as_ref().ok_or_else(|| damaged("a match in play without a position"))?;
    let (first, last) = steps.first().zip(steps.last()).ok_or_else(|| damaged("nothing was played"))?;
    let result = last.played.round_ended.as_ref().and_then(|end| end.result.as_ref());
    let result = result.map(|result| serde_json::to_string(&RecordResult::from(result)));
    let result = result.transpose().map_err(ServiceError::internal)?;
    let taken = i32::try_from(steps.len()).map_err(ServiceError::internal)?;
    Ok(Arc::new(ActionSave {
        match_id: table.id().0,
        // Its time is set when it is stored: until then it is that of the version read.
        read: MatchVersion { version: table.version.saturating_sub(taken), ..table.stands_at() },
        state: game.to_bytes(),
        waiting_on: table.waiting_on(),
        finished: table.status == Status::Finished,
        seat: i16::from(seat.number()),
        round: i16::try_from(last.played.round).map_err(ServiceError::internal)?,
        key_hash: key.map(|(hash, _)| hash),
        fingerprint: key.map(|(_, fingerprint)| fingerprint),
        clocks: table.stored_clocks()?,
        timing,
        entry: new_entry(first),
        slam: steps.get(1).map(new_entry),
        ended: last
            .played
            .round_ended
            .as_ref()
            .map(|_| EndedRound { starter: i16::from(last.starter.number()), result }),
    }))
}

/// The entry of the log for what was played.
pub(super) fn new_entry(step: &Step) -> SavedEntry {
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
            | outcome_flags(played.call)
            | step.cause.flag(),
    }
}
