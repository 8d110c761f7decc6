//! Actions in play: the only place where a match that has started changes.

use diesel_async::AsyncPgConnection;
use yaniv_engine::RecordResult;
use yaniv_engine::{Action, Played, Seat};

use super::replay::{self, Answer, IdempotencyKey};
use super::status::Status;
use super::table::Table;
use super::view::{LogEntry, MatchView};
use super::{ServiceError, Services};
use crate::store::StoreError;
use crate::store::action_save::{ActionSave, EndedRound, action_save};
use crate::store::actions::{ActionRow, FLAG_ENDED_MATCH, FLAG_ENDED_ROUND, FLAG_RECYCLED, action_list};
use crate::store::ids::{AccountId, MatchId};
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
        self.durably(move |connection, lost| {
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
        Some(since) => action_list(connection, table.id(), since, table.version, RECENT_LIMIT).await?,
        None => Vec::new(),
    };
    let names = replay::names_of(connection, &rows).await?;
    let recent = rows
        .iter()
        .map(|row| {
            let username = names.get(&row.account_id).cloned().unwrap_or_default();
            LogEntry::for_viewer(row, username, table, account)
        })
        .collect::<Result<_, _>>()?;
    MatchView::new(table, account, recent)
}

async fn try_act(connection: &AsyncPgConnection, act: &Act, lost: bool) -> Result<Answer, ServiceError> {
    if lost {
        match_lock(connection, act.match_id).await?;
    }
    let asked = Some((act.account, act.key.key.as_str()));
    let (mut table, known) =
        Table::load(connection, act.match_id, asked).await?.ok_or(ServiceError::MatchNotFound)?;
    if let Some(row) = known {
        return replay::answer(connection, act.account, &act.key, &row).await;
    }
    let seat = table.seat_of(act.account).ok_or(ServiceError::MatchNotFound)?;
    match table.status {
        Status::Waiting | Status::Cancelled => return Err(ServiceError::NotStarted),
        Status::Finished => {}
        Status::Running if table.version != act.expected_version => {
            return conflict(connection, &table, act).await;
        }
        Status::Running => {}
    }
    let (played, starter) = table.play(seat, &act.action)?;
    match save(connection, &mut table, act, seat, &played, starter).await {
        Ok(Some(row)) => {
            let entry = LogEntry::for_viewer(&row, username_at(&table, seat), &table, act.account)?;
            Ok(Answer { view: MatchView::new(&table, act.account, vec![entry])?, replayed: false })
        }
        // Another write was first: perhaps this one's twin.
        Ok(None) | Err(StoreError::Taken(_)) => {
            if let Some(answer) = replay::find(connection, act.account, &act.key).await? {
                return Ok(answer);
            }
            let table = load_for(connection, act.account, act.match_id).await?;
            conflict(connection, &table, act).await
        }
        Err(error) => Err(error.into()),
    }
}

async fn conflict(connection: &AsyncPgConnection, table: &Table, act: &Act) -> Result<Answer, ServiceError> {
    let view = view_since(connection, table, act.account, Some(act.expected_version)).await?;
    Err(ServiceError::VersionConflict(Box::new(view)))
}

/// Writes everything that the action changed, if the version is still the one read; answers the entry of the log.
async fn save(
    connection: &AsyncPgConnection,
    table: &mut Table,
    act: &Act,
    seat: Seat,
    played: &Played,
    starter: Seat,
) -> Result<Option<ActionRow>, StoreError> {
    let damaged = |what: &str| StoreError::Damaged(what.to_owned());
    let game = table.game.as_ref().ok_or_else(|| damaged("a match in play without a position"))?;
    let result = match &played.round_ended {
        Some(end) => end.result.as_ref().map(RecordResult::from).map(serde_json::to_value).transpose(),
        None => Ok(None),
    }
    .map_err(|_| damaged("a result that cannot be written"))?;
    let mut row = ActionRow {
        match_id: act.match_id.0,
        version: table.version,
        account_id: act.account.0,
        kind: "action".to_owned(),
        round: i16::try_from(played.round).map_err(|_| damaged("round"))?,
        seat: Some(i16::from(seat.number())),
        detail: act.action.to_string(),
        drew: played.drew.map(|card| i16::from(card.index())),
        flags: flags(played),
        at: table.at,
    };
    let save = ActionSave {
        match_id: act.match_id.0,
        read_version: table.version - 1,
        state: &game.to_bytes(),
        waiting_on: table.waiting_on(),
        finished: table.status == Status::Finished,
        account_id: act.account.0,
        seat: i16::from(seat.number()),
        round: row.round,
        detail: &row.detail,
        drew: row.drew,
        flags: row.flags,
        key: &act.key.key,
        fingerprint: &act.key.fingerprint,
        ended: played
            .round_ended
            .as_ref()
            .map(|_| EndedRound { starter: i16::from(starter.number()), result: result.as_ref() }),
    };
    let Some(at) = action_save(connection, &save).await? else {
        return Ok(None);
    };
    table.stamp(played, starter, at);
    row.at = at;
    Ok(Some(row))
}

fn flags(played: &Played) -> i16 {
    let flag = |set: bool, bit: i16| if set { bit } else { 0 };
    flag(played.recycled, FLAG_RECYCLED)
        | flag(played.round_ended.is_some(), FLAG_ENDED_ROUND)
        | flag(played.match_ended.is_some(), FLAG_ENDED_MATCH)
}

fn username_at(table: &Table, seat: Seat) -> String {
    table.players.get(seat.index()).map(|player| player.username.clone()).unwrap_or_default()
}
