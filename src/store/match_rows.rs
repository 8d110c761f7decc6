//! Many rows of `matches` at a time: those of a list, those that are wanted, those that have started.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::error::StoreError;
use super::matches::{FullRow, MatchRow, StateRow};
use super::schema::{match_states, matches};

/// What is settled of these matches.
///
/// # Errors
/// Only those of the database.
pub async fn match_settled_list(
    mut connection: &AsyncPgConnection,
    ids: &[Uuid],
) -> Result<Vec<MatchRow>, StoreError> {
    Ok(matches::table
        .filter(matches::id.eq_any(ids))
        .order(matches::id)
        .select(MatchRow::as_select())
        .load(&mut connection)
        .await?)
}

/// These matches, the greatest identifier first. Does not ask who wants to know: `seats` decides that.
///
/// # Errors
/// Only those of the database.
pub async fn match_list_of(
    mut connection: &AsyncPgConnection,
    ids: &[Uuid],
) -> Result<Vec<FullRow>, StoreError> {
    Ok(match_states::table
        .inner_join(matches::table)
        .filter(match_states::match_id.eq_any(ids))
        .order(match_states::match_id.desc())
        .select((MatchRow::as_select(), StateRow::as_select()))
        .load(&mut connection)
        .await?)
}

/// Matches that have started and are no tests, after one, by identifier.
///
/// # Errors
/// Only those of the database.
pub async fn match_list_started(
    mut connection: &AsyncPgConnection,
    after: Uuid,
    limit: i64,
) -> Result<Vec<Uuid>, StoreError> {
    Ok(matches::table
        .filter(matches::id.gt(after))
        .filter(matches::started_at.is_not_null().and(matches::sandbox.eq(false)))
        .order(matches::id)
        .limit(limit)
        .select(matches::id)
        .load(&mut connection)
        .await?)
}

/// How many those are after one.
///
/// # Errors
/// Only those of the database.
pub async fn match_count_started(mut connection: &AsyncPgConnection, after: Uuid) -> Result<i64, StoreError> {
    Ok(matches::table
        .filter(matches::id.gt(after))
        .filter(matches::started_at.is_not_null().and(matches::sandbox.eq(false)))
        .count()
        .get_result(&mut connection)
        .await?)
}
