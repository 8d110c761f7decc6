//! Rows of `creation_keys`: which match a key created. All other writes leave their keys in the log, see `actions`.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::actions::KeyRow;
use super::error::StoreError;
use super::schema::creation_keys;
use crate::ids::{AccountId, MatchId};

/// A key to be stored with the match that it creates.
#[derive(Insertable)]
#[diesel(table_name = creation_keys)]
pub struct NewCreationKey {
    /// Whose key.
    pub account_id: Uuid,
    /// Hash of account and key.
    pub key_hash: i64,
    /// Of operation and body.
    pub fingerprint: i32,
    /// Match that is created.
    pub match_id: Uuid,
    /// Entries of its log that the creation makes.
    pub entries: i16,
}

/// Finds what a key of this account has created: the first entries of a match's log.
///
/// # Errors
/// Only those of the database.
pub async fn creation_key_find(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    key_hash: i64,
) -> Result<Option<KeyRow>, StoreError> {
    let found: Option<(i32, Uuid, i16)> = creation_keys::table
        .find((account.0, key_hash))
        .select((creation_keys::fingerprint, creation_keys::match_id, creation_keys::entries))
        .first(&mut connection)
        .await
        .optional()?;
    Ok(found.map(|(fingerprint, match_id, entries)| KeyRow {
        fingerprint,
        match_id: MatchId(match_id),
        version: i32::from(entries),
        entries: usize::try_from(entries).unwrap_or(1),
    }))
}

/// Stores a key, inside the transaction of its creation.
///
/// # Errors
/// `Taken("creation_keys_pkey")` if a twin was faster.
pub async fn creation_key_insert_in_txn(
    mut connection: &AsyncPgConnection,
    new: &NewCreationKey,
) -> Result<(), StoreError> {
    diesel::insert_into(creation_keys::table).values(new).execute(&mut connection).await?;
    Ok(())
}
