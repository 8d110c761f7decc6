//! Bots in `accounts`, by owner. House bots are in `house_bots`.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use yaniv_model::ids::AccountId;

use crate::accounts::account_rows::AccountRow;
use crate::error::StoreError;
use crate::schema::accounts;

/// Bots of an owner, by name.
///
/// # Errors
/// Any database error.
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

/// Finds and locks a bot of this owner.
///
/// # Errors
/// `Busy` if the lock is not acquired in time.
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
