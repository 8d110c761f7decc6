//! Actions in play: the only place where a match that has started changes.

use diesel_async::AsyncPgConnection;
use yaniv_engine::{Action, RecordResult, Seat};

use super::replay::{self, Answer, IdempotencyKey};
use super::status::Status;
use super::table::{Step, Table};
use super::view::{LogEntry, MatchView, outcome_flags};
use super::{ServiceError, Services};
use crate::ids::{AccountId, MatchId};
use crate::store::StoreError;
use crate::store::action_save::{ActionSave, EndedRound, SavedEntry, action_save};
use crate::store::actions::{ActionRow, FLAG_ENDED_MATCH, FLAG_ENDED_ROUND, FLAG_RECYCLED, action_list};
use crate::store::matches::match_lock;

/// Entries of the log that come with a view at most; `history` has the rest.
pub(super) const RECENT_LIMIT: i64 = 100;

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

impl Services {
    /// Plays an action: once, whatever happens on the way, and with the same answer however often it is asked.
    ///
    /// # Errors
    /// `MatchNotFound`, `KeyReused`, `NotStarted`, `VersionConflict`, `Rejected`; `Busy`, `Unavailable` and
    /// `OutcomeUnknown`, after which the same request may be sent again.
    pub async fn act(&self, act: Act) -> Result<Answer, ServiceError> {
        self.durably(true, move |connection, lost| {
            let act = act.clone();
            async move { try_act(&connection, &act, lost).await }
        })
        .await
    }

    /// The match as the caller may see it now, with what happened after a version.
    ///
    /// # Errors
    /// `MatchNotFound` unless the caller has a seat.
    pub async fn match_view(
        &self,
        account: AccountId,
        id: MatchId,
        since: Option<i32>,
    ) -> Result<MatchView, ServiceError> {
        let connection = self.store.connection().await?;
        let table = load_for(&connection, account, id).await?;
        view_since(&connection, &table, account, since).await
    }
}

/// The only way to a match: opens it to those who have a seat, and to nobody else.
///
/// # Errors
/// `MatchNotFound`, whether there is none or the caller has no seat.
pub(super) async fn load_for(
    connection: &AsyncPgConnection,
    account: AccountId,
    id: MatchId,
) -> Result<Table, ServiceError> {
    let (table, _) = Table::load(connection, id, None).await?.ok_or(ServiceError::MatchNotFound)?;
    if table.seat_of(account).is_none() {
        return Err(ServiceError::MatchNotFound);
    }
    Ok(table)
}

async fn view_since(
    connection: &AsyncPgConnection,
    table: &Table,
    account: AccountId,
    since: Option<i32>,
) -> Result<MatchView, ServiceError> {
    let rows = match since {
        Some(since) => {
            // If more has happened, the newest of it: `history` has the rest.
            let after = i64::from(since).max(i64::from(table.version) - RECENT_LIMIT);
            let after = i32::try_from(after).unwrap_or(since);
            action_list(connection, table.id(), after, table.version, RECENT_LIMIT).await?
        }
        None => Vec::new(),
    };
    let names = replay::names_of(connection, &rows).await?;
    Ok(MatchView::new(table, account, LogEntry::all_for_viewer(&rows, &names, table, account)?))
}

/// How often an answer that others may give at the same time is tried.
const ANSWER_TRIES: u32 = 10;

async fn try_act(connection: &AsyncPgConnection, act: &Act, lost: bool) -> Result<Answer, ServiceError> {
    if lost {
        match_lock(connection, act.match_id).await?;
    }
    for _ in 0..ANSWER_TRIES {
        match try_once(connection, act).await? {
            Some(answer) => return Ok(answer),
            None if act.is_answer() => {}
            None => break,
        }
    }
    let table = load_for(connection, act.account, act.match_id).await?;
    conflict(connection, &table, act).await
}

/// One load, one decision, one save; nothing if another write came between.
async fn try_once(connection: &AsyncPgConnection, act: &Act) -> Result<Option<Answer>, ServiceError> {
    let asked = Some((act.account, act.key.key.as_str()));
    let (mut table, known) =
        Table::load(connection, act.match_id, asked).await?.ok_or(ServiceError::MatchNotFound)?;
    let seat = table.seat_of(act.account).ok_or(ServiceError::MatchNotFound)?;
    if let Some(row) = known {
        return replay::answer(connection, act.account, &act.key, &row).await.map(Some);
    }
    if table.game.is_none() {
        return Err(ServiceError::NotStarted);
    }
    let stale = table.status == Status::Running && table.version != act.expected_version;
    if stale && !(act.is_answer() && only_answers_since(connection, &table, act.expected_version).await?) {
        return conflict(connection, &table, act).await.map(Some);
    }
    let steps = play(&mut table, seat, act)?;
    match save(connection, &mut table, act, seat, &steps).await {
        Ok(Some(rows)) => {
            let username = table.players.get(seat.index()).map(|player| player.username.clone());
            let names = [(act.account.0, username.unwrap_or_default())].into();
            let entries = LogEntry::all_for_viewer(&rows, &names, &table, act.account)?;
            Ok(Some(Answer { view: MatchView::new(&table, act.account, entries), replayed: false }))
        }
        // Another write was first: perhaps this one's twin.
        Ok(None) | Err(StoreError::Taken(_)) => replay::find(connection, act.account, &act.key).await,
        Err(error) => Err(error.into()),
    }
}

/// Plays the action and, where that is wished and fits, the slam-down after it.
fn play(table: &mut Table, seat: Seat, act: &Act) -> Result<Vec<Step>, ServiceError> {
    let mut steps = vec![table.play(seat, &act.action)?];
    if let Some(first) = act.slam_down
        && table.open_slam(seat).is_some()
    {
        steps.push(table.play(seat, &Action::Slam { first })?);
    }
    Ok(steps)
}

/// Whether nothing has happened since but answers to the same question: then another answer is not too late.
async fn only_answers_since(
    connection: &AsyncPgConnection,
    table: &Table,
    version: i32,
) -> Result<bool, ServiceError> {
    let rows = action_list(connection, table.id(), version, table.version, RECENT_LIMIT).await?;
    let all = i64::from(table.version) - i64::from(version) == i64::try_from(rows.len()).unwrap_or_default();
    Ok(all && rows.iter().all(|row| ["challenge", "expose", "stay"].contains(&row.detail.as_str())))
}

async fn conflict(connection: &AsyncPgConnection, table: &Table, act: &Act) -> Result<Answer, ServiceError> {
    let view = view_since(connection, table, act.account, Some(act.expected_version)).await?;
    Err(ServiceError::VersionConflict(Box::new(view)))
}

/// Writes everything that the steps changed, if the version is still the one read; answers the entries of the log.
async fn save(
    connection: &AsyncPgConnection,
    table: &mut Table,
    act: &Act,
    seat: Seat,
    steps: &[Step],
) -> Result<Option<Vec<ActionRow>>, StoreError> {
    let damaged = |what: &str| StoreError::Damaged(what.to_owned());
    let game = table.game.as_ref().ok_or_else(|| damaged("a match in play without a position"))?;
    let last = steps.last().ok_or_else(|| damaged("nothing was played"))?;
    let result = last.played.round_ended.as_ref().and_then(|end| end.result.as_ref());
    let result = result.map(|result| serde_json::to_value(RecordResult::from(result)));
    let result = result.transpose().map_err(|_| damaged("a result that cannot be written"))?;
    let entries: Vec<SavedEntry> = steps.iter().map(entry).collect();
    let save = ActionSave {
        match_id: act.match_id.0,
        read_version: table.version - i32::try_from(steps.len()).map_err(|_| damaged("steps"))?,
        state: &game.to_bytes(),
        waiting_on: table.waiting_on(),
        finished: table.status == Status::Finished,
        account_id: act.account.0,
        seat: i16::from(seat.number()),
        round: i16::try_from(last.played.round).map_err(|_| damaged("round"))?,
        entries: &entries,
        key: &act.key.key,
        fingerprint: &act.key.fingerprint,
        ended: last
            .played
            .round_ended
            .as_ref()
            .map(|_| EndedRound { starter: i16::from(last.starter.number()), result: result.as_ref() }),
    };
    let Some(at) = action_save(connection, &save).await? else { return Ok(None) };
    table.stamp(last, at);
    Ok(Some(save.rows(at)))
}

fn entry(step: &Step) -> SavedEntry {
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

impl Act {
    /// Whether it answers a question that several players are asked at once, in any order.
    fn is_answer(&self) -> bool {
        matches!(self.action, Action::Challenge | Action::Expose | Action::Swap | Action::Stay)
    }
}
