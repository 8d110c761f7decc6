//! Columns of `channels` that schedule digests.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use crate::error::StoreError;
use crate::schema::channels;

/// A channel whose digest is due, or not scheduled yet.
#[derive(Clone, Debug, QueryableByName)]
pub struct DueDigest {
    /// The channel.
    #[diesel(sql_type = SqlUuid)]
    pub id: Uuid,
    /// Its account.
    #[diesel(sql_type = SqlUuid)]
    pub account_id: Uuid,
    /// Its host.
    #[diesel(sql_type = Text)]
    pub host: String,
    /// When the digest was due; none if it was not scheduled.
    #[diesel(sql_type = Nullable<Timestamptz>)]
    pub due_at: Option<DateTime<Utc>>,
    /// Time zone of the account.
    #[diesel(sql_type = Nullable<Text>)]
    pub time_zone: Option<String>,
    /// The current time.
    #[diesel(sql_type = Timestamptz)]
    pub now: DateTime<Utc>,
}

/// Locks channels whose digest is due or not scheduled yet, except those that another instance has locked.
///
/// # Errors
/// Any database error.
pub async fn digest_lock_due(
    mut connection: &AsyncPgConnection,
    limit: i64,
) -> Result<Vec<DueDigest>, StoreError> {
    Ok(diesel::sql_query(
        "SELECT c.id, c.account_id, c.host, c.digest_at AS due_at, a.time_zone, now() AS now \
         FROM channels c JOIN accounts a ON a.id = c.account_id \
         WHERE c.kinds & 64 <> 0 AND c.ended_at IS NULL AND (c.digest_at IS NULL OR c.digest_at <= now()) \
         LIMIT $1 FOR NO KEY UPDATE OF c SKIP LOCKED",
    )
    .bind::<BigInt, _>(limit)
    .load(&mut connection)
    .await?)
}

/// Schedules the next digest of a channel.
///
/// # Errors
/// Any database error.
pub async fn digest_schedule(
    mut connection: &AsyncPgConnection,
    id: Uuid,
    at: DateTime<Utc>,
) -> Result<(), StoreError> {
    diesel::update(channels::table.find(id))
        .set(channels::digest_at.eq(Some(at)))
        .execute(&mut connection)
        .await?;
    Ok(())
}
