//! Changes of `accounts` rows by their owners: password, profile, claim of a guest account.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::AccountId;

use crate::accounts::account_rows::{AccountRow, KIND_PERSON};
use crate::accounts::email_codes::email_code_void_resets_in_txn;
use crate::error::StoreError;
use crate::kernel::clock::clock_timestamp;
use crate::schema::accounts;

/// Profile changes of an account: an outer none leaves a field as it is, an inner none clears it.
#[derive(Clone, Default, AsChangeset)]
#[diesel(table_name = accounts)]
pub struct AccountChange {
    /// Display name.
    pub display_name: Option<Option<String>>,
    /// Skeleton of the display name, for comparing lookalikes.
    pub display_skeleton: Option<Option<String>>,
    /// Tag of the language.
    pub language: Option<&'static str>,
    /// IANA time zone name.
    pub time_zone: Option<Option<String>>,
}

/// Sets the password of a locked account, and voids the codes to reset it.
///
/// # Errors
/// Any database error.
pub async fn account_password_update_in_txn(
    mut connection: &AsyncPgConnection,
    id: AccountId,
    password_hash: &str,
) -> Result<(), StoreError> {
    diesel::update(accounts::table.find(id.0))
        .set(accounts::password_hash.eq(password_hash))
        .execute(&mut connection)
        .await?;
    email_code_void_resets_in_txn(connection, id).await
}

/// Updates the profile of a locked account; at least one field must change.
///
/// # Errors
/// `Taken` if the display name is in use.
pub async fn account_update_in_txn(
    mut connection: &AsyncPgConnection,
    id: AccountId,
    change: &AccountChange,
) -> Result<AccountRow, StoreError> {
    // Instances that show the old display name learn of it from `rename_list`.
    let renamed = change.display_name.is_some();
    let renamed_at = renamed.then(|| accounts::renamed_at.eq(clock_timestamp().nullable()));
    Ok(diesel::update(accounts::table.find(id.0))
        .set((change.clone(), renamed_at))
        .returning(AccountRow::as_returning())
        .get_result(&mut connection)
        .await?)
}

/// Turns a locked guest account into a person.
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

/// Takes shared locks on these accounts until the end of the transaction: waits for concurrent changes and
/// blocks new ones.
///
/// # Errors
/// `Busy` if the lock is not acquired within three seconds.
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
