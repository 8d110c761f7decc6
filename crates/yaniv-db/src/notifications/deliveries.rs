//! Rows of `deliveries`: the outbox of notifications, and the delivery log. Claims are in `delivery_claims`.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Double, Text, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::{AccountId, ChannelId};

use crate::error::StoreError;
use crate::kernel::clock::clock_timestamp;
use crate::schema::deliveries;

/// `outcome`: accepted by the destination.
pub const DELIVERED: &str = "delivered";
/// `outcome`: given up.
pub const FAILED: &str = "failed";
/// `outcome`: obsolete before it was sent.
pub const DROPPED: &str = "dropped";
/// `kind`: a log-in with the password, on a device that was not known.
pub const NEW_DEVICE: &str = "new_device";
/// `kind`: an app got access by OAuth.
pub const NEW_APP: &str = "new_app";
/// `kind`: the password was changed.
pub const PASSWORD_CHANGED: &str = "password_changed";
/// `kind`: a passkey was added.
pub const PASSKEY_ADDED: &str = "passkey_added";
/// `kind`: an identity of the OpenID provider was linked.
pub const IDENTITY_LINKED: &str = "identity_linked";
/// Rows per statement, which has room for 65,535 values.
const AT_A_TIME: usize = 1000;

/// A notification to be sent to a channel.
#[derive(Clone, Debug, Insertable)]
#[diesel(table_name = deliveries)]
pub struct NewDelivery {
    /// Identifier.
    pub id: Uuid,
    /// The channel.
    pub channel_id: Uuid,
    /// Recipient.
    pub account_id: Uuid,
    /// Host of the channel.
    pub host: String,
    /// Kind of notification.
    pub kind: String,
    /// Identifies the event: sent once per channel.
    pub event: String,
    /// The match.
    pub match_id: Option<Uuid>,
    /// Version of the match.
    pub version: Option<i32>,
    /// The challenge.
    pub challenge_id: Option<Uuid>,
    /// The deadline.
    pub deadline: Option<DateTime<Utc>>,
    /// Time of the event.
    pub happened_at: DateTime<Utc>,
    /// Time of the first attempt.
    pub due_at: DateTime<Utc>,
}

/// An entry of the delivery log.
#[derive(Clone, Debug, Queryable, Selectable)]
#[diesel(table_name = deliveries)]
pub struct DeliveryRow {
    /// Identifier.
    pub id: Uuid,
    /// Kind of notification.
    pub kind: String,
    /// The match.
    pub match_id: Option<Uuid>,
    /// The challenge.
    pub challenge_id: Option<Uuid>,
    /// Time of the event.
    pub happened_at: DateTime<Utc>,
    /// Time of the next attempt.
    pub due_at: DateTime<Utc>,
    /// Number of attempts.
    pub attempts: i16,
    /// Time of the last claim, whether or not it led to an attempt.
    pub tried_at: Option<DateTime<Utc>>,
    /// Status of the last response.
    pub answer: Option<i16>,
    /// Why there was no response, or why it was dropped.
    pub failure: Option<String>,
    /// Outcome; none while pending.
    pub outcome: Option<String>,
    /// Time of the outcome.
    pub done_at: Option<DateTime<Utc>>,
}

/// Adds notifications to the outbox; an event already queued or sent to a channel is skipped.
///
/// # Errors
/// Any database error.
pub async fn delivery_insert_all_in_txn(
    mut connection: &AsyncPgConnection,
    rows: &[NewDelivery],
) -> Result<usize, StoreError> {
    let mut inserted = 0_usize;
    for rows in rows.chunks(AT_A_TIME) {
        let insert = diesel::insert_into(deliveries::table).values(rows).on_conflict_do_nothing();
        inserted = inserted.saturating_add(insert.execute(&mut connection).await?);
    }
    Ok(inserted)
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

/// The delivery log of a channel, pending ones included, newest first, before a given entry.
///
/// # Errors
/// Any database error.
pub async fn delivery_list(
    mut connection: &AsyncPgConnection,
    channel: ChannelId,
    before: Option<Uuid>,
    limit: i64,
) -> Result<Vec<DeliveryRow>, StoreError> {
    let mut query = deliveries::table
        .filter(deliveries::channel_id.eq(channel.0))
        .order(deliveries::id.desc())
        .limit(limit)
        .select(DeliveryRow::as_select())
        .into_boxed();
    if let Some(before) = before {
        query = query.filter(deliveries::id.lt(before));
    }
    Ok(query.load(&mut connection).await?)
}

/// The pending test notification of a channel.
///
/// # Errors
/// Any database error.
pub async fn delivery_find_test(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    channel: ChannelId,
) -> Result<Option<DeliveryRow>, StoreError> {
    Ok(deliveries::table
        .filter(deliveries::channel_id.eq(channel.0))
        .filter(deliveries::account_id.eq(account.0))
        .filter(deliveries::kind.eq("test"))
        .filter(deliveries::done_at.is_null())
        .select(DeliveryRow::as_select())
        .first(&mut connection)
        .await
        .optional()?)
}

/// Finds a delivery by its identifier.
///
/// # Errors
/// Any database error.
pub async fn delivery_find(
    mut connection: &AsyncPgConnection,
    id: Uuid,
) -> Result<Option<DeliveryRow>, StoreError> {
    Ok(deliveries::table.find(id).select(DeliveryRow::as_select()).first(&mut connection).await.optional()?)
}

/// Final outcome of a delivery.
#[derive(Clone, Copy, Debug)]
pub struct Ended {
    /// `DELIVERED`, `FAILED` or `DROPPED`.
    pub outcome: &'static str,
    /// Whether an attempt was made.
    pub tried: bool,
    /// Status of the response.
    pub answer: Option<i16>,
    /// Why there was no response, or why it was dropped.
    pub failure: Option<&'static str>,
}

/// Finishes a delivery held by this lease. Returns whether the lease was still held.
///
/// # Errors
/// Any database error.
pub async fn delivery_end(
    mut connection: &AsyncPgConnection,
    id: Uuid,
    lease: Uuid,
    ended: Ended,
) -> Result<bool, StoreError> {
    let Ended { outcome, tried, answer, failure } = ended;
    Ok(diesel::update(deliveries::table.find(id))
        .filter(deliveries::lease.eq(lease))
        .filter(deliveries::done_at.is_null())
        .set((
            deliveries::outcome.eq(Some(outcome)),
            deliveries::attempts.eq(deliveries::attempts + i16::from(tried)),
            deliveries::answer.eq(answer),
            deliveries::failure.eq(failure),
            deliveries::done_at.eq(clock_timestamp().nullable()),
            deliveries::lease.eq(None::<Uuid>),
        ))
        .execute(&mut connection)
        .await?
        > 0)
}

/// Reschedules a delivery held by this lease.
///
/// # Errors
/// Any database error.
pub async fn delivery_wait(
    mut connection: &AsyncPgConnection,
    id: Uuid,
    lease: Uuid,
    wait: Waiting,
) -> Result<(), StoreError> {
    let Waiting { seconds, tried, answer, failure } = wait;
    let again =
        diesel::dsl::sql::<diesel::sql_types::Timestamptz>("clock_timestamp() + make_interval(secs => ")
            .bind::<Double, _>(seconds)
            .sql(")");
    diesel::update(deliveries::table.find(id))
        .filter(deliveries::lease.eq(lease))
        .set((
            deliveries::due_at.eq(again),
            deliveries::attempts.eq(deliveries::attempts + i16::from(tried)),
            deliveries::lease.eq(None::<Uuid>),
            answer.map(|answer| deliveries::answer.eq(answer)),
            failure.map(|failure| deliveries::failure.eq(failure)),
        ))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Delay of a delivery, and the reason.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    /// Delay in seconds.
    pub seconds: f64,
    /// Whether an attempt was made; otherwise the delivery was only held back.
    pub tried: bool,
    /// Status of the response, if an attempt was made.
    pub answer: Option<Option<i16>>,
    /// Why there was no response, if an attempt was made.
    pub failure: Option<Option<&'static str>>,
}

/// Drops deliveries that have been due for longer than this without being sent.
///
/// # Errors
/// Any database error.
pub async fn delivery_drop_overdue(
    mut connection: &AsyncPgConnection,
    oldest: TimeDelta,
) -> Result<(), StoreError> {
    diesel::sql_query(
        "UPDATE deliveries SET outcome = 'dropped', failure = 'outdated', done_at = clock_timestamp() \
         WHERE done_at IS NULL AND due_at < now() - make_interval(secs => $1)",
    )
    .bind::<Double, _>(oldest.as_seconds_f64())
    .execute(&mut connection)
    .await?;
    Ok(())
}

/// Deletes a batch of deliveries finished longer ago than this; returns their number.
///
/// # Errors
/// Any database error.
pub async fn delivery_forget(
    mut connection: &AsyncPgConnection,
    kept: TimeDelta,
    limit: i64,
) -> Result<usize, StoreError> {
    Ok(diesel::sql_query(
        "DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries \
         WHERE done_at < now() - make_interval(secs => $1) ORDER BY done_at LIMIT $2)",
    )
    .bind::<Double, _>(kept.as_seconds_f64())
    .bind::<diesel::sql_types::BigInt, _>(limit)
    .execute(&mut connection)
    .await?)
}

/// Drops pending deliveries of channels that are gone.
///
/// # Errors
/// Any database error.
pub async fn delivery_drop_all(
    mut connection: &AsyncPgConnection,
    channel: Uuid,
    why: &'static str,
) -> Result<(), StoreError> {
    diesel::sql_query(
        "UPDATE deliveries SET outcome = 'dropped', failure = $2, done_at = clock_timestamp() \
         WHERE channel_id = $1 AND done_at IS NULL",
    )
    .bind::<SqlUuid, _>(channel)
    .bind::<Text, _>(why)
    .execute(&mut connection)
    .await?;
    Ok(())
}
