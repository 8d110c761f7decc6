//! Action writer: stores concurrent actions of different matches in one statement.
//!
//! Each action succeeds or fails on its own; if the statement as a whole fails, each is then retried alone.
//! The decisions are in `play` and `locked`.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use prometheus_client::metrics::histogram::Histogram;
use yaniv_db::turns::append_actions::{ActionSave, EndedRound, SaveTiming, actions_append};
use yaniv_db::{Connection, StoreError};
use yaniv_engine::Seat;
use yaniv_match::MatchState;
use yaniv_match::event::LoggedEvent;
use yaniv_match::finished_round::RoundScore;
use yaniv_match::state::Step;
use yaniv_match::status::Status;
use yaniv_model::match_version::MatchVersion;

use crate::ServiceError;
use crate::kernel::batcher::{Batch, DedicatedConnection, within};
use crate::matches::log::action_columns;

/// Timeout of a statement; after it the connection is dropped.
const SAVED_WITHIN: Duration = Duration::from_secs(5);

/// Outcome of storing an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WriteOutcome {
    /// Stored, with this time.
    At(DateTime<Utc>),
    /// Not stored: the match has another version, or the database failed.
    Not,
    /// Unknown outcome: the connection was lost.
    Perhaps,
}

/// A stored action, with the match on which it was played.
pub(crate) struct CommittedAction {
    /// The match, without the action's time.
    pub(crate) state: Arc<MatchState>,
    /// The stored columns.
    pub(crate) save: Arc<ActionSave>,
    /// The steps played.
    pub(crate) steps: Vec<Step>,
    /// When the action was accepted.
    pub(crate) at: DateTime<Utc>,
}

impl CommittedAction {
    /// The match after the action, and its log entries.
    pub(crate) fn after(self) -> (Arc<MatchState>, Vec<Arc<LoggedEvent>>) {
        let Self { mut state, save, steps, at } = self;
        let match_state = Arc::make_mut(&mut state);
        if let Some(last) = steps.last() {
            match_state.stamp(last, at);
        }
        let seat = Seat::new(u8::try_from(save.seat).unwrap_or_default());
        let entries = LoggedEvent::of_steps(match_state, seat, &steps, at);
        let entries: Vec<_> = entries.map(Arc::new).collect();
        match_state.note(save.key_hash, &entries);
        (state, entries)
    }
}

/// The batch of action writes, with a record of its sizes.
pub(crate) struct ActionWriter(pub(crate) DedicatedConnection, pub(crate) Histogram);

impl Batch for ActionWriter {
    type Request = Arc<ActionSave>;
    type Response = WriteOutcome;

    const NAME: &'static str = "store actions";
    const MOST: usize = 128;

    /// Of two actions of the same match in a batch the first is stored; the other fails.
    async fn answer(&mut self, saves: Vec<Arc<ActionSave>>) -> Vec<WriteOutcome> {
        let mut seen = HashSet::new();
        let chosen: Vec<&ActionSave> =
            saves.iter().map(AsRef::as_ref).filter(|save| seen.insert(save.match_id)).collect();
        self.1.observe(f64::from(u32::try_from(chosen.len()).unwrap_or(u32::MAX)));
        let result = self.store(&chosen).await;
        if let Err(error) = &result {
            tracing::warn!(error = %error, actions = chosen.len(), "a batch failed; its actions are retried alone");
        }
        let outcome = |save: &Arc<ActionSave>| match &result {
            Ok(times) => {
                let place = chosen.iter().position(|chosen| std::ptr::eq(*chosen, save.as_ref()));
                let time = place.and_then(|place| times.get(place).copied().flatten());
                time.map_or(WriteOutcome::Not, WriteOutcome::At)
            }
            Err(StoreError::ConnectionLost(_) | StoreError::Silent) => WriteOutcome::Perhaps,
            Err(_) => WriteOutcome::Not,
        };
        saves.iter().map(outcome).collect()
    }
}

impl ActionWriter {
    async fn store(&mut self, saves: &[&ActionSave]) -> Result<Vec<Option<DateTime<Utc>>>, StoreError> {
        let held = self.0.take().await?;
        let result = within(SAVED_WITHIN, actions_append(&held, saves)).await;
        self.0.give_back(held, &result);
        result
    }
}

/// Stores one action; returns its time, or `None` if the match has another version.
///
/// # Errors
/// Those of `actions_append`.
pub(crate) async fn save_alone(
    connection: &Connection,
    save: &ActionSave,
) -> Result<Option<DateTime<Utc>>, StoreError> {
    Ok(actions_append(connection, &[save]).await?.pop().flatten())
}

/// The columns changed by the steps, to be stored if the match still has the version that was read. `key` is
/// the hash and fingerprint of the request's idempotency key.
///
/// # Errors
/// If the engine's results are inconsistent.
pub(crate) fn new_save(
    match_state: &MatchState,
    key: Option<(i64, i32)>,
    seat: Seat,
    steps: &[Step],
    timing: SaveTiming,
) -> Result<Arc<ActionSave>, ServiceError> {
    let damaged = |what: &str| StoreError::Damaged(what.to_owned());
    let game = match_state.game().ok_or_else(|| damaged("a match in play without a position"))?;
    let (first, last) = steps.first().zip(steps.last()).ok_or_else(|| damaged("nothing was played"))?;
    let result = last.played.round_ended.as_ref().and_then(|end| end.result.as_ref());
    let result = result.map(|result| serde_json::to_string(&RoundScore::from(result)));
    let result = result.transpose().map_err(ServiceError::internal)?;
    let taken = i32::try_from(steps.len()).map_err(ServiceError::internal)?;
    Ok(Arc::new(ActionSave {
        match_id: match_state.id().0,
        // The time is set by the statement; until then it is that of the version read.
        read: MatchVersion {
            version: match_state.version().saturating_sub(taken),
            ..match_state.stands_at()
        },
        state: game.to_bytes(),
        waiting_on: match_state.waiting_on(),
        finished: match_state.status() == Status::Finished,
        seat: i16::from(seat.number()),
        round: i16::try_from(last.played.round).map_err(ServiceError::internal)?,
        key_hash: key.map(|(hash, _)| hash),
        fingerprint: key.map(|(_, fingerprint)| fingerprint),
        clocks: match_state.stored_clocks()?,
        timing,
        entry: action_columns(&first.event(seat)),
        slam: steps.get(1).map(|slam| action_columns(&slam.event(seat))),
        ended: last
            .played
            .round_ended
            .as_ref()
            .map(|_| EndedRound { starter: i16::from(last.starter.number()), result }),
    }))
}
