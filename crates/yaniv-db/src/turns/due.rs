//! Due matches: reads, locks and updates `check_at` of `match_states` for the scheduler.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{Bool, Nullable, Timestamptz};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::MatchId;

use crate::error::StoreError;
use crate::kernel::clock::clock_read;
use crate::schema::match_states;

/// The current time, and the matches due by then, longest overdue first.
///
/// # Errors
/// Any database error.
pub async fn due_list(
    mut connection: &AsyncPgConnection,
    limit: i64,
) -> Result<(DateTime<Utc>, Vec<Uuid>), StoreError> {
    let now = clock_read(connection).await?;
    let due = match_states::table
        .filter(match_states::check_at.le(now))
        .order(match_states::check_at)
        .limit(limit)
        .select(match_states::match_id)
        .load(&mut connection)
        .await?;
    Ok((now, due))
}

/// Locks a due match until the end of the transaction (SKIP LOCKED). Returns the bitmask of seats with
/// waiting standing orders; none if another instance holds the match or it is no longer due.
///
/// # Errors
/// Any database error.
pub async fn due_lock_in_txn(
    mut connection: &AsyncPgConnection,
    id: MatchId,
) -> Result<Option<i16>, StoreError> {
    Ok(match_states::table
        .find(id.0)
        // Another instance may have processed the match since it was listed.
        .filter(sql::<Bool>("check_at <= clock_timestamp()"))
        .select(match_states::ordered)
        .for_update()
        .skip_locked()
        .first(&mut connection)
        .await
        .optional()?)
}

/// Sets when a locked match is next due; none for never. At once if it is the turn of a seat with waiting
/// standing orders.
///
/// # Errors
/// Any database error.
pub async fn due_set_in_txn(
    mut connection: &AsyncPgConnection,
    id: MatchId,
    check_at: Option<DateTime<Utc>>,
) -> Result<(), StoreError> {
    diesel::update(match_states::table.find(id.0))
        .set(
            match_states::check_at.eq(sql::<Nullable<Timestamptz>>(
                "CASE WHEN ordered & waiting_on <> 0 THEN clock_timestamp() ELSE ",
            )
            .bind::<Nullable<Timestamptz>, _>(check_at)
            .sql(" END")),
        )
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Postpones a match that could not be processed, so that it does not hold up others.
///
/// # Errors
/// Any database error.
pub async fn due_put_off(
    mut connection: &AsyncPgConnection,
    id: MatchId,
    by: TimeDelta,
) -> Result<(), StoreError> {
    diesel::update(match_states::table.find(id.0))
        .filter(sql::<Bool>("check_at <= clock_timestamp()"))
        .set(match_states::check_at.eq(
            sql::<Nullable<Timestamptz>>("clock_timestamp() + ").bind::<diesel::sql_types::Interval, _>(by),
        ))
        .execute(&mut connection)
        .await?;
    Ok(())
}
