//! Rows of `actions`: the log of a match. Append-only; actions in play are written by `action_save`.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::error::StoreError;
use super::schema::actions;
use crate::ids::MatchId;

/// The stock was refilled at the end of the action.
pub const FLAG_RECYCLED: i16 = 1;
/// The action ended the round.
pub const FLAG_ENDED_ROUND: i16 = 2;
/// The action ended the match.
pub const FLAG_ENDED_MATCH: i16 = 4;
/// From this bit on: what followed a call, by its place in the engine's list, counted from 1.
pub const OUTCOME_SHIFT: u32 = 8;

/// An entry of the log.
#[derive(Clone, Debug, Queryable, Selectable, Insertable)]
#[diesel(table_name = actions)]
pub struct ActionRow {
    /// The match.
    pub match_id: Uuid,
    /// 1, 2, 3 … without a gap.
    pub version: i32,
    /// Who did it.
    pub account_id: Uuid,
    /// `joined`, `left`, `started` or `action`.
    pub kind: String,
    /// Round that it belongs to; 0 before play.
    pub round: i16,
    /// Seat of the player; none before play.
    pub seat: Option<i16>,
    /// Notation of the action, or the client seed of who joined.
    pub detail: String,
    /// Cards drawn from the stock, by their indexes.
    pub drew: Option<Vec<u8>>,
    /// `FLAG_…` bits.
    pub flags: i16,
    /// When it was accepted.
    pub at: DateTime<Utc>,
}

/// Entries with `after < version <= up_to`, oldest first, at most `limit`.
///
/// # Errors
/// Only those of the database.
pub async fn action_list(
    mut connection: &AsyncPgConnection,
    match_id: MatchId,
    after: i32,
    up_to: i32,
    limit: i64,
) -> Result<Vec<ActionRow>, StoreError> {
    Ok(actions::table
        .filter(actions::match_id.eq(match_id.0))
        .filter(actions::version.gt(after))
        .filter(actions::version.le(up_to))
        .order(actions::version)
        .limit(limit)
        .select(ActionRow::as_select())
        .load(&mut connection)
        .await?)
}

/// Appends an entry, inside a transaction that has locked the match.
///
/// # Errors
/// `Taken("actions_pkey")` if the version exists.
pub async fn action_insert_in_txn(
    mut connection: &AsyncPgConnection,
    row: &ActionRow,
) -> Result<(), StoreError> {
    diesel::insert_into(actions::table).values(row).execute(&mut connection).await?;
    Ok(())
}
