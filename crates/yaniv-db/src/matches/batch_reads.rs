//! Reads of several rows of `matches` at once: by identifiers, or all started matches page by page.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use crate::error::StoreError;
use crate::matches::match_rows::{FullRow, MatchRow, StateRow};
use crate::schema::{match_states, matches};

/// The rows of `matches` with these identifiers.
///
/// # Errors
/// Any database error.
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

/// Both rows of these matches, greatest identifier first. Does not check access: `seats` decides that.
///
/// # Errors
/// Any database error.
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

/// A page of started matches, sandboxes excluded, after an identifier, by identifier.
///
/// # Errors
/// Any database error.
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

/// The number of started matches after an identifier, sandboxes excluded.
///
/// # Errors
/// Any database error.
pub async fn match_count_started(mut connection: &AsyncPgConnection, after: Uuid) -> Result<i64, StoreError> {
    Ok(matches::table
        .filter(matches::id.gt(after))
        .filter(matches::started_at.is_not_null().and(matches::sandbox.eq(false)))
        .count()
        .get_result(&mut connection)
        .await?)
}
