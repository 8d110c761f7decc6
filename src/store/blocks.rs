//! Rows of `blocks`: who has blocked whom. A block keeps two people apart in both directions.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::accounts::KIND_BOT;
use super::error::StoreError;
use super::schema::{accounts, blocks};
use crate::ids::AccountId;

/// Somebody who is blocked.
#[derive(Clone, Debug, Queryable)]
pub struct BlockedRow {
    /// The account's name.
    pub username: String,
    /// Whether it is a bot.
    pub bot: bool,
    /// Since when.
    pub created_at: DateTime<Utc>,
}

/// Those of some accounts that one must not meet: who has blocked it, or is blocked by it.
///
/// # Errors
/// Only those of the database.
pub async fn apart_list(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    others: &[Uuid],
) -> Result<Vec<Uuid>, StoreError> {
    if others.is_empty() {
        return Ok(Vec::new());
    }
    let mine = blocks::blocker_id.eq(account.0).and(blocks::blocked_id.eq_any(others));
    let theirs = blocks::blocked_id.eq(account.0).and(blocks::blocker_id.eq_any(others));
    let rows: Vec<(Uuid, Uuid)> = blocks::table
        .filter(mine.or(theirs))
        .select((blocks::blocker_id, blocks::blocked_id))
        .load(&mut connection)
        .await?;
    let other = |(blocker, blocked): (Uuid, Uuid)| if blocker == account.0 { blocked } else { blocker };
    Ok(rows.into_iter().map(other).collect())
}

/// Blocks somebody; blocked again, it stays as it is.
///
/// # Errors
/// Only those of the database.
pub async fn block_insert_in_txn(
    mut connection: &AsyncPgConnection,
    blocker: AccountId,
    blocked: AccountId,
) -> Result<(), StoreError> {
    diesel::insert_into(blocks::table)
        .values((blocks::blocker_id.eq(blocker.0), blocks::blocked_id.eq(blocked.0)))
        .on_conflict_do_nothing()
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Those of some accounts who have blocked another of them, the oldest block first.
///
/// # Errors
/// Only those of the database.
pub async fn blocker_list(
    mut connection: &AsyncPgConnection,
    accounts: &[Uuid],
) -> Result<Vec<Uuid>, StoreError> {
    Ok(blocks::table
        .filter(blocks::blocker_id.eq_any(accounts))
        .filter(blocks::blocked_id.eq_any(accounts))
        .order((blocks::created_at, blocks::blocker_id))
        .select(blocks::blocker_id)
        .load(&mut connection)
        .await?)
}

/// Takes a block back, if there is one.
///
/// # Errors
/// Only those of the database.
pub async fn block_delete(
    mut connection: &AsyncPgConnection,
    blocker: AccountId,
    blocked: AccountId,
) -> Result<(), StoreError> {
    diesel::delete(blocks::table.find((blocker.0, blocked.0))).execute(&mut connection).await?;
    Ok(())
}

/// Whom somebody has blocked, by name, after a name.
///
/// # Errors
/// Only those of the database.
pub async fn block_list(
    mut connection: &AsyncPgConnection,
    blocker: AccountId,
    after: &str,
    limit: i64,
) -> Result<Vec<BlockedRow>, StoreError> {
    Ok(blocks::table
        .inner_join(accounts::table.on(accounts::id.eq(blocks::blocked_id)))
        .filter(blocks::blocker_id.eq(blocker.0))
        .filter(accounts::username.gt(after))
        .order(accounts::username)
        .limit(limit)
        .select((accounts::username, accounts::kind.eq(KIND_BOT), blocks::created_at))
        .load(&mut connection)
        .await?)
}
