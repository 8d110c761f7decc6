//! Matches that have to be looked at: `check_at` of `match_states`, which says when.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{Bool, Nullable, Timestamptz};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::clock::clock_read;
use super::error::StoreError;
use super::schema::match_states;
use crate::ids::MatchId;

/// What time it is, and matches that have to be looked at by then, those that have waited longest first.
///
/// # Errors
/// Only those of the database.
pub async fn attention_list(
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

/// Locks a match until the end of the transaction, unless somebody else has it, or it is not due any more. If it is locked
/// now: seats whose standing
/// orders wait, a bit each.
///
/// # Errors
/// Only those of the database.
pub async fn attention_lock_in_txn(
    mut connection: &AsyncPgConnection,
    id: MatchId,
) -> Result<Option<i16>, StoreError> {
    Ok(match_states::table
        .find(id.0)
        // Somebody else may just have done what was due.
        .filter(sql::<Bool>("check_at <= clock_timestamp()"))
        .select(match_states::ordered)
        .for_update()
        .skip_locked()
        .first(&mut connection)
        .await
        .optional()?)
}

/// Says when a match that the transaction has locked has to be looked at again; none for not at all. If it is the turn of
/// somebody whose standing orders wait: at once.
///
/// # Errors
/// Only those of the database.
pub async fn attention_set_in_txn(
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

/// Puts a match off that could not be looked at, so that it does not keep others from being looked at.
///
/// # Errors
/// Only those of the database.
pub async fn attention_put_off(
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
