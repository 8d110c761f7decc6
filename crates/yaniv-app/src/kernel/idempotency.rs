//! Idempotency keys of writes without an entry in an action log.
//!
//! Those are creations of matches, matchmaking requests, challenges, vacations, webhooks and personal tokens. Keys of other writes are in the log (`matches::log`).
//!
//! The key is looked up before the write, and stored in the same transaction. Of two equal requests at once, the
//! second fails with `Raced`, is tried again (`kernel::durable_write`), and finds the key.

use chrono::{DateTime, Utc};
use uuid::Uuid;
use yaniv_db::kernel::idempotency_keys::{KeyKind, KeyRow, key_find, key_insert_in_txn};
use yaniv_db::{Connection, StoreError};
use yaniv_model::idempotency::IdempotencyKey;
use yaniv_model::ids::AccountId;

use crate::ServiceError;

/// What was stored under a key, if the account has sent it before with this kind of write.
///
/// # Errors
/// `KeyReused` if the key belongs to another request.
pub(crate) async fn stored_write(
    connection: &Connection,
    account: AccountId,
    kind: KeyKind,
    key: Option<&IdempotencyKey>,
) -> Result<Option<KeyRow>, ServiceError> {
    let Some(key) = key else { return Ok(None) };
    let found = key_find(connection, account, kind, key.hash(account)).await?;
    match found {
        Some(row) if row.fingerprint != key.fingerprint => Err(ServiceError::KeyReused),
        found => Ok(found),
    }
}

/// Stores the key of a write, if it has one: what it created or found, log entries of a created match, and the
/// time of the response.
///
/// # Errors
/// `Raced` if a concurrent request with the same key was first.
pub(crate) async fn store_key(
    connection: &Connection,
    account: AccountId,
    kind: KeyKind,
    key: Option<&IdempotencyKey>,
    (target, entries, at): (Uuid, i16, DateTime<Utc>),
) -> Result<(), ServiceError> {
    let Some(key) = key else { return Ok(()) };
    let row = KeyRow { fingerprint: key.fingerprint, target, entries, at };
    let stored = key_insert_in_txn(connection, account, kind, key.hash(account), &row).await;
    stored.map_err(|error| match error {
        StoreError::Taken(_) => ServiceError::Raced,
        other => other.into(),
    })
}
