//! Rows of `passkey_challenges`. What a state contains is known to the application layer.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use serde_json::Value;
use uuid::Uuid;
use yaniv_model::ids::SessionId;

use crate::error::StoreError;
use crate::kernel::clock::clock_timestamp;
use crate::schema::passkey_challenges;

/// A challenge as it is stored.
#[derive(Clone, Insertable)]
#[diesel(table_name = passkey_challenges)]
pub struct PasskeyChallengeRow {
    /// Hash of the challenge.
    pub hash: Vec<u8>,
    /// The session that adds a passkey; none for a log-in.
    pub session_id: Option<Uuid>,
    /// What the answer is compared with.
    pub state: Value,
    /// When it expires.
    pub expires_at: DateTime<Utc>,
}

/// Stores a challenge; repeating it changes nothing.
///
/// # Errors
/// Any database error.
pub async fn passkey_challenge_insert_in_txn(
    mut connection: &AsyncPgConnection,
    row: &PasskeyChallengeRow,
) -> Result<(), StoreError> {
    let insert = diesel::insert_into(passkey_challenges::table).values(row.clone());
    insert.on_conflict(passkey_challenges::hash).do_nothing().execute(&mut connection).await?;
    Ok(())
}

/// Uses a challenge of a session, or of a log-in, up. Returns its state if it was valid.
///
/// Of several transactions one gets it; the others wait for its end.
///
/// # Errors
/// Any database error.
pub async fn passkey_challenge_take_in_txn(
    mut connection: &AsyncPgConnection,
    hash: &[u8],
    session: Option<SessionId>,
) -> Result<Option<Value>, StoreError> {
    let valid = passkey_challenges::table
        .filter(passkey_challenges::hash.eq(hash))
        .filter(passkey_challenges::session_id.is_not_distinct_from(session.map(|session| session.0)))
        .filter(passkey_challenges::expires_at.gt(clock_timestamp()));
    Ok(diesel::delete(valid)
        .returning(passkey_challenges::state)
        .get_result(&mut connection)
        .await
        .optional()?)
}

/// Deletes expired challenges.
///
/// # Errors
/// Any database error.
pub async fn passkey_challenge_forget(mut connection: &AsyncPgConnection) -> Result<(), StoreError> {
    diesel::delete(passkey_challenges::table.filter(passkey_challenges::expires_at.lt(clock_timestamp())))
        .execute(&mut connection)
        .await?;
    Ok(())
}
