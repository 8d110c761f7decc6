//! Rows of `pairing_keys`: which request to be paired a key has made or met, and when it was answered.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::error::StoreError;
use super::schema::pairing_keys;
use crate::ids::AccountId;

/// What a key has done.
#[derive(Clone, Copy, Debug, Queryable, Selectable, Insertable)]
#[diesel(table_name = pairing_keys)]
pub struct PairingKeyRow {
    /// Whose key.
    pub account_id: Uuid,
    /// Hash of account and key.
    pub key_hash: i64,
    /// Of operation and body.
    pub fingerprint: i32,
    /// The request that was answered.
    pub pairing_id: Uuid,
    /// When it was answered.
    pub at: DateTime<Utc>,
}

/// Finds what a key of this account has done.
///
/// # Errors
/// Only those of the database.
pub async fn pairing_key_find(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    key_hash: i64,
) -> Result<Option<PairingKeyRow>, StoreError> {
    Ok(pairing_keys::table
        .find((account.0, key_hash))
        .select(PairingKeyRow::as_select())
        .first(&mut connection)
        .await
        .optional()?)
}

/// Stores a key, inside the transaction of its request.
///
/// # Errors
/// `Taken("pairing_keys_pkey")` if a twin was faster.
pub async fn pairing_key_insert_in_txn(
    mut connection: &AsyncPgConnection,
    row: &PairingKeyRow,
) -> Result<(), StoreError> {
    diesel::insert_into(pairing_keys::table).values(row).execute(&mut connection).await?;
    Ok(())
}
