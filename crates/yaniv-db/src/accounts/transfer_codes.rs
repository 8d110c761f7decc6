//! Rows of `transfer_codes`: codes by which another device logs in. The form of a code is in the application
//! layer.

use chrono::{DateTime, Utc};
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::AccountId;

use crate::error::StoreError;
use crate::kernel::clock::clock_timestamp;
use crate::schema::{sessions, transfer_codes};

/// A code as it is stored.
#[derive(Clone, Insertable)]
#[diesel(table_name = transfer_codes)]
pub struct TransferCodeRow {
    /// The session that created it.
    pub session_id: Uuid,
    /// Hash of the code.
    pub hash: Vec<u8>,
    /// When it expires.
    pub expires_at: DateTime<Utc>,
}

/// Stores a code, in the place of an earlier one of the session.
///
/// # Errors
/// Any database error.
pub async fn transfer_code_put_in_txn(
    mut connection: &AsyncPgConnection,
    row: &TransferCodeRow,
) -> Result<(), StoreError> {
    diesel::insert_into(transfer_codes::table)
        .values(row.clone())
        .on_conflict(transfer_codes::session_id)
        .do_update()
        .set((transfer_codes::hash.eq(&row.hash), transfer_codes::expires_at.eq(row.expires_at)))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// The account of a code, which may have expired.
///
/// # Errors
/// Any database error.
pub async fn transfer_code_account(
    mut connection: &AsyncPgConnection,
    hash: &[u8],
) -> Result<Option<AccountId>, StoreError> {
    let account = transfer_codes::table
        .inner_join(sessions::table.on(sessions::id.eq(transfer_codes::session_id)))
        .filter(transfer_codes::hash.eq(hash))
        .select(sessions::account_id);
    Ok(account.first(&mut connection).await.optional()?.map(AccountId))
}

/// Uses a code up. Returns whether it was valid: not expired, and its session open.
///
/// Of several transactions one gets it; the others wait for its end.
///
/// # Errors
/// Any database error.
pub async fn transfer_code_take_in_txn(
    mut connection: &AsyncPgConnection,
    hash: &[u8],
) -> Result<bool, StoreError> {
    let open = sessions::table
        .filter(sessions::id.eq(transfer_codes::session_id))
        .filter(sessions::ended_at.is_null())
        .filter(sessions::expires_at.gt(clock_timestamp()));
    let valid = transfer_codes::table
        .filter(transfer_codes::hash.eq(hash))
        .filter(transfer_codes::expires_at.gt(clock_timestamp()))
        .filter(exists(open));
    Ok(diesel::delete(valid).execute(&mut connection).await? > 0)
}

/// Deletes the codes of these accounts.
///
/// # Errors
/// Any database error.
pub async fn transfer_code_delete_all(
    mut connection: &AsyncPgConnection,
    accounts: &[Uuid],
) -> Result<(), StoreError> {
    let own = sessions::table.filter(sessions::account_id.eq_any(accounts)).select(sessions::id);
    diesel::delete(transfer_codes::table.filter(transfer_codes::session_id.eq_any(own)))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Deletes expired codes.
///
/// # Errors
/// Any database error.
pub async fn transfer_code_forget(mut connection: &AsyncPgConnection) -> Result<(), StoreError> {
    diesel::delete(transfer_codes::table.filter(transfer_codes::expires_at.lt(clock_timestamp())))
        .execute(&mut connection)
        .await?;
    Ok(())
}
