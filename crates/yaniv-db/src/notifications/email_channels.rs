//! Rows of `channels` as far as only e-mail has them: verification, unsubscribing, notices about the account; and the
//! schedule of digests.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Double, Nullable, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::{AccountId, ChannelId};

use crate::error::StoreError;
use crate::kernel::clock::clock_timestamp;
use crate::notifications::channels::{ChannelRow, EMAIL};
use crate::schema::channels;

/// `deliveries.kind`: a log-in with the password, on a device that was not known.
pub const NEW_DEVICE: &str = "new_device";
/// `deliveries.kind`: the password was changed.
pub const PASSWORD_CHANGED: &str = "password_changed";

/// The e-mail channels of an account: at most one that is verified, and one that is not.
///
/// # Errors
/// Any database error.
pub async fn email_channel_list(
    mut connection: &AsyncPgConnection,
    account: AccountId,
) -> Result<Vec<ChannelRow>, StoreError> {
    Ok(channels::table
        .filter(channels::account_id.eq(account.0))
        .filter(channels::format.eq(EMAIL))
        .select(ChannelRow::as_select())
        .load(&mut connection)
        .await?)
}

/// The verified e-mail channels of an address, whatever its case; the newest first, at most `limit`.
///
/// # Errors
/// Any database error.
pub async fn email_channel_list_by_address(
    mut connection: &AsyncPgConnection,
    address: &str,
    limit: i64,
) -> Result<Vec<ChannelRow>, StoreError> {
    Ok(channels::table
        .filter(
            diesel::dsl::sql::<diesel::sql_types::Bool>("lower(url) = lower(")
                .bind::<Text, _>(address)
                .sql(")"),
        )
        .filter(channels::format.eq(EMAIL))
        .filter(channels::verified_at.is_not_null())
        .order(channels::id.desc())
        .limit(limit)
        .select(ChannelRow::as_select())
        .load(&mut connection)
        .await?)
}

/// An e-mail channel of any account.
///
/// # Errors
/// Any database error.
pub async fn email_channel_find(
    mut connection: &AsyncPgConnection,
    id: Uuid,
) -> Result<Option<ChannelRow>, StoreError> {
    Ok(channels::table
        .find(id)
        .filter(channels::format.eq(EMAIL))
        .select(ChannelRow::as_select())
        .first(&mut connection)
        .await
        .optional()?)
}

/// Marks an e-mail channel as verified, in the place of the account's earlier address.
///
/// # Errors
/// Any database error.
pub async fn email_channel_verify_in_txn(
    mut connection: &AsyncPgConnection,
    row: &ChannelRow,
) -> Result<(), StoreError> {
    let earlier = channels::table
        .filter(channels::account_id.eq(row.account_id))
        .filter(channels::format.eq(EMAIL))
        .filter(channels::id.ne(row.id));
    diesel::delete(earlier).execute(&mut connection).await?;
    diesel::update(channels::table.find(row.id).filter(channels::verified_at.is_null()))
        .set(channels::verified_at.eq(clock_timestamp().nullable()))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Ends all subscriptions of an e-mail channel. The address stays, for a reset of the password.
///
/// # Errors
/// Any database error.
pub async fn email_channel_unsubscribe(
    mut connection: &AsyncPgConnection,
    id: ChannelId,
) -> Result<(), StoreError> {
    diesel::update(channels::table.find(id.0).filter(channels::format.eq(EMAIL)))
        .set(channels::kinds.eq(0))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Enqueues a message about the account itself to its verified address, if it has one.
///
/// # Errors
/// Any database error.
pub async fn account_message_enqueue(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    kind: &str,
) -> Result<(), StoreError> {
    let id = Uuid::now_v7();
    diesel::sql_query(
        "INSERT INTO deliveries (id, channel_id, account_id, host, kind, event, happened_at, due_at) \
         SELECT $1, id, account_id, host, $3, $3 || ':' || $1, clock_timestamp(), clock_timestamp() FROM channels \
         WHERE account_id = $2 AND format = 'email' AND verified_at IS NOT NULL AND ended_at IS NULL",
    )
    .bind::<SqlUuid, _>(id)
    .bind::<SqlUuid, _>(account.0)
    .bind::<Text, _>(kind)
    .execute(&mut connection)
    .await?;
    Ok(())
}

/// Deletes e-mail channels that have not been verified within this time.
///
/// # Errors
/// Any database error.
pub async fn email_channel_forget_unverified(
    mut connection: &AsyncPgConnection,
    kept: TimeDelta,
) -> Result<(), StoreError> {
    diesel::sql_query(
        "DELETE FROM channels WHERE format = 'email' AND verified_at IS NULL \
         AND created_at < now() - make_interval(secs => $1)",
    )
    .bind::<Double, _>(kept.as_seconds_f64())
    .execute(&mut connection)
    .await?;
    Ok(())
}

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
