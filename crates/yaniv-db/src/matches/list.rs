//! Matches of an account by urgency, from `seats`, `matches` and `match_states`.
//!
//! The open matches are few and are sorted. Matches marked as closed keep growing in number and are read in
//! index order.

use chrono::{DateTime, Utc};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{Numeric, SmallInt};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::AccountId;

use crate::error::StoreError;
use crate::matches::match_rows::{MatchRow, StateRow};
use crate::schema::{match_states, matches, seats};

/// Cursor in the list: position of the last match of a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListPosition {
    /// 0 waits for me, 1 running, 2 waits for players, 3 over, 4 over and marked as closed.
    pub group: i16,
    /// Last change; in group 4 the time it was marked as closed.
    pub at: DateTime<Utc>,
    /// The match.
    pub id: Uuid,
}

/// A match and its position in the list.
pub type ListedMatch = (ListPosition, MatchRow, StateRow);

/// The last group: marked as closed.
pub const NOTED: i16 = 4;

/// Urgency group of an open match for the player whose seat row is joined: see `ListPosition`.
const GROUP: &str = "(CASE match_states.status WHEN 'running' THEN \
     CASE WHEN (match_states.waiting_on >> seats.seat) & 1 = 1 THEN 0 ELSE 1 END \
     WHEN 'waiting' THEN 2 ELSE 3 END)::smallint";

/// A page of an account's matches: those waiting for it first (longest wait first), the others by newest
/// change. A match that is marked as closed between two pages may appear twice.
///
/// # Errors
/// Any database error.
pub async fn match_list(
    connection: &AsyncPgConnection,
    account: AccountId,
    status: Option<&str>,
    after: Option<ListPosition>,
    limit: i64,
) -> Result<Vec<ListedMatch>, StoreError> {
    let mut found = match after {
        Some(after) if after.group == NOTED => Vec::new(),
        after => open_list(connection, account, status, after, limit).await?,
    };
    let left = limit.saturating_sub(i64::try_from(found.len()).unwrap_or(limit));
    if left > 0 && status.is_none_or(|status| !matches!(status, "waiting" | "running")) {
        let after = after.filter(|after| after.group == NOTED);
        found.extend(noted_list(connection, account, status, after, left).await?);
    }
    Ok(found)
}

/// Matches not marked as closed.
async fn open_list(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    status: Option<&str>,
    after: Option<ListPosition>,
    limit: i64,
) -> Result<Vec<ListedMatch>, StoreError> {
    let mut query = seats::table
        .inner_join(matches::table.inner_join(match_states::table))
        .filter(seats::account_id.eq(account.0).and(seats::closed_at.is_null()))
        .select((sql::<SmallInt>(GROUP), MatchRow::as_select(), StateRow::as_select()))
        .into_boxed();
    if let Some(status) = status {
        query = query.filter(match_states::status.eq(status.to_owned()));
    }
    if let Some(after) = after {
        let group = || sql::<SmallInt>(GROUP);
        let same_time = match_states::updated_at.eq(after.at).and(matches::id.gt(after.id));
        query = if after.group == 0 {
            let later = match_states::updated_at.gt(after.at).or(same_time);
            query.filter(group().gt(after.group).or(group().eq(after.group).and(later)))
        } else {
            let earlier = match_states::updated_at.lt(after.at).or(same_time);
            query.filter(group().gt(after.group).or(group().eq(after.group).and(earlier)))
        };
    }
    // Ascending in the first group, descending in the others: the sign of the time encodes this.
    let time =
        format!("extract(epoch FROM match_states.updated_at) * CASE {GROUP} WHEN 0 THEN 1 ELSE -1 END");
    let rows: Vec<(i16, MatchRow, StateRow)> = query
        .order((sql::<SmallInt>(GROUP).asc(), sql::<Numeric>(&time).asc(), matches::id.asc()))
        .limit(limit)
        .load(&mut connection)
        .await?;
    let placed = rows.into_iter().map(|(group, row, state)| {
        let position = ListPosition { group, at: state.updated_at, id: row.id };
        (position, row, state)
    });
    Ok(placed.collect())
}

/// Matches marked as closed.
async fn noted_list(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    status: Option<&str>,
    after: Option<ListPosition>,
    limit: i64,
) -> Result<Vec<ListedMatch>, StoreError> {
    let mut query = seats::table
        .inner_join(matches::table.inner_join(match_states::table))
        .filter(seats::account_id.eq(account.0).and(seats::closed_at.is_not_null()))
        .select((seats::closed_at.assume_not_null(), MatchRow::as_select(), StateRow::as_select()))
        .into_boxed();
    if let Some(status) = status {
        query = query.filter(match_states::status.eq(status.to_owned()));
    }
    if let Some(after) = after {
        // The first condition is implied by the second, and lets the index be used.
        let behind = seats::closed_at.lt(after.at).or(seats::match_id.gt(after.id));
        query = query.filter(seats::closed_at.le(after.at)).filter(behind.assume_not_null());
    }
    let rows: Vec<(DateTime<Utc>, MatchRow, StateRow)> = query
        .order((seats::closed_at.desc(), seats::match_id.asc()))
        .limit(limit)
        .load(&mut connection)
        .await?;
    let placed = rows.into_iter().map(|(at, row, state)| {
        let position = ListPosition { group: NOTED, at, id: row.id };
        (position, row, state)
    });
    Ok(placed.collect())
}
