//! Actions of players in a match that has started.
//!
//! Actions near a deadline are decided in `locked`. `automatic` acts for absent players. `seat_events`
//! stores log entries that are not actions of the game.
//!
//! The fast path plays on the cached match. This is safe because the action is stored only if the match still
//! has the cached version. A match that is not cached is loaded in a batch first. All other cases take the slow path, which
//! loads the match itself: a retry, a refusal, a conflict, a database error.

use std::sync::Arc;
use std::time::Duration;

use yaniv_db::kernel::clock::clock_read;
use yaniv_db::matches::match_rows::match_lock;
use yaniv_db::{Connection, Transactions};
use yaniv_engine::{Action, Seat};
use yaniv_match::MatchState;
use yaniv_match::event::{LogEvent, LoggedEvent, Names};
use yaniv_match::origin::ActionOrigin;
use yaniv_match::state::Step;
use yaniv_match::status::Status;
use yaniv_match::view::{LogEntry, MatchView};
use yaniv_model::idempotency::IdempotencyKey;
use yaniv_model::ids::{AccountId, MatchId};

use crate::kernel::boxed;
use crate::matches::load::load_match;
use crate::matches::log::log_load;
use crate::matches::read::{RECENT_LIMIT, view_since};
use crate::matches::repeated_write::{Answer, Repeat, Written, write_find};
use crate::turns::locked::{UnderLock, act_under_lock, with_check};
use crate::turns::save::{CommittedAction, WriteOutcome, new_save, save_alone};
use crate::{ServiceError, Services};

/// Attempts of an action when other writes come first.
const TRIES: u32 = 10;
/// Timeout of the fast path; after it the outcome is unknown.
const QUICK: Duration = Duration::from_secs(6);

/// A request to act.
#[derive(Clone, Debug)]
pub struct Act {
    /// The player.
    pub account: AccountId,
    /// The match.
    pub match_id: MatchId,
    /// Version that the player has seen.
    pub expected_version: i32,
    /// The action.
    pub action: Action,
    /// With a play: slam the drawn card down if it fits. If it fits at two ends: at the first (true) or the
    /// last (false).
    pub slam_down: Option<bool>,
    /// Idempotency key, which makes retries safe.
    pub key: IdempotencyKey,
}

/// Decision on an action.
pub(crate) enum Decided {
    /// The key is known: the action was done before.
    Repeated(Repeat),
    /// The action was played on the loaded match, not yet stored.
    Played(Vec<Step>),
}

/// Result of the fast path.
enum Quick {
    /// Stored.
    Answered(Box<Answer>),
    /// Not stored; the slow path decides.
    Passed,
    /// Unknown outcome.
    Lost,
}

impl Services {
    /// Plays an action exactly once; a retry with the same key gets the same answer.
    ///
    /// # Errors
    /// `MatchNotFound`, `KeyReused`, `NotStarted`, `VersionConflict`, `Rejected`; `Busy`, `Unavailable` and
    /// `OutcomeUnknown`, after which the same request may be retried.
    #[boxed]
    pub async fn act(&self, act: Act) -> Result<Written, ServiceError> {
        let lost = match self.act_quickly(&act).await? {
            Quick::Answered(answer) => return Ok(Written::New(answer)),
            Quick::Passed => false,
            Quick::Lost => true,
        };
        let services = self.clone();
        // Boxed: the future is large and rarely needed.
        let acted = Box::pin(self.durably(true, lost, move |mut connection, lost| {
            let (services, act) = (services.clone(), act.clone());
            async move { services.try_act(&mut connection, &act, lost).await }
        }))
        .await;
        if let Err(ServiceError::VersionConflict(_)) = &acted {
            self.metrics.conflicts.inc();
        }
        acted
    }

    async fn act_quickly(&self, act: &Act) -> Result<Quick, ServiceError> {
        let known = match self.match_cache.get(act.match_id) {
            Some(known) => known,
            None => match self.load_together(act.match_id).await {
                Some(loaded) => loaded,
                None => return Ok(Quick::Passed),
            },
        };
        let hash = act.key.hash(act.account);
        let plain = known.status() == Status::Running
            && known.version() == act.expected_version
            // A block that has hidden it since is read on the slow path only.
            && !known.has_dedication()
            // The state has all keys up to its version; a newer key implies a newer version.
            && !known.keys().contains(&hash);
        let Some(seat) = known.seat_of(act.account).filter(|_| plain) else { return Ok(Quick::Passed) };
        let Some(timing) = self.timing(&known, seat) else { return Ok(Quick::Passed) };
        // A copy of its own, so that `make_mut` does not copy again.
        let mut state = Arc::new(MatchState::clone(&known));
        let Ok(steps) = play(Arc::make_mut(&mut state), seat, act) else { return Ok(Quick::Passed) };
        let timing = with_check(&state, timing, self.database_time.now());
        let save = new_save(&state, Some((hash, act.key.fingerprint)), seat, &steps, timing)?;
        let saving = tokio::time::timeout(QUICK, self.saves.ask(Arc::clone(&save)));
        match saving.await.ok().flatten() {
            Some(WriteOutcome::At(at)) => {
                let answer = self.done(CommittedAction { state, save, steps, at }, act.account);
                Ok(Quick::Answered(Box::new(answer)))
            }
            Some(WriteOutcome::Not) => Ok(Quick::Passed),
            Some(WriteOutcome::Perhaps) | None => Ok(Quick::Lost),
        }
    }

    async fn try_act(
        &self,
        connection: &mut Connection,
        act: &Act,
        lost: bool,
    ) -> Result<Written, ServiceError> {
        if lost {
            lock_for(connection, act.account, act.match_id).await?;
        }
        for _ in 0..TRIES {
            if let Some(answer) = self.try_once(connection, act).await? {
                return Ok(answer);
            }
        }
        let state = load_for(connection, act.account, act.match_id).await?;
        Err(conflict(connection, &state, act).await?)
    }

    /// One attempt: load, decide, save. `None` if another write came first.
    async fn try_once(
        &self,
        connection: &mut Connection,
        act: &Act,
    ) -> Result<Option<Written>, ServiceError> {
        let mut state = load_for(connection, act.account, act.match_id).await?;
        let seat = state.seat_of(act.account).ok_or(ServiceError::MatchNotFound)?;
        let Some(timing) = self.timing(&state, seat) else {
            let stored =
                connection.transaction(async |connection| act_under_lock(connection, act).await).await?;
            return match stored {
                UnderLock::Repeated(repeat) => Ok(Some(Written::Repeated(repeat))),
                UnderLock::CommittedAction(stored) => Ok(Some(Written::new(self.done(*stored, act.account)))),
                // The deadline had passed, and the timeout was played. The next attempt finds it.
                UnderLock::Attended => Ok(None),
            };
        };
        let steps = match decide(connection, &mut state, act, seat).await? {
            Decided::Repeated(repeat) => return Ok(Some(Written::Repeated(repeat))),
            Decided::Played(steps) => steps,
        };
        let timing = with_check(&state, timing, self.database_time.now());
        let save = new_save(&state, Some(act.stored_key()), seat, &steps, timing)?;
        match save_alone(connection, &save).await? {
            Some(at) => {
                let state = Arc::new(state);
                let answer = self.done(CommittedAction { state, save, steps, at }, act.account);
                Ok(Some(Written::new(answer)))
            }
            // Another write came first (a duplicate of this request, another action, a dedication), or the
            // database's clock has jumped ahead. The next attempt decides.
            None => {
                self.database_time.learn(clock_read(connection).await?);
                Ok(None)
            }
        }
    }

    /// Caches the match after a stored action, and makes the answer.
    fn done(&self, stored: CommittedAction, viewer: AccountId) -> Answer {
        self.metrics.actions.inc();
        let (state, events) = stored.after();
        self.keep(&state);
        self.notices.played(viewer, state.id(), state.version());
        let entries = LogEntry::all_for_viewer(&events, &Names::new(), &state, viewer);
        Answer { view: MatchView::new(&state, viewer, entries), replayed: false }
    }
}

/// Loads a match within a transaction, for accounts with a seat only.
///
/// # Errors
/// `MatchNotFound`, both if there is no such match and if the caller has no seat.
pub(crate) async fn load_for(
    connection: &Connection,
    account: AccountId,
    id: MatchId,
) -> Result<MatchState, ServiceError> {
    let state = load_match(connection, id).await?.ok_or(ServiceError::MatchNotFound)?;
    if state.seat_of(account).is_none() {
        return Err(ServiceError::MatchNotFound);
    }
    Ok(state)
}

/// Locks a match until the end of the transaction, for accounts with a seat only. Other callers neither wait
/// for the lock nor hold it.
///
/// # Errors
/// `MatchNotFound`, as for `load_for`; `Busy` if the lock is not free in time.
pub(crate) async fn lock_for(
    connection: &Connection,
    account: AccountId,
    id: MatchId,
) -> Result<MatchState, ServiceError> {
    load_for(connection, account, id).await?;
    match_lock(connection, id).await?;
    load_for(connection, account, id).await
}

/// The earlier write with this key, if there is one.
async fn known(
    connection: &Connection,
    state: &MatchState,
    act: &Act,
) -> Result<Option<Repeat>, ServiceError> {
    match write_find(connection, state, act.stored_key()).await? {
        Some(row) => Repeat::of(act.account, &act.key, row).map(Some),
        None => Ok(None),
    }
}

/// Decides an action on the loaded match.
///
/// # Errors
/// All reasons for which an action is refused.
pub(crate) async fn decide(
    connection: &Connection,
    state: &mut MatchState,
    act: &Act,
    seat: Seat,
) -> Result<Decided, ServiceError> {
    if let Some(repeat) = known(connection, state, act).await? {
        return Ok(Decided::Repeated(repeat));
    }
    if state.game().is_none() {
        return Err(ServiceError::NotStarted);
    }
    let running = state.status() == Status::Running;
    let stale = running && state.version() != act.expected_version;
    if stale && !still_fits(connection, state, act).await? {
        return Err(conflict(connection, state, act).await?);
    }
    if running && state.clocks().is_held(seat.number()) && act.action != Action::Resign {
        return Err(ServiceError::SeatHeld);
    }
    Ok(Decided::Played(play(state, seat, act)?))
}

/// Plays the action, then the slam-down if requested and possible.
fn play(state: &mut MatchState, seat: Seat, act: &Act) -> Result<Vec<Step>, ServiceError> {
    let mut steps = vec![state.play(seat, &act.action, ActionOrigin::Player)?];
    if let Some(first) = act.slam_down
        && state.open_slam(seat).is_some()
    {
        steps.push(state.play(seat, &Action::Slam { first }, ActionOrigin::Player)?);
    }
    Ok(steps)
}

/// Whether an outdated `expected_version` is harmless.
///
/// True if nothing has been played since; or, for an answer to a question that several players are asked,
/// only other answers to it.
async fn still_fits(connection: &Connection, state: &MatchState, act: &Act) -> Result<bool, ServiceError> {
    let range = (act.expected_version, state.version());
    let (entries, _) = log_load(connection, state.id(), range, RECENT_LIMIT).await?;
    let since = i64::from(state.version()) - i64::from(act.expected_version);
    let all = since == i64::try_from(entries.len()).unwrap_or_default();
    // A swap ends the question: the first to accept exchanges hands.
    let leaves_open = |action: &Action| matches!(action, Action::Challenge | Action::Expose | Action::Stay);
    let fits = |entry: &LoggedEvent| match &entry.event {
        LogEvent::Started { .. } => false,
        LogEvent::Action(other) => act.is_answer() && leaves_open(&other.action),
        _ => true,
    };
    Ok(all && entries.iter().all(fits))
}

/// The refusal of an action based on an outdated version.
async fn conflict(
    connection: &Connection,
    state: &MatchState,
    act: &Act,
) -> Result<ServiceError, ServiceError> {
    let view = view_since(connection, state, act.account, act.expected_version).await?;
    Ok(ServiceError::VersionConflict(Box::new(view)))
}

impl Act {
    /// Hash and fingerprint of the key, as stored.
    pub(crate) fn stored_key(&self) -> (i64, i32) {
        (self.key.hash(self.account), self.key.fingerprint)
    }

    /// Whether it answers a question that several players are asked at once, in any order.
    fn is_answer(&self) -> bool {
        matches!(self.action, Action::Challenge | Action::Expose | Action::Swap | Action::Stay)
    }
}
