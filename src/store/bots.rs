//! Rows of `accounts` that are bots: those of an owner.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use super::accounts::AccountRow;
use super::error::StoreError;
use super::schema::accounts;
use crate::ids::AccountId;

/// Bots of an owner, by name.
///
/// # Errors
/// Only those of the database.
pub async fn bot_list(
    mut connection: &AsyncPgConnection,
    owner: AccountId,
) -> Result<Vec<AccountRow>, StoreError> {
    Ok(accounts::table
        .filter(accounts::owner_id.eq(owner.0))
        .filter(accounts::deletion_asked_at.is_null())
        .order(accounts::username)
        .select(AccountRow::as_select())
        .load(&mut connection)
        .await?)
}

/// Finds a bot of this owner, and locks it.
///
/// # Errors
/// `Busy` if others hold it for too long.
pub async fn bot_lock(
    mut connection: &AsyncPgConnection,
    owner: AccountId,
    bot: AccountId,
) -> Result<Option<AccountRow>, StoreError> {
    Ok(accounts::table
        .find(bot.0)
        .filter(accounts::owner_id.eq(owner.0))
        .filter(accounts::deletion_asked_at.is_null())
        .for_no_key_update()
        .select(AccountRow::as_select())
        .first(&mut connection)
        .await
        .optional()?)
}
