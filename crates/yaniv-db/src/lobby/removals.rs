//! Rows of `removals`: accounts that a host removed from a waiting match. The log has the entries.

use chrono::{DateTime, Utc};
use diesel::dsl::{exists, not};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::{AccountId, MatchId};

use crate::error::StoreError;
use crate::schema::{accounts, removals, seats};

/// A removal as it is stored.
#[derive(Clone, Debug, Insertable)]
#[diesel(table_name = removals)]
pub struct RemovalRow {
    /// The match.
    pub match_id: Uuid,
    /// Version of the match after the removal.
    pub version: i32,
    /// The removed player.
    pub account_id: Uuid,
    /// Time of the log entry.
    pub removed_at: DateTime<Utc>,
    /// The join code at that time.
    pub code: String,
}

/// A removal as an event for the removed player.
#[derive(Clone, Debug, Queryable)]
pub struct RemovalNewsRow {
    /// The match.
    pub match_id: Uuid,
    /// Version of the match after the removal.
    pub version: i32,
    /// Time of the log entry.
    pub at: DateTime<Utc>,
    /// Name of the removed player.
    pub username: String,
}

/// Stores a removal, in a transaction that has locked the match.
///
/// # Errors
/// Any database error.
pub async fn removal_insert_in_txn(
    mut connection: &AsyncPgConnection,
    row: &RemovalRow,
) -> Result<(), StoreError> {
    diesel::insert_into(removals::table).values(row.clone()).execute(&mut connection).await?;
    Ok(())
}

/// Whether the host has removed an account from a match that had this code.
///
/// # Errors
/// Any database error.
pub async fn removal_is_there(
    mut connection: &AsyncPgConnection,
    match_id: MatchId,
    account: AccountId,
    code: &str,
) -> Result<bool, StoreError> {
    let removed = removals::table
        .filter(removals::match_id.eq(match_id.0))
        .filter(removals::account_id.eq(account.0))
        .filter(removals::code.eq(code));
    Ok(diesel::select(exists(removed)).get_result(&mut connection).await?)
}

/// Deletes the removals of these accounts.
///
/// # Errors
/// Any database error.
pub async fn removal_delete_all(
    mut connection: &AsyncPgConnection,
    accounts: &[Uuid],
) -> Result<(), StoreError> {
    diesel::delete(removals::table.filter(removals::account_id.eq_any(accounts)))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Removals of an account from a time on, oldest first, at most `limit`.
///
/// Without those from matches in which it has a seat again: there the log has the removal.
///
/// # Errors
/// Any database error.
pub async fn removal_list(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    from: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<RemovalNewsRow>, StoreError> {
    let seat = seats::table.find((removals::match_id, removals::account_id));
    Ok(removals::table
        .inner_join(accounts::table)
        .filter(removals::account_id.eq(account.0))
        .filter(removals::removed_at.ge(from))
        .filter(not(exists(seat)))
        .order((removals::removed_at, removals::match_id, removals::version))
        .select((removals::match_id, removals::version, removals::removed_at, accounts::username))
        .limit(limit)
        .load(&mut connection)
        .await?)
}
