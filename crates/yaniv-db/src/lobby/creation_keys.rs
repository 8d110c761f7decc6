//! Rows of `creation_keys`: idempotency keys of match creation. All other writes store their key in the log
//! (see `matches::log`).

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::idempotency::StoredKey;
use yaniv_model::ids::{AccountId, MatchId};

use crate::error::StoreError;
use crate::schema::creation_keys;

/// An idempotency key, stored with the match it creates.
#[derive(Insertable)]
#[diesel(table_name = creation_keys)]
pub struct NewCreationKey {
    /// Account that sent the key.
    pub account_id: Uuid,
    /// Hash of account and idempotency key.
    pub key_hash: i64,
    /// Fingerprint: hash of operation and body.
    pub fingerprint: i32,
    /// The created match.
    pub match_id: Uuid,
    /// Number of log entries written by the creation.
    pub entries: i16,
}

/// Finds the match created with an idempotency key of this account, as the first entries of its log.
///
/// # Errors
/// Any database error.
pub async fn creation_key_find(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    key_hash: i64,
) -> Result<Option<StoredKey>, StoreError> {
    let found: Option<(i32, Uuid, i16)> = creation_keys::table
        .find((account.0, key_hash))
        .select((creation_keys::fingerprint, creation_keys::match_id, creation_keys::entries))
        .first(&mut connection)
        .await
        .optional()?;
    Ok(found.map(|(fingerprint, match_id, entries)| StoredKey {
        fingerprint,
        match_id: MatchId(match_id),
        version: i32::from(entries),
        entries: usize::try_from(entries).unwrap_or(1),
    }))
}

/// Stores a key, in the transaction that creates the match.
///
/// # Errors
/// `Taken("creation_keys_pkey")` if a concurrent request with the same key was first.
pub async fn creation_key_insert_in_txn(
    mut connection: &AsyncPgConnection,
    new: &NewCreationKey,
) -> Result<(), StoreError> {
    diesel::insert_into(creation_keys::table).values(new).execute(&mut connection).await?;
    Ok(())
}
