//! Past versions of a match, from its log. This is how an answer is given a second time, byte for byte, without
//! having been stored.

use std::collections::HashMap;

use diesel_async::AsyncPgConnection;
use uuid::Uuid;
use yaniv_engine::Seat;

use super::ServiceError;
use super::table::{Player, Table};
use super::view::{LogEntry, MatchView, stored_action};
use crate::ids::{AccountId, MatchId};
use crate::store::StoreError;
use crate::store::accounts::username_map;
use crate::store::actions::{ActionRow, action_list};
use crate::store::idempotency::{KeyRow, key_find};

/// Names of accounts.
pub(super) type Names = HashMap<Uuid, String>;

/// The key that a client gives a write, and what the write asks for.
#[derive(Clone, Debug)]
pub struct IdempotencyKey {
    /// 16 to 64 printable characters.
    pub key: String,
    /// Of operation, match and body.
    pub fingerprint: [u8; 16],
}

/// The answer of a write.
#[derive(Debug)]
pub struct Answer {
    /// The match after it.
    pub view: MatchView,
    /// Whether the write had happened before, by the same key.
    pub replayed: bool,
}

/// The answer that a key has had, if it has had one.
///
/// # Errors
/// `KeyReused` if it was another request's.
pub(super) async fn find(
    connection: &AsyncPgConnection,
    account: AccountId,
    key: &IdempotencyKey,
) -> Result<Option<Answer>, ServiceError> {
    match key_find(connection, account, &key.key).await? {
        None => Ok(None),
        Some(row) => answer(connection, account, key, &row).await.map(Some),
    }
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
    let (table, rows, names) = at_version(connection, MatchId(row.match_id), row.version).await?;
    let made = usize::try_from(row.entries).unwrap_or(1);
    let rows = rows.get(rows.len().saturating_sub(made)..).unwrap_or_default();
    let entries = LogEntry::all_for_viewer(rows, &names, &table, account)?;
    Ok(Answer { view: MatchView::new(&table, account, entries), replayed: true })
}

/// A match as it stood at a version, with its log up to there and the names of everybody in it.
async fn at_version(
    connection: &AsyncPgConnection,
    id: MatchId,
    version: i32,
) -> Result<(Table, Vec<ActionRow>, Names), ServiceError> {
    let (now, _) = Table::load(connection, id, None).await?.ok_or(ServiceError::MatchNotFound)?;
    let rows = action_list(connection, id, 0, version, i64::MAX).await?;
    let names = names_of(connection, &rows).await?;
    let mut table = Table::empty(now.row)?;
    // What was dedicated at this version came after the answer that is given again.
    table.gifts = now.gifts.into_iter().filter(|gift| gift.after_version < version).collect();
    for row in &rows {
        fold(&mut table, row, &names)?;
    }
    if table.version != version {
        return Err(StoreError::Damaged(format!("log of {id} ends before {version}")).into());
    }
    Ok((table, rows, names))
}

/// The names of everybody in these rows.
///
/// # Errors
/// Those of the database.
pub(super) async fn names_of(
    connection: &AsyncPgConnection,
    rows: &[ActionRow],
) -> Result<Names, ServiceError> {
    let mut ids: Vec<Uuid> = rows.iter().map(|row| row.account_id).collect();
    ids.sort_unstable();
    ids.dedup();
    Ok(username_map(connection, &ids).await?)
}

fn fold(table: &mut Table, row: &ActionRow, names: &Names) -> Result<(), ServiceError> {
    let account = AccountId(row.account_id);
    match row.kind.as_str() {
        "joined" => {
            let player = Player {
                account,
                username: names.get(&row.account_id).cloned().unwrap_or_default(),
                client_seed: row.detail.clone(),
                stored_seat: 0,
            };
            table.join(player, row.at);
        }
        "left" => table.leave(account, row.at),
        "started" => table.start(row.at)?,
        _ => {
            let seat = row.seat.and_then(|seat| u8::try_from(seat).ok()).map(Seat::new);
            let seat = seat.ok_or_else(|| StoreError::Damaged(format!("seat of {}", row.version)))?;
            let step = table.play(seat, &stored_action(row)?).map_err(ServiceError::internal)?;
            table.stamp(&step, row.at);
        }
    }
    Ok(())
}
