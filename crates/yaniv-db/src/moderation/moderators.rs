//! Rows of `moderators`: accounts that may have tokens with the scope `moderate`.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::Bool;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::AccountId;

use crate::error::StoreError;
use crate::kernel::clock::clock_timestamp;
use crate::schema::{accounts, moderators, personal_tokens};

/// A moderator.
#[derive(Clone, Debug, Queryable)]
pub struct ModeratorRow {
    /// Username of the account.
    pub username: String,
    /// When the account was added.
    pub added_at: DateTime<Utc>,
}

/// Identifiers of an account and its bots, as a subquery.
#[diesel::dsl::auto_type]
pub(super) fn account_with_bots(account: Uuid) -> _ {
    accounts::table.filter(accounts::id.eq(account).or(accounts::owner_id.eq(account))).select(accounts::id)
}

/// Adds a moderator; repeating it changes nothing.
///
/// # Errors
/// Any database error.
pub async fn moderator_insert_in_txn(
    mut connection: &AsyncPgConnection,
    account: AccountId,
) -> Result<(), StoreError> {
    diesel::insert_into(moderators::table)
        .values((moderators::account_id.eq(account.0), moderators::added_at.eq(clock_timestamp())))
        .on_conflict_do_nothing()
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Removes moderators, and ends their tokens with the scope; returns the ended ones.
///
/// # Errors
/// Any database error.
pub async fn moderator_delete_in_txn(
    mut connection: &AsyncPgConnection,
    ids: &[Uuid],
) -> Result<Vec<Uuid>, StoreError> {
    diesel::delete(moderators::table.filter(moderators::account_id.eq_any(ids)))
        .execute(&mut connection)
        .await?;
    let moderating = diesel::dsl::sql::<Bool>("scopes & 8 <> 0");
    let tokens = personal_tokens::table
        .filter(personal_tokens::account_id.eq_any(ids))
        .filter(personal_tokens::ended_at.is_null())
        .filter(moderating);
    Ok(diesel::update(tokens)
        .set(personal_tokens::ended_at.eq(clock_timestamp().nullable()))
        .returning(personal_tokens::id)
        .get_results(&mut connection)
        .await?)
}

/// Whether an account is a moderator. It stays one until the transaction ends.
///
/// # Errors
/// `Busy` if the lock is not acquired in time.
pub async fn moderator_hold_in_txn(
    mut connection: &AsyncPgConnection,
    account: AccountId,
) -> Result<bool, StoreError> {
    let row = moderators::table.find(account.0).for_key_share().select(moderators::account_id);
    Ok(row.first::<Uuid>(&mut connection).await.optional()?.is_some())
}

/// All moderators, by name.
///
/// # Errors
/// Any database error.
pub async fn moderator_list(mut connection: &AsyncPgConnection) -> Result<Vec<ModeratorRow>, StoreError> {
    Ok(moderators::table
        .inner_join(accounts::table)
        .order(accounts::username)
        .select((accounts::username, moderators::added_at))
        .load(&mut connection)
        .await?)
}
