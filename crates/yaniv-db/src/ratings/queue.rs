//! The queue of the rating worker: `rated` and `rated_at` of `matches`; and the advisory lock that lets one
//! instance rate at a time.

use chrono::{DateTime, Utc};
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use crate::error::StoreError;
use crate::kernel::clock::clock_timestamp;
use crate::matches::match_rows::rules_of_match;
use crate::schema::{match_states, matches};

/// The lock, as arguments of PostgreSQL's functions: "rate" in ASCII, with a second key of 0.
const LOCK: &str = "1918989413, 0";

/// A rated match that is over and not processed yet.
#[derive(Clone, Queryable)]
pub struct UnratedRow {
    /// The match.
    pub id: Uuid,
    /// Complete rule set in the file form.
    pub rules: serde_json::Value,
    /// Preset; every rated match has one.
    pub preset: Option<String>,
    /// When it ended.
    pub finished_at: Option<DateTime<Utc>>,
    /// `finished`, or `cancelled` before the start.
    pub status: String,
    /// Final position.
    pub state: Option<Vec<u8>>,
}

#[derive(QueryableByName)]
struct Locked {
    #[diesel(sql_type = Bool)]
    locked: bool,
}

/// Tries to take the lock until the end of the transaction.
///
/// # Errors
/// Any database error.
pub async fn rating_try_lock_in_txn(mut connection: &AsyncPgConnection) -> Result<bool, StoreError> {
    let statement = format!("SELECT pg_try_advisory_xact_lock({LOCK}) AS locked");
    Ok(diesel::sql_query(statement).get_result::<Locked>(&mut connection).await?.locked)
}

/// Waits for the lock and holds it until the end of the transaction.
///
/// # Errors
/// `Busy` if the lock is not acquired within three seconds.
pub async fn rating_lock_in_txn(mut connection: &AsyncPgConnection) -> Result<(), StoreError> {
    diesel::sql_query(format!("SELECT pg_advisory_xact_lock({LOCK})")).execute(&mut connection).await?;
    Ok(())
}

/// Waits for the lock and holds it until it is released or the connection ends.
///
/// # Errors
/// `Busy` if the lock is not acquired within three seconds.
pub async fn rating_lock(mut connection: &AsyncPgConnection) -> Result<(), StoreError> {
    diesel::sql_query(format!("SELECT pg_advisory_lock({LOCK})")).execute(&mut connection).await?;
    Ok(())
}

/// Releases the lock.
///
/// # Errors
/// Any database error.
pub async fn rating_unlock(mut connection: &AsyncPgConnection) -> Result<(), StoreError> {
    diesel::sql_query(format!("SELECT pg_advisory_unlock({LOCK})")).execute(&mut connection).await?;
    Ok(())
}

/// Whether the queue has any match.
///
/// # Errors
/// Any database error.
pub async fn unrated_waits(mut connection: &AsyncPgConnection) -> Result<bool, StoreError> {
    Ok(diesel::select(exists(matches::table.filter(unrated()))).get_result(&mut connection).await?)
}

/// The number of matches in the queue.
///
/// # Errors
/// Any database error.
pub async fn unrated_count(mut connection: &AsyncPgConnection) -> Result<i64, StoreError> {
    Ok(matches::table.filter(unrated()).count().get_result(&mut connection).await?)
}

/// The next matches of the queue, in the order in which they ended.
///
/// # Errors
/// Any database error.
pub async fn unrated_list(
    mut connection: &AsyncPgConnection,
    limit: i64,
) -> Result<Vec<UnratedRow>, StoreError> {
    Ok(matches::table
        .inner_join(match_states::table)
        .filter(unrated())
        .order((matches::finished_at, matches::id))
        .limit(limit)
        .select((
            matches::id,
            rules_of_match(),
            matches::preset,
            matches::finished_at,
            match_states::status,
            match_states::state,
        ))
        .load(&mut connection)
        .await?)
}

/// Marks matches as processed by the rating worker.
///
/// # Errors
/// Any database error.
pub async fn unrated_done_in_txn(mut connection: &AsyncPgConnection, ids: &[Uuid]) -> Result<(), StoreError> {
    diesel::update(matches::table.filter(matches::id.eq_any(ids)))
        .set(matches::rated_at.eq(clock_timestamp().nullable()))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Deletes all ratings and queues every rated match again.
///
/// # Errors
/// `Busy` if a lock is not acquired in time.
pub async fn rating_forget_all_in_txn(mut connection: &AsyncPgConnection) -> Result<(), StoreError> {
    // Readers of ratings are blocked only by the last statement.
    let statements = [
        "SET LOCAL statement_timeout = 0",
        "UPDATE matches SET rated_at = NULL WHERE rated AND rated_at IS NOT NULL",
        "TRUNCATE ratings, rating_changes, rating_counts",
    ];
    for statement in statements {
        diesel::sql_query(statement).execute(&mut connection).await?;
    }
    Ok(())
}

#[diesel::dsl::auto_type(no_type_alias)]
fn unrated() -> _ {
    matches::rated.and(matches::rated_at.is_null()).and(matches::finished_at.is_not_null())
}
