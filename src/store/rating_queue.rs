//! Matches that have yet to be rated: `rated` and `rated_at` of `matches`; and the lock under which they are, one instance
//! at a time.

use chrono::{DateTime, Utc};
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::clock::clock_timestamp;
use super::error::StoreError;
use super::schema::{match_states, matches};

/// The lock, as the arguments of PostgreSQL's functions: "rate" in ASCII, in the space of pairs, which nobody else uses.
const LOCK: &str = "1918989413, 0";

/// A match that counts, is over, and has yet to be rated.
#[derive(Clone, Queryable)]
pub struct UnratedRow {
    /// The match.
    pub id: Uuid,
    /// Complete rule set in the file form.
    pub rules: serde_json::Value,
    /// Preset, which a match that counts has.
    pub preset: Option<String>,
    /// When it ended.
    pub finished_at: Option<DateTime<Utc>>,
    /// `finished`, or `cancelled` before the start.
    pub status: String,
    /// The last position.
    pub state: Option<Vec<u8>>,
}

#[derive(QueryableByName)]
struct Locked {
    #[diesel(sql_type = Bool)]
    locked: bool,
}

/// Takes the lock until the end of the transaction, unless somebody else has it.
///
/// # Errors
/// Only those of the database.
pub async fn rating_try_lock_in_txn(mut connection: &AsyncPgConnection) -> Result<bool, StoreError> {
    let statement = format!("SELECT pg_try_advisory_xact_lock({LOCK}) AS locked");
    Ok(diesel::sql_query(statement).get_result::<Locked>(&mut connection).await?.locked)
}

/// Takes the lock until the end of the transaction.
///
/// # Errors
/// `Busy` after three seconds.
pub async fn rating_lock_in_txn(mut connection: &AsyncPgConnection) -> Result<(), StoreError> {
    diesel::sql_query(format!("SELECT pg_advisory_xact_lock({LOCK})")).execute(&mut connection).await?;
    Ok(())
}

/// Takes the lock until it is given back, or the connection ends.
///
/// # Errors
/// `Busy` after three seconds.
pub async fn rating_lock(mut connection: &AsyncPgConnection) -> Result<(), StoreError> {
    diesel::sql_query(format!("SELECT pg_advisory_lock({LOCK})")).execute(&mut connection).await?;
    Ok(())
}

/// Gives the lock back.
///
/// # Errors
/// Only those of the database.
pub async fn rating_unlock(mut connection: &AsyncPgConnection) -> Result<(), StoreError> {
    diesel::sql_query(format!("SELECT pg_advisory_unlock({LOCK})")).execute(&mut connection).await?;
    Ok(())
}

/// Whether any match has yet to be rated.
///
/// # Errors
/// Only those of the database.
pub async fn unrated_waits(mut connection: &AsyncPgConnection) -> Result<bool, StoreError> {
    Ok(diesel::select(exists(matches::table.filter(unrated()))).get_result(&mut connection).await?)
}

/// How many have.
///
/// # Errors
/// Only those of the database.
pub async fn unrated_count(mut connection: &AsyncPgConnection) -> Result<i64, StoreError> {
    Ok(matches::table.filter(unrated()).count().get_result(&mut connection).await?)
}

/// Matches that have yet to be rated, in the order in which they ended.
///
/// # Errors
/// Only those of the database.
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
            matches::rules,
            matches::preset,
            matches::finished_at,
            match_states::status,
            match_states::state,
        ))
        .load(&mut connection)
        .await?)
}

/// Notes that the rater is done with these.
///
/// # Errors
/// Only those of the database.
pub async fn unrated_done_in_txn(mut connection: &AsyncPgConnection, ids: &[Uuid]) -> Result<(), StoreError> {
    diesel::update(matches::table.filter(matches::id.eq_any(ids)))
        .set(matches::rated_at.eq(clock_timestamp().nullable()))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Forgets all ratings: every match that counts has yet to be rated.
///
/// # Errors
/// `Busy` if others read them for too long.
pub async fn rating_forget_all_in_txn(mut connection: &AsyncPgConnection) -> Result<(), StoreError> {
    // Who reads ratings waits for the last of these alone.
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
