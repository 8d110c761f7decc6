//! Actions in play: the only place where a match that has started changes.
//!
//! The quick way plays on the match in memory, which is safe because it is stored only if the match still stands so.
//! Whatever is not plain goes the other way, which loads the match first: a match not in memory, a retry, a refusal, a
//! conflict, an error of the database.

use std::sync::Arc;
use std::time::Duration;

use diesel_async::{AsyncConnection, AsyncPgConnection};
use yaniv_engine::{Action, Seat};

use super::cause::Cause;
use super::locked_turns::{UnderLock, act_under_lock};
use super::looks::{RECENT_LIMIT, view_since};
use super::replay::{self, Answer, IdempotencyKey, Names};
use super::saves::{Saved, Stored, new_save, save_alone};
use super::status::Status;
use super::table::{Step, Table};
use super::view::{LogEntry, MatchView};
use super::{ServiceError, Services};
use crate::ids::{AccountId, MatchId};
use crate::store::actions::{ActionRow, KIND_STARTED, action_find_by_key, action_list};
use crate::store::clock::clock_read;
use crate::store::matches::match_lock;

/// How often an action is tried that others come before.
const TRIES: u32 = 10;
/// How long the quick way is waited for; then it counts as lost.
const QUICK: Duration = Duration::from_secs(6);

/// A wish to act.
#[derive(Clone, Debug)]
pub struct Act {
    /// Who wishes.
    pub account: AccountId,
    /// In which match.
    pub match_id: MatchId,
    /// Version that the player has seen.
    pub expected_version: i32,
    /// What to do.
    pub action: Action,
    /// With a play: slam the drawn card down if it fits, at the first end where there are two (true) or the last.
    pub slam_down: Option<bool>,
    /// Makes a retry safe.
    pub key: IdempotencyKey,
}

/// What becomes of an action.
pub(super) enum Decided {
    /// It had happened before.
    Answered(Box<Answer>),
    /// It was played on the match as it was loaded.
    Played(Vec<Step>),
}

/// How the quick way ended.
enum Quick {
    /// Done.
    Answered(Box<Answer>),
    /// Nothing has happened: it has to be looked at more closely.
    Passed,
    /// It may have happened.
    Lost,
}

impl Services {
    /// Plays an action: once, whatever happens on the way, and with the same answer however often it is asked.
    ///
    /// # Errors
    /// `MatchNotFound`, `KeyReused`, `NotStarted`, `VersionConflict`, `Rejected`; `Busy`, `Unavailable` and
    /// `OutcomeUnknown`, after which the same request may be sent again.
    pub async fn act(&self, act: Act) -> Result<Answer, ServiceError> {
        let lost = match self.act_quickly(&act).await? {
            Quick::Answered(answer) => return Ok(*answer),
            Quick::Passed => false,
            Quick::Lost => true,
        };
        let services = self.clone();
        // Boxed, as it is large and seldom taken.
        Box::pin(self.durably(true, lost, move |mut connection, lost| {
            let (services, act) = (services.clone(), act.clone());
            async move { services.try_act(&mut connection, &act, lost).await }
        }))
        .await
    }

    async fn act_quickly(&self, act: &Act) -> Result<Quick, ServiceError> {
        let Some(known) = self.tables.get(act.match_id) else { return Ok(Quick::Passed) };
        let hash = act.key.hash(act.account);
        let plain = known.status == Status::Running
            && known.version == act.expected_version
            // All keys up to this version are known; if there are others, there is another version, too.
            && !known.keys.contains(&hash);
        let Some(seat) = known.seat_of(act.account).filter(|_| plain) else { return Ok(Quick::Passed) };
        let Some(timing) = self.timing(&known, seat) else { return Ok(Quick::Passed) };
        let mut table = Table::clone(&known);
        let Ok(steps) = play(&mut table, seat, act) else { return Ok(Quick::Passed) };
        let timing = table.with_check(timing, self.database_time.now());
        let save = new_save(&table, Some((hash, act.key.fingerprint)), seat, &steps, timing)?;
        let saving = tokio::time::timeout(QUICK, self.saves.ask(Arc::clone(&save)));
        match saving.await.ok().flatten() {
            Some(Saved::At(at)) => {
                let answer = self.done(Stored { table, save, steps, at }, act.account)?;
                Ok(Quick::Answered(Box::new(answer)))
            }
            Some(Saved::Not) => Ok(Quick::Passed),
            Some(Saved::Perhaps) | None => Ok(Quick::Lost),
        }
    }

    async fn try_act(
        &self,
        connection: &mut AsyncPgConnection,
        act: &Act,
        lost: bool,
    ) -> Result<Answer, ServiceError> {
        if lost {
            match_lock(connection, act.match_id).await?;
        }
        for _ in 0..TRIES {
            if let Some(answer) = self.try_once(connection, act).await? {
                return Ok(answer);
            }
        }
        let table = load_for(connection, act.account, act.match_id).await?;
        conflict(connection, &table, act).await
    }

    /// One load, one decision, one save; nothing if another write came between.
    async fn try_once(
        &self,
        connection: &mut AsyncPgConnection,
        act: &Act,
    ) -> Result<Option<Answer>, ServiceError> {
        let mut table = load_for(connection, act.account, act.match_id).await?;
        let seat = table.seat_of(act.account).ok_or(ServiceError::MatchNotFound)?;
        let Some(timing) = self.timing(&table, seat) else {
            let stored =
                connection.transaction(async |connection| act_under_lock(connection, act).await).await?;
            return match stored {
                UnderLock::Answered(answer) => Ok(Some(*answer)),
                UnderLock::Stored(stored) => self.done(*stored, act.account).map(Some),
                // The deadline had passed. The next try finds what was done about that.
                UnderLock::Attended => Ok(None),
            };
        };
        let steps = match decide(connection, &mut table, act, seat).await? {
            Decided::Answered(answer) => return Ok(Some(*answer)),
            Decided::Played(steps) => steps,
        };
        let timing = table.with_check(timing, self.database_time.now());
        let save = new_save(&table, Some(act.stored_key()), seat, &steps, timing)?;
        match save_alone(connection, &save).await? {
            Some(at) => self.done(Stored { table, save, steps, at }, act.account).map(Some),
            // Something was first: this one's twin, another action, or a dedication; or it is later than was thought, as
            // the database's clock has jumped. The next try tells.
            None => {
                self.database_time.learn(clock_read(connection).await?);
                Ok(None)
            }
        }
    }

    /// The match after an action that has been stored: kept, and answered.
    fn done(&self, stored: Stored, viewer: AccountId) -> Result<Answer, ServiceError> {
        let (table, rows) = stored.after();
        let table = Arc::new(table);
        self.keep(&table);
        self.notices.saw(viewer, table.id());
        let entries = LogEntry::all_for_viewer(&rows, &Names::new(), &table, viewer)?;
        Ok(Answer { view: MatchView::new(&table, viewer, entries), replayed: false })
    }
}

/// The match as a transaction sees it, for those who have a seat, and for nobody else.
///
/// # Errors
/// `MatchNotFound`, whether there is none or the caller has no seat.
pub(super) async fn load_for(
    connection: &AsyncPgConnection,
    account: AccountId,
    id: MatchId,
) -> Result<Table, ServiceError> {
    let table = Table::load(connection, id).await?.ok_or(ServiceError::MatchNotFound)?;
    if table.seat_of(account).is_none() {
        return Err(ServiceError::MatchNotFound);
    }
    Ok(table)
}

/// The answer that the key has had, if it has had one.
async fn known_answer(
    connection: &AsyncPgConnection,
    table: &Table,
    act: &Act,
) -> Result<Option<Answer>, ServiceError> {
    let hash = act.key.hash(act.account);
    if !table.keys.contains(&hash) {
        return Ok(None);
    }
    match action_find_by_key(connection, act.match_id, hash).await? {
        Some(row) => replay::answer(connection, act.account, &act.key, &row).await.map(Some),
        None => Ok(None),
    }
}

/// What becomes of an action, by the match as it is loaded.
///
/// # Errors
/// All for which it is refused.
pub(super) async fn decide(
    connection: &AsyncPgConnection,
    table: &mut Table,
    act: &Act,
    seat: Seat,
) -> Result<Decided, ServiceError> {
    if let Some(answer) = known_answer(connection, table, act).await? {
        return Ok(Decided::Answered(Box::new(answer)));
    }
    if table.game.is_none() {
        return Err(ServiceError::NotStarted);
    }
    let stale = table.status == Status::Running && table.version != act.expected_version;
    if stale && !still_fits(connection, table, act).await? {
        let answer = conflict(connection, table, act).await?;
        return Ok(Decided::Answered(Box::new(answer)));
    }
    if table.clocks.is_held(seat.number()) && act.action != Action::Resign {
        return Err(ServiceError::SeatHeld);
    }
    Ok(Decided::Played(play(table, seat, act)?))
}

/// Plays the action and, where that is wished and fits, the slam-down after it.
fn play(table: &mut Table, seat: Seat, act: &Act) -> Result<Vec<Step>, ServiceError> {
    let mut steps = vec![table.play(seat, &act.action, Cause::Player)?];
    if let Some(first) = act.slam_down
        && table.open_slam(seat).is_some()
    {
        steps.push(table.play(seat, &Action::Slam { first }, Cause::Player)?);
    }
    Ok(steps)
}

/// Whether nothing has happened since that an action could not know: nothing in play, or, if it answers a question that
/// several are asked, only other answers to it.
async fn still_fits(connection: &AsyncPgConnection, table: &Table, act: &Act) -> Result<bool, ServiceError> {
    let rows = action_list(connection, table.id(), act.expected_version, table.version, RECENT_LIMIT).await?;
    let since = i64::from(table.version) - i64::from(act.expected_version);
    let all = since == i64::try_from(rows.len()).unwrap_or_default();
    let answers = ["challenge", "expose", "stay"];
    let fits = |row: &ActionRow| {
        row.kind != KIND_STARTED
            && (!row.is_action() || act.is_answer() && answers.contains(&row.detail.as_str()))
    };
    Ok(all && rows.iter().all(fits))
}

async fn conflict(connection: &AsyncPgConnection, table: &Table, act: &Act) -> Result<Answer, ServiceError> {
    let view = view_since(connection, table, act.account, act.expected_version).await?;
    Err(ServiceError::VersionConflict(Box::new(view)))
}

impl Act {
    /// What is stored of its key.
    pub(super) fn stored_key(&self) -> (i64, i32) {
        (self.key.hash(self.account), self.key.fingerprint)
    }

    /// Whether it answers a question that several players are asked at once, in any order.
    fn is_answer(&self) -> bool {
        matches!(self.action, Action::Challenge | Action::Expose | Action::Swap | Action::Stay)
    }
}
