//! Rows of `blocks`: one account blocks another. A block keeps both apart in either direction.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::AccountId;

use crate::accounts::account_rows::KIND_BOT;
use crate::error::StoreError;
use crate::schema::{accounts, blocks};

/// A blocked account.
#[derive(Clone, Debug, Queryable)]
pub struct BlockedRow {
    /// Username of the account.
    pub username: String,
    /// Whether it is a bot.
    pub bot: bool,
    /// When it was blocked.
    pub created_at: DateTime<Utc>,
}

/// The accounts among these that have a block with the given account, in either direction.
///
/// # Errors
/// Any database error.
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

/// Blocks an account; repeating it changes nothing.
///
/// # Errors
/// Any database error.
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

/// The accounts among these that block another of them, oldest block first.
///
/// # Errors
/// Any database error.
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

/// The accounts among these that block the given account.
///
/// # Errors
/// Any database error.
pub async fn blocker_list_of(
    mut connection: &AsyncPgConnection,
    blocked: AccountId,
    accounts: &[AccountId],
) -> Result<Vec<Uuid>, StoreError> {
    Ok(blocks::table
        .filter(blocks::blocked_id.eq(blocked.0))
        .filter(blocks::blocker_id.eq_any(accounts.iter().map(|account| account.0)))
        .select(blocks::blocker_id)
        .load(&mut connection)
        .await?)
}

/// Deletes a block, if there is one.
///
/// # Errors
/// Any database error.
pub async fn block_delete(
    mut connection: &AsyncPgConnection,
    blocker: AccountId,
    blocked: AccountId,
) -> Result<(), StoreError> {
    diesel::delete(blocks::table.find((blocker.0, blocked.0))).execute(&mut connection).await?;
    Ok(())
}

/// A page of the accounts blocked by an account, by name, after a name.
///
/// # Errors
/// Any database error.
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
