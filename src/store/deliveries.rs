//! Rows of `deliveries`: the outbox, and the log of what was sent. How they are claimed is in `delivery_claims`.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Double, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::clock::clock_timestamp;
use super::error::StoreError;
use super::schema::deliveries;
use crate::ids::{AccountId, ChannelId};

/// It has arrived.
pub const DELIVERED: &str = "delivered";
/// It was given up.
pub const FAILED: &str = "failed";
/// It was no longer worth telling.
pub const DROPPED: &str = "dropped";
/// Rows of one statement, which has room for 65,535 values.
const AT_A_TIME: usize = 1000;

/// A notice that is to go to a channel.
#[derive(Clone, Debug, Insertable)]
#[diesel(table_name = deliveries)]
pub struct NewDelivery {
    /// Its identifier.
    pub id: Uuid,
    /// Where it goes.
    pub channel_id: Uuid,
    /// Whom it tells.
    pub account_id: Uuid,
    /// Host of the channel.
    pub host: String,
    /// What it is of.
    pub kind: String,
    /// What it tells: once in a channel.
    pub event: String,
    /// The match.
    pub match_id: Option<Uuid>,
    /// Version of the match.
    pub version: Option<i32>,
    /// The challenge.
    pub challenge_id: Option<Uuid>,
    /// The deadline.
    pub deadline: Option<DateTime<Utc>>,
    /// When it happened.
    pub happened_at: DateTime<Utc>,
    /// When it is tried first.
    pub due_at: DateTime<Utc>,
}

/// A notice in the log.
#[derive(Clone, Debug, Queryable, Selectable)]
#[diesel(table_name = deliveries)]
pub struct DeliveryRow {
    /// Its identifier.
    pub id: Uuid,
    /// What it is of.
    pub kind: String,
    /// The match.
    pub match_id: Option<Uuid>,
    /// The challenge.
    pub challenge_id: Option<Uuid>,
    /// When it happened.
    pub happened_at: DateTime<Utc>,
    /// When it is tried next.
    pub due_at: DateTime<Utc>,
    /// How often it was tried.
    pub attempts: i16,
    /// When it was claimed last, whether or not it was tried then.
    pub tried_at: Option<DateTime<Utc>>,
    /// What was answered last.
    pub answer: Option<i16>,
    /// Why nothing was, or why it was dropped.
    pub failure: Option<String>,
    /// How it ended.
    pub outcome: Option<String>,
    /// When it ended.
    pub done_at: Option<DateTime<Utc>>,
}

/// Puts notices into the outbox; what a channel has been told is not told again.
///
/// # Errors
/// Only those of the database.
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

/// What was sent to a channel, and is to be, the newest at the top; those before this one.
///
/// # Errors
/// Only those of the database.
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

/// The test of a channel that has not ended yet.
///
/// # Errors
/// Only those of the database.
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

/// A notice by its identifier.
///
/// # Errors
/// Only those of the database.
pub async fn delivery_find(
    mut connection: &AsyncPgConnection,
    id: Uuid,
) -> Result<Option<DeliveryRow>, StoreError> {
    Ok(deliveries::table.find(id).select(DeliveryRow::as_select()).first(&mut connection).await.optional()?)
}

/// How a try ended for good.
#[derive(Clone, Copy, Debug)]
pub struct Ended {
    /// `DELIVERED`, `FAILED` or `DROPPED`.
    pub outcome: &'static str,
    /// Whether it has been tried.
    pub tried: bool,
    /// What was answered.
    pub answer: Option<i16>,
    /// Why nothing was, or why it was dropped.
    pub failure: Option<&'static str>,
}

/// Ends a notice that is held by this lease. Whether it was.
///
/// # Errors
/// Only those of the database.
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

/// Lets a notice that is held by this lease wait for so long.
///
/// # Errors
/// Only those of the database.
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

/// Why and how long a notice waits.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    /// How long.
    pub seconds: f64,
    /// Whether it has been tried; else it was only held up.
    pub tried: bool,
    /// What was answered, if it was tried.
    pub answer: Option<Option<i16>>,
    /// Why nothing was, if it was tried.
    pub failure: Option<Option<&'static str>>,
}

/// Deletes what was done so long ago, so many rows at a time; says how many.
///
/// # Errors
/// Only those of the database.
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

/// Drops what waits for a channel that is gone.
///
/// # Errors
/// Only those of the database.
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
    .bind::<diesel::sql_types::Text, _>(why)
    .execute(&mut connection)
    .await?;
    Ok(())
}
