//! Matches of an account by urgency, of `seats`, `matches` and `match_states`.
//!
//! Those that are open, which are few, are put in order; those of which it is noted that they are over, which are ever more, are read in
//! the order of an index.

use chrono::{DateTime, Utc};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::{Numeric, SmallInt};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::error::StoreError;
use super::matches::{MatchRow, StateRow};
use super::schema::{match_states, matches, seats};
use crate::ids::AccountId;

/// Where a page of somebody's matches ended: the next begins behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ListPosition {
    /// 0 waits for me, 1 runs, 2 waits for players, 3 is over, 4 is over and noted as such.
    pub group: i16,
    /// Last change; in group 4 when it was noted.
    pub at: DateTime<Utc>,
    /// The match.
    pub id: Uuid,
}

/// A match and its place in the list.
pub type ListedMatch = (ListPosition, MatchRow, StateRow);

/// The last group.
pub const NOTED: i16 = 4;

/// How urgent an open match is to the player whose seat row is joined: the groups of `ListPosition`.
const GROUP: &str = "(CASE match_states.status WHEN 'running' THEN \
     CASE WHEN (match_states.waiting_on >> seats.seat) & 1 = 1 THEN 0 ELSE 1 END \
     WHEN 'waiting' THEN 2 ELSE 3 END)::smallint";

/// Matches of an account, those that wait for it first (longest waiting first), the others newest change first. One that is noted as
/// over between two pages may be met twice.
///
/// # Errors
/// Only those of the database.
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

/// Those of which it is not noted that they are over.
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
    // In the first group ascending, in the others descending: the sign of the time says which.
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

/// Those of which it is.
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
        // The first says what the second does, and is found in the index.
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
