//! Rows of `challenge_keys`: idempotency keys of challenge creation, with the challenge created or found and
//! the time of the response.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::AccountId;

use crate::error::StoreError;
use crate::schema::challenge_keys;

/// A stored idempotency key.
#[derive(Clone, Copy, Debug, Queryable, Selectable, Insertable)]
#[diesel(table_name = challenge_keys)]
pub struct ChallengeKeyRow {
    /// Account that sent the key.
    pub account_id: Uuid,
    /// Hash of account and idempotency key.
    pub key_hash: i64,
    /// Fingerprint: hash of operation and body.
    pub fingerprint: i32,
    /// The challenge in the response.
    pub challenge_id: Uuid,
    /// Time of the response.
    pub at: DateTime<Utc>,
}

/// Finds the recorded result of an idempotency key of this account.
///
/// # Errors
/// Any database error.
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

/// Stores a key, in the transaction of its request.
///
/// # Errors
/// `Taken("challenge_keys_pkey")` if a concurrent request with the same key was first.
pub async fn challenge_key_insert_in_txn(
    mut connection: &AsyncPgConnection,
    row: &ChallengeKeyRow,
) -> Result<(), StoreError> {
    diesel::insert_into(challenge_keys::table).values(row).execute(&mut connection).await?;
    Ok(())
}
