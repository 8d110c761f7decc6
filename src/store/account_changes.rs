//! What owners change of their rows of `accounts`.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::accounts::{AccountRow, KIND_PERSON};
use super::clock::clock_timestamp;
use super::error::StoreError;
use super::schema::accounts;
use crate::ids::AccountId;

/// What an owner changes of an account; what is none here stays as it is, and what is none inside is taken away.
#[derive(Clone, Default, AsChangeset)]
#[diesel(table_name = accounts)]
pub struct AccountChange {
    /// Name as others are shown it.
    pub display_name: Option<Option<String>>,
    /// What that looks like.
    pub display_skeleton: Option<Option<String>>,
    /// A tag after BCP 47.
    pub language: Option<Option<String>>,
    /// A name of the IANA database.
    pub time_zone: Option<Option<String>>,
}

/// Gives a locked account another password.
///
/// # Errors
/// Only those of the database.
pub async fn account_password_update_in_txn(
    mut connection: &AsyncPgConnection,
    id: AccountId,
    password_hash: &str,
) -> Result<(), StoreError> {
    diesel::update(accounts::table.find(id.0))
        .set(accounts::password_hash.eq(password_hash))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Changes what the owner of a locked account says of it; there has to be something to change.
///
/// # Errors
/// `Taken` if the display name is in use.
pub async fn account_update_in_txn(
    mut connection: &AsyncPgConnection,
    id: AccountId,
    change: &AccountChange,
) -> Result<AccountRow, StoreError> {
    Ok(diesel::update(accounts::table.find(id.0))
        .set(change.clone())
        .returning(AccountRow::as_returning())
        .get_result(&mut connection)
        .await?)
}

/// Makes a locked guest a person.
///
/// # Errors
/// `Taken` if the name is in use.
pub async fn account_claim_in_txn(
    mut connection: &AsyncPgConnection,
    id: AccountId,
    username: &str,
    password_hash: &str,
) -> Result<AccountRow, StoreError> {
    Ok(diesel::update(accounts::table.find(id.0))
        .set((
            accounts::username.eq(username),
            accounts::password_hash.eq(password_hash),
            accounts::kind.eq(KIND_PERSON),
            accounts::renamed_at.eq(clock_timestamp().nullable()),
        ))
        .returning(AccountRow::as_returning())
        .get_result(&mut connection)
        .await?)
}

/// Waits until nobody changes these accounts, and keeps others from it until the end of the transaction.
///
/// # Errors
/// `Busy` after three seconds.
pub async fn account_share_in_txn(
    mut connection: &AsyncPgConnection,
    ids: &[Uuid],
) -> Result<(), StoreError> {
    let _: Vec<Uuid> = accounts::table
        .filter(accounts::id.eq_any(ids))
        .order(accounts::id)
        .for_share()
        .select(accounts::id)
        .load(&mut connection)
        .await?;
    Ok(())
}
