//! Rows of `open_matches`: public matches that wait for players. Written under the lock of the match.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Nullable, Timestamptz};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::{AccountId, MatchId};

use crate::error::StoreError;
use crate::schema::{blocks, matches, open_matches, seats};

/// A public match that waits for players.
#[derive(Clone, Debug, Insertable)]
#[diesel(table_name = open_matches)]
pub struct OpenMatchRow {
    /// The match.
    pub match_id: Uuid,
    /// Join code.
    pub code: String,
    /// Preset, if the rules equal one exactly.
    pub preset: Option<String>,
    /// Number of seats.
    pub size: i16,
    /// Free seats.
    pub free: i16,
    /// When the code expires.
    pub code_expires_at: Option<DateTime<Utc>>,
    /// Longest time for a turn, in seconds; none without a clock.
    pub longest_turn: Option<i32>,
    /// Whether the match is rated.
    pub rated: bool,
}

/// An open match as listed.
#[derive(Clone, Debug, Queryable)]
pub struct ListedMatch {
    /// The match.
    pub match_id: Uuid,
    /// Join code.
    pub code: String,
    /// Preset, if the rules equal one exactly.
    pub preset: Option<String>,
    /// Number of seats.
    pub size: i16,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// Time control and timeouts for absent players; none: no clock.
    pub pace: Option<serde_json::Value>,
    /// Whether the match is rated.
    pub rated: bool,
}

/// Filters of the list of open matches.
#[derive(Clone, Debug, Default)]
pub struct OpenFilter {
    /// Preset of the rules.
    pub preset: Option<String>,
    /// Number of seats.
    pub size: Option<i16>,
    /// Upper bound of the longest time for a turn, in seconds.
    pub longest_turn: Option<i32>,
    /// Only rated, or only unrated.
    pub rated: Option<bool>,
    /// Cursor: older than this match.
    pub before: Option<Uuid>,
}

/// Inserts or updates the row of a public match.
///
/// # Errors
/// Any database error.
pub async fn open_match_save_in_txn(
    mut connection: &AsyncPgConnection,
    row: &OpenMatchRow,
) -> Result<(), StoreError> {
    diesel::insert_into(open_matches::table)
        .values(row)
        .on_conflict(open_matches::match_id)
        .do_update()
        .set((
            open_matches::free.eq(row.free),
            open_matches::code.eq(&row.code),
            open_matches::code_expires_at.eq(row.code_expires_at),
        ))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Removes a match from the list: it started, or all players left.
///
/// # Errors
/// Any database error.
pub async fn open_match_delete_in_txn(
    mut connection: &AsyncPgConnection,
    match_id: MatchId,
) -> Result<(), StoreError> {
    diesel::delete(open_matches::table.find(match_id.0)).execute(&mut connection).await?;
    Ok(())
}

/// Open matches that an account could join, newest first. Excludes matches in which it has a seat, and
/// matches with a player that is blocked in either direction.
///
/// # Errors
/// Any database error.
pub async fn open_match_list(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    filter: OpenFilter,
    limit: i64,
) -> Result<Vec<ListedMatch>, StoreError> {
    let own = seats::table
        .filter(seats::match_id.eq(open_matches::match_id).and(seats::account_id.eq(account.0)))
        .select(seats::match_id);
    let mine = blocks::blocker_id.eq(account.0).and(blocks::blocked_id.eq(seats::account_id));
    let theirs = blocks::blocked_id.eq(account.0).and(blocks::blocker_id.eq(seats::account_id));
    let apart = seats::table
        .inner_join(blocks::table.on(mine.or(theirs)))
        .filter(seats::match_id.eq(open_matches::match_id))
        .select(blocks::blocker_id);
    let mut query = open_matches::table
        .inner_join(matches::table)
        .filter(open_matches::free.gt(0))
        .filter(
            open_matches::code_expires_at
                .is_null()
                .or(open_matches::code_expires_at.gt(diesel::dsl::now.into_sql::<Nullable<Timestamptz>>())),
        )
        // Instances of an older release, without this table, leave the row when a match starts.
        .filter(matches::started_at.is_null().and(matches::finished_at.is_null()))
        .filter(diesel::dsl::not(diesel::dsl::exists(own)))
        .filter(diesel::dsl::not(diesel::dsl::exists(apart)))
        .order(open_matches::match_id.desc())
        .limit(limit)
        .select((
            open_matches::match_id,
            open_matches::code,
            open_matches::preset,
            open_matches::size,
            matches::created_at,
            matches::pace,
            open_matches::rated,
        ))
        .into_boxed();
    if let Some(preset) = filter.preset {
        query = query.filter(open_matches::preset.eq(preset));
    }
    if let Some(size) = filter.size {
        query = query.filter(open_matches::size.eq(size));
    }
    if let Some(longest) = filter.longest_turn {
        query = query.filter(open_matches::longest_turn.le(longest));
    }
    if let Some(rated) = filter.rated {
        query = query.filter(open_matches::rated.eq(rated));
    }
    if let Some(before) = filter.before {
        query = query.filter(open_matches::match_id.lt(before));
    }
    Ok(query.load(&mut connection).await?)
}

/// Deletes rows of matches that started or ended: instances of an older release leave them.
///
/// # Errors
/// Any database error.
pub async fn open_match_forget_begun(mut connection: &AsyncPgConnection) -> Result<(), StoreError> {
    let over = matches::started_at.is_not_null().or(matches::finished_at.is_not_null());
    let begun = matches::table.filter(matches::id.eq(open_matches::match_id)).filter(over);
    diesel::delete(open_matches::table.filter(diesel::dsl::exists(begun))).execute(&mut connection).await?;
    Ok(())
}
