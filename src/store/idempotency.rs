//! Rows of `idempotency_keys`: which write a key made. Rows for actions in play are written by `action_save`.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::error::StoreError;
use super::schema::idempotency_keys;
use crate::ids::AccountId;

/// What a key has done.
#[derive(Clone, Queryable, Selectable)]
#[diesel(table_name = idempotency_keys)]
pub struct KeyRow {
    /// Of operation, match and body.
    pub fingerprint: Vec<u8>,
    /// Match that was changed.
    pub match_id: Uuid,
    /// Version that the write made.
    pub version: i32,
    /// Entries of the log that it made, the last of them at this version.
    pub entries: i16,
}

/// A key to be stored with the write that it belongs to.
#[derive(Insertable)]
#[diesel(table_name = idempotency_keys)]
pub struct NewKey<'a> {
    /// Whose key.
    pub account_id: Uuid,
    /// 16 to 64 characters.
    pub key: &'a str,
    /// Of operation, match and body.
    pub fingerprint: &'a [u8],
    /// Match that is changed.
    pub match_id: Uuid,
    /// Version that the write makes.
    pub version: i32,
    /// The time of the write.
    pub created_at: DateTime<Utc>,
}

/// Finds what a key of this account has done.
///
/// # Errors
/// Only those of the database.
pub async fn key_find(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    key: &str,
) -> Result<Option<KeyRow>, StoreError> {
    Ok(idempotency_keys::table
        .find((account.0, key))
        .select(KeyRow::as_select())
        .first(&mut connection)
        .await
        .optional()?)
}

/// Stores a key, inside the transaction of its write.
///
/// # Errors
/// `Taken("idempotency_keys_pkey")` if a twin was faster.
pub async fn key_insert_in_txn(
    mut connection: &AsyncPgConnection,
    new: &NewKey<'_>,
) -> Result<(), StoreError> {
    diesel::insert_into(idempotency_keys::table).values(new).execute(&mut connection).await?;
    Ok(())
}
