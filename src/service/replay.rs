//! Past versions of a match, from its log. This is how an answer is given a second time, byte for byte, without
//! having been stored.

use std::collections::HashMap;
use std::sync::Arc;

use diesel_async::AsyncPgConnection;
use sha2::{Digest, Sha256};
use uuid::Uuid;
use yaniv_engine::Seat;

use super::ServiceError;
use super::calendar_detail::calendar_from_detail;
use super::cause::Cause;
use super::clocks::LedgerLine;
use super::house_bots::level_of;
use super::join_code::JoinCode;
use super::settled::Player;
use super::table::{Step, Table};
use super::table_start::calendars_from_detail;
use super::view::{LogEntry, MatchView, stored_action};
use crate::ids::{AccountId, MatchId};
use crate::store::StoreError;
use crate::store::accounts::{AccountName, username_map};
use crate::store::actions::{
    ActionRow, KIND_CALENDAR, KIND_CLOCK, KIND_CODE, KIND_HELD, KIND_JOINED, KIND_LEFT, KIND_NO_CODE,
    KIND_NUDGED, KIND_RETURNED, KIND_STARTED, KeyRow, action_list,
};
use crate::store::matches::match_find;

/// Names of accounts.
pub(super) type Names = HashMap<Uuid, AccountName>;

/// The key that a client gives a write, and what the write asks for.
#[derive(Clone, Debug)]
pub struct IdempotencyKey {
    /// 16 to 64 printable characters.
    pub key: String,
    /// Of operation, match and body.
    pub fingerprint: i32,
}

impl IdempotencyKey {
    /// What is stored of it: with the account, so that nobody's key can be anybody else's.
    pub fn hash(&self, account: AccountId) -> i64 {
        let hash: [u8; 32] =
            Sha256::new().chain_update(account.0.as_bytes()).chain_update(&self.key).finalize().into();
        i64::from_be_bytes(hash.first_chunk().copied().unwrap_or_default())
    }
}

/// The answer of a write.
#[derive(Debug)]
pub struct Answer {
    /// The match after it.
    pub view: MatchView,
    /// Whether the write had happened before, by the same key.
    pub replayed: bool,
}

/// The answer that belongs to a stored key.
///
/// # Errors
/// `KeyReused` if the key was another request's.
pub(super) async fn answer(
    connection: &AsyncPgConnection,
    account: AccountId,
    key: &IdempotencyKey,
    row: &KeyRow,
) -> Result<Answer, ServiceError> {
    if row.fingerprint != key.fingerprint {
        return Err(ServiceError::KeyReused);
    }
    let (table, rows, names) = at_version(connection, row.match_id, row.version).await?;
    let rows = rows.get(rows.len().saturating_sub(row.entries)..).unwrap_or_default();
    let entries = LogEntry::all_for_viewer(rows, &names, &table, account)?;
    Ok(Answer { view: MatchView::new(&table, account, entries), replayed: true })
}

/// What changed the clocks of a match up to a version.
///
/// # Errors
/// Those of the database, and stored data that is damaged.
pub(super) async fn ledger(
    connection: &AsyncPgConnection,
    id: MatchId,
    version: i32,
) -> Result<Vec<LedgerLine>, ServiceError> {
    let now = Table::load(connection, id).await?.ok_or(ServiceError::MatchNotFound)?;
    let rows = action_list(connection, id, 0, version, i64::MAX).await?;
    let names = names_of(connection, &rows).await?;
    let mut table = now.at_the_beginning();
    table.ledger = Some(Vec::new());
    for row in &rows {
        fold(&mut table, row, &names)?;
    }
    Ok(table.ledger.unwrap_or_default())
}

/// A match as it stood at a version, with its log up to there and the names of everybody in it.
async fn at_version(
    connection: &AsyncPgConnection,
    id: MatchId,
    version: i32,
) -> Result<(Table, Vec<ActionRow>, Names), ServiceError> {
    let now = Table::load(connection, id).await?.ok_or(ServiceError::MatchNotFound)?;
    let rows = action_list(connection, id, 0, version, i64::MAX).await?;
    let names = names_of(connection, &rows).await?;
    let mut table = now.at_the_beginning();
    // What was dedicated at this version came after the answer that is given again.
    let gifts = now.gifts.iter().filter(|gift| gift.after_version < version);
    table.gifts = Arc::new(gifts.cloned().collect());
    for row in &rows {
        fold(&mut table, row, &names)?;
    }
    if table.version != version {
        return Err(StoreError::Damaged(format!("log of {id} ends before {version}")).into());
    }
    Ok((table, rows, names))
}

/// A match as its whole log says, and nothing else but what was settled when it was created.
///
/// # Errors
/// Those of the database, and stored data that is damaged.
pub(super) async fn from_log(connection: &AsyncPgConnection, id: MatchId) -> Result<Table, ServiceError> {
    let (settled, _) = match_find(connection, id).await?.ok_or(ServiceError::MatchNotFound)?;
    let rows = action_list(connection, id, 0, i32::MAX, i64::MAX).await?;
    let names = names_of(connection, &rows).await?;
    let mut table = Table::empty(&settled)?;
    for row in &rows {
        fold(&mut table, row, &names)?;
    }
    Ok(table)
}

/// The names of those in these rows who did something before play; in play the seat says who it was.
///
/// # Errors
/// Those of the database.
pub(super) async fn names_of(
    connection: &AsyncPgConnection,
    rows: &[ActionRow],
) -> Result<Names, ServiceError> {
    let mut ids: Vec<Uuid> = rows.iter().filter_map(|row| row.account_id).collect();
    if ids.is_empty() {
        return Ok(Names::new());
    }
    ids.sort_unstable();
    ids.dedup();
    Ok(username_map(connection, &ids).await?)
}

/// The names of those at a match.
pub(super) fn names_at(table: &Table) -> Names {
    let name = |player: &Player| AccountName {
        username: player.username.clone(),
        bot: player.bot,
        level: player.level.map(|level| level.to_string()),
    };
    table.players.iter().map(|player| (player.account.0, name(player))).collect()
}

/// Makes the change of an entry; what was played, if it was an action.
///
/// # Errors
/// If the entry is damaged, or cannot follow those before it.
pub(super) fn fold(table: &mut Table, row: &ActionRow, names: &Names) -> Result<Option<Step>, ServiceError> {
    let damaged = |what: &str| StoreError::Damaged(format!("{what} of {}", row.version));
    let account = row.account().ok_or_else(|| damaged("account"));
    match row.kind {
        KIND_JOINED => {
            let account = account?;
            let AccountName { username, bot, level } =
                names.get(&account.0).cloned().ok_or_else(|| damaged("account"))?;
            let (level, client_seed) = (level_of(level.as_deref()), row.detail.clone());
            let stored_seat = table.players.last().map_or(0, |last| last.stored_seat.saturating_add(1));
            let player = Player { account, username, bot, level, client_seed, stored_seat };
            table.join(player, row.at);
        }
        KIND_LEFT => table.leave(account?, row.at),
        KIND_STARTED => table.start(&calendars_from_detail(&row.detail)?, row.at)?,
        KIND_CODE => table.set_code(JoinCode::from_detail(&row.detail)?, row.at),
        KIND_NO_CODE => table.revoke_code(row.at),
        _ => {
            let seat = row.seat.and_then(|seat| u8::try_from(seat).ok()).map(Seat::new);
            return fold_in_play(table, row, seat.ok_or_else(|| damaged("seat"))?);
        }
    }
    Ok(None)
}

fn fold_in_play(table: &mut Table, row: &ActionRow, seat: Seat) -> Result<Option<Step>, ServiceError> {
    match row.kind {
        KIND_HELD => table.hold(seat, row.at),
        KIND_RETURNED => table.give_back(seat, row.at),
        KIND_NUDGED => table.pass_by(row.at),
        KIND_CALENDAR => {
            let (calendar, change) = calendar_from_detail(&row.detail)?;
            table.set_calendar(seat, calendar, change, row.at);
        }
        KIND_CLOCK => {
            let by =
                row.detail.parse().map_err(|_| StoreError::Damaged(format!("clock of {}", row.version)))?;
            table.move_clock(by, row.at);
        }
        _ => {
            let step = table
                .play(seat, &stored_action(row)?, Cause::of(row.flags))
                .map_err(ServiceError::internal)?;
            table.stamp(&step, row.at);
            return Ok(Some(step));
        }
    }
    Ok(None)
}
