//! Rows of `email_codes`: codes sent to mailboxes. The form of a code is in the application layer.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::AccountId;

use crate::error::StoreError;
use crate::kernel::clock::clock_timestamp;
use crate::schema::{channels, email_codes};

/// `purpose`: the code proves access to the mailbox.
pub const VERIFY_EMAIL: &str = "verify_email";
/// `purpose`: the code sets a new password, once.
pub const RESET_PASSWORD: &str = "reset_password";

/// `purpose`: the code takes a former address back.
pub const EMAIL_REMOVED: &str = "email_removed";

/// A code as it is stored.
#[derive(Clone, Insertable)]
#[diesel(table_name = email_codes)]
pub struct EmailCodeRow {
    /// Hash of the code.
    pub hash: Vec<u8>,
    /// The channel to which it is sent.
    pub channel_id: Uuid,
    /// `VERIFY_EMAIL`, `RESET_PASSWORD` or `EMAIL_REMOVED`.
    pub purpose: &'static str,
    /// When it expires.
    pub expires_at: DateTime<Utc>,
}

/// Stores a code.
///
/// # Errors
/// Any database error.
pub async fn email_code_insert(
    mut connection: &AsyncPgConnection,
    row: &EmailCodeRow,
) -> Result<(), StoreError> {
    diesel::insert_into(email_codes::table).values(row.clone()).execute(&mut connection).await?;
    Ok(())
}

/// The channel of a code that has not expired.
///
/// # Errors
/// Any database error.
pub async fn email_code_find(
    mut connection: &AsyncPgConnection,
    hash: &[u8],
    purpose: &str,
) -> Result<Option<Uuid>, StoreError> {
    Ok(email_codes::table
        .find(hash)
        .filter(email_codes::purpose.eq(purpose))
        .filter(email_codes::expires_at.gt(clock_timestamp()))
        .select(email_codes::channel_id)
        .first(&mut connection)
        .await
        .optional()?)
}

/// Voids the codes to reset the password of an account.
///
/// # Errors
/// Any database error.
pub(crate) async fn email_code_void_resets_in_txn(
    mut connection: &AsyncPgConnection,
    account: AccountId,
) -> Result<(), StoreError> {
    let own = channels::table.filter(channels::account_id.eq(account.0)).select(channels::id);
    let resets = email_codes::table
        .filter(email_codes::purpose.eq(RESET_PASSWORD))
        .filter(email_codes::channel_id.eq_any(own));
    diesel::delete(resets).execute(&mut connection).await?;
    Ok(())
}

/// Deletes expired codes.
///
/// # Errors
/// Any database error.
pub async fn email_code_forget(mut connection: &AsyncPgConnection) -> Result<(), StoreError> {
    diesel::delete(email_codes::table.filter(email_codes::expires_at.lt(clock_timestamp())))
        .execute(&mut connection)
        .await?;
    Ok(())
}
