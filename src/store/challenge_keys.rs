//! Rows of `challenge_keys`: which challenge a key has made or met, and when it was answered.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::error::StoreError;
use super::schema::challenge_keys;
use crate::ids::AccountId;

/// What a key has done.
#[derive(Clone, Copy, Debug, Queryable, Selectable, Insertable)]
#[diesel(table_name = challenge_keys)]
pub struct ChallengeKeyRow {
    /// Whose key.
    pub account_id: Uuid,
    /// Hash of account and key.
    pub key_hash: i64,
    /// Of operation and body.
    pub fingerprint: i32,
    /// The challenge that was answered.
    pub challenge_id: Uuid,
    /// When it was answered.
    pub at: DateTime<Utc>,
}

/// Finds what a key of this account has done.
///
/// # Errors
/// Only those of the database.
pub async fn challenge_key_find(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    key_hash: i64,
) -> Result<Option<ChallengeKeyRow>, StoreError> {
    Ok(challenge_keys::table
        .find((account.0, key_hash))
        .select(ChallengeKeyRow::as_select())
        .first(&mut connection)
        .await
        .optional()?)
}

/// Stores a key, inside the transaction of its request.
///
/// # Errors
/// `Taken("challenge_keys_pkey")` if a twin was faster.
pub async fn challenge_key_insert_in_txn(
    mut connection: &AsyncPgConnection,
    row: &ChallengeKeyRow,
) -> Result<(), StoreError> {
    diesel::insert_into(challenge_keys::table).values(row).execute(&mut connection).await?;
    Ok(())
}
