//! Rows of `passkeys`. What a credential contains is known to the application layer.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::Value;
use uuid::Uuid;
use yaniv_model::ids::AccountId;

use crate::error::StoreError;
use crate::kernel::clock::clock_timestamp;
use crate::schema::passkeys;

/// A passkey as it is stored.
#[derive(Clone, Insertable, Queryable, Selectable)]
#[diesel(table_name = passkeys)]
pub struct PasskeyRow {
    /// Identifier.
    pub id: Uuid,
    /// The account.
    pub account_id: Uuid,
    /// Identifier of the credential.
    pub credential_id: Vec<u8>,
    /// Public key, signature counter and flags.
    pub credential: Value,
    /// Name given by the owner.
    pub name: String,
    /// When it was added.
    pub created_at: DateTime<Utc>,
    /// Newest log-in.
    pub last_used_at: Option<DateTime<Utc>>,
}

/// Stores a passkey.
///
/// # Errors
/// `Taken("passkeys_credential_id_key")` if an account has the credential.
pub async fn passkey_insert_in_txn(
    mut connection: &AsyncPgConnection,
    row: &PasskeyRow,
) -> Result<(), StoreError> {
    diesel::insert_into(passkeys::table).values(row.clone()).execute(&mut connection).await?;
    Ok(())
}

/// The passkeys of an account, newest first.
///
/// # Errors
/// Any database error.
pub async fn passkey_list(
    mut connection: &AsyncPgConnection,
    account: AccountId,
) -> Result<Vec<PasskeyRow>, StoreError> {
    Ok(passkeys::table
        .filter(passkeys::account_id.eq(account.0))
        .order(passkeys::id.desc())
        .select(PasskeyRow::as_select())
        .load(&mut connection)
        .await?)
}

/// Finds a passkey by its identifier.
///
/// # Errors
/// Any database error.
pub async fn passkey_find(
    mut connection: &AsyncPgConnection,
    id: Uuid,
) -> Result<Option<PasskeyRow>, StoreError> {
    Ok(passkeys::table.find(id).select(PasskeyRow::as_select()).first(&mut connection).await.optional()?)
}

/// The account of a credential.
///
/// # Errors
/// Any database error.
pub async fn passkey_account(
    mut connection: &AsyncPgConnection,
    credential_id: &[u8],
) -> Result<Option<AccountId>, StoreError> {
    let account =
        passkeys::table.filter(passkeys::credential_id.eq(credential_id)).select(passkeys::account_id);
    Ok(account.first(&mut connection).await.optional()?.map(AccountId))
}

/// Finds a passkey of an account by its credential, and locks it until the transaction ends.
///
/// # Errors
/// `Busy` if the lock is not acquired in time.
pub async fn passkey_lock_in_txn(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    credential_id: &[u8],
) -> Result<Option<PasskeyRow>, StoreError> {
    Ok(passkeys::table
        .filter(passkeys::credential_id.eq(credential_id))
        .filter(passkeys::account_id.eq(account.0))
        .for_update()
        .select(PasskeyRow::as_select())
        .first(&mut connection)
        .await
        .optional()?)
}

/// Records a log-in with a locked passkey.
///
/// # Errors
/// Any database error.
pub async fn passkey_use_in_txn(
    mut connection: &AsyncPgConnection,
    id: Uuid,
    credential: &Value,
) -> Result<(), StoreError> {
    diesel::update(passkeys::table.find(id))
        .set((passkeys::credential.eq(credential), passkeys::last_used_at.eq(clock_timestamp().nullable())))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Deletes a passkey of an account.
///
/// # Errors
/// Any database error.
pub async fn passkey_delete_in_txn(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    id: Uuid,
) -> Result<(), StoreError> {
    diesel::delete(passkeys::table.find(id).filter(passkeys::account_id.eq(account.0)))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Deletes all passkeys of these accounts.
///
/// # Errors
/// Any database error.
pub async fn passkey_delete_all(
    mut connection: &AsyncPgConnection,
    accounts: &[Uuid],
) -> Result<(), StoreError> {
    diesel::delete(passkeys::table.filter(passkeys::account_id.eq_any(accounts)))
        .execute(&mut connection)
        .await?;
    Ok(())
}
