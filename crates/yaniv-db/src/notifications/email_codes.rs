//! Rows of `email_codes`: codes sent to mailboxes. The form of a code is in the application layer.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use crate::error::StoreError;
use crate::kernel::clock::clock_timestamp;
use crate::schema::{deliveries, email_codes};

/// `purpose`: the code proves access to the mailbox.
pub const VERIFY_EMAIL: &str = "verify_email";
/// `purpose`: the code sets a new password, once.
pub const RESET_PASSWORD: &str = "reset_password";

/// A code as it is stored.
#[derive(Clone, Insertable)]
#[diesel(table_name = email_codes)]
pub struct EmailCodeRow {
    /// Hash of the code.
    pub hash: Vec<u8>,
    /// The channel to which it is sent.
    pub channel_id: Uuid,
    /// `VERIFY_EMAIL` or `RESET_PASSWORD`.
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

/// Uses up the codes of a channel for a purpose. Returns whether there were any.
///
/// Of several transactions one gets them; the others wait for its end.
///
/// # Errors
/// Any database error.
pub async fn email_code_take_all_in_txn(
    mut connection: &AsyncPgConnection,
    channel: Uuid,
    purpose: &str,
) -> Result<bool, StoreError> {
    let all = email_codes::table
        .filter(email_codes::channel_id.eq(channel))
        .filter(email_codes::purpose.eq(purpose));
    Ok(diesel::delete(all).execute(&mut connection).await? > 0)
}

/// The times of the messages of a kind that a channel got within a period, the oldest first.
///
/// # Errors
/// Any database error.
pub async fn email_code_times(
    mut connection: &AsyncPgConnection,
    channel: Uuid,
    purpose: &str,
    since: DateTime<Utc>,
) -> Result<Vec<DateTime<Utc>>, StoreError> {
    Ok(deliveries::table
        .filter(deliveries::channel_id.eq(channel))
        .filter(deliveries::kind.eq(purpose))
        .filter(deliveries::happened_at.gt(since))
        .order(deliveries::happened_at)
        .select(deliveries::happened_at)
        .load(&mut connection)
        .await?)
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
