//! Rows of `matches` (what is settled) and `match_states` (what changes), which belong together one to one.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::SmallInt;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::error::StoreError;
use super::schema::{match_states, matches};
use crate::ids::MatchId;

/// What is settled when a match is created.
#[derive(Clone, Queryable, Selectable, Insertable)]
#[diesel(table_name = matches)]
pub struct MatchRow {
    /// Its identifier.
    pub id: Uuid,
    /// Short code to share.
    pub code: String,
    /// Complete rule set in the file form.
    pub rules: serde_json::Value,
    /// Preset, if the rules are exactly one.
    pub preset: Option<String>,
    /// Seats.
    pub size: i16,
    /// `joined` or `random`.
    pub seat_order: String,
    /// `s[1000]` of the chain of seeds.
    pub secret: Vec<u8>,
    /// `s[0]` of the chain, in hexadecimal.
    pub commitment: String,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When the first cards were dealt.
    pub started_at: Option<DateTime<Utc>>,
    /// When it was won or given up.
    pub finished_at: Option<DateTime<Utc>>,
    /// `private` or `public`.
    pub visibility: String,
    /// When the first code no longer lets anybody in.
    pub code_expires_at: Option<DateTime<Utc>>,
    /// Clock, and what is done for absent players; none: no clock.
    pub pace: Option<serde_json::Value>,
    /// Whether it is a test match, whose clock can be moved.
    pub sandbox: bool,
    /// Whether it counts for the ratings of its players.
    pub rated: bool,
}

/// What changes with every action.
#[derive(Clone, Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = match_states, treat_none_as_null = true)]
pub struct StateRow {
    /// The match.
    pub match_id: Uuid,
    /// Number of the newest action.
    pub version: i32,
    /// `waiting`, `running`, `finished` or `cancelled`.
    pub status: String,
    /// Bit n is set while seat n has to act.
    pub waiting_on: i16,
    /// The position, as the engine writes it.
    pub state: Option<Vec<u8>>,
    /// When the newest action was accepted.
    pub updated_at: DateTime<Utc>,
    /// Number of dedications so far.
    pub gifts: i16,
    /// When to look whether something has to be done by itself.
    pub check_at: Option<DateTime<Utc>>,
    /// The clocks before the newest action, and what that did to them.
    pub clocks: Option<String>,
}

/// Both rows of a match.
pub type FullRow = (MatchRow, StateRow);

/// Stores a new match, inside a transaction.
///
/// # Errors
/// `Taken("matches_code_key")` if the code is in use.
pub async fn match_insert_in_txn(
    mut connection: &AsyncPgConnection,
    (row, state): &FullRow,
) -> Result<(), StoreError> {
    diesel::insert_into(matches::table).values(row).execute(&mut connection).await?;
    diesel::insert_into(match_states::table).values(state).execute(&mut connection).await?;
    Ok(())
}

/// Finds a match. Does not ask who wants to know: `seats` decides that.
///
/// # Errors
/// Only those of the database.
pub async fn match_find(
    mut connection: &AsyncPgConnection,
    id: MatchId,
) -> Result<Option<FullRow>, StoreError> {
    Ok(match_states::table
        .inner_join(matches::table)
        .filter(match_states::match_id.eq(id.0))
        .select((MatchRow::as_select(), StateRow::as_select()))
        .first(&mut connection)
        .await
        .optional()?)
}

/// Locks a match until the end of the transaction; outside one, waits until nobody holds it.
///
/// # Errors
/// `Busy` after three seconds.
pub async fn match_lock(mut connection: &AsyncPgConnection, id: MatchId) -> Result<bool, StoreError> {
    Ok(match_states::table
        .find(id.0)
        .select(match_states::match_id)
        .for_update()
        .first::<Uuid>(&mut connection)
        .await
        .optional()?
        .is_some())
}

/// Writes a state over the one that the transaction has locked.
///
/// # Errors
/// Only those of the database.
pub async fn state_update_in_txn(
    mut connection: &AsyncPgConnection,
    state: &StateRow,
) -> Result<(), StoreError> {
    diesel::update(match_states::table.find(state.match_id)).set(state).execute(&mut connection).await?;
    Ok(())
}

/// Seats of a match whose standing orders wait, a bit each; none if there is no such match.
///
/// # Errors
/// Only those of the database.
pub async fn match_ordered_find(mut connection: &AsyncPgConnection, id: MatchId) -> Result<i16, StoreError> {
    let found = match_states::table.find(id.0).select(match_states::ordered).first(&mut connection).await;
    Ok(found.optional()?.unwrap_or_default())
}

/// Sets or clears bits of the seats whose standing orders wait, of a match that the transaction has locked.
///
/// # Errors
/// Only those of the database.
pub async fn match_ordered_update_in_txn(
    mut connection: &AsyncPgConnection,
    id: MatchId,
    seats: i16,
    waiting: bool,
) -> Result<(), StoreError> {
    let change = if waiting { "ordered | $2" } else { "ordered & ~$2" };
    diesel::sql_query(format!(
        "UPDATE match_states SET ordered = {change} WHERE match_id = $1 AND ordered <> {change}"
    ))
    .bind::<diesel::sql_types::Uuid, _>(id.0)
    .bind::<SmallInt, _>(seats)
    .execute(&mut connection)
    .await?;
    Ok(())
}

/// Notes when a match started or was given up.
///
/// # Errors
/// Only those of the database.
pub async fn match_times_update_in_txn(
    mut connection: &AsyncPgConnection,
    id: MatchId,
    started_at: Option<DateTime<Utc>>,
    finished_at: Option<DateTime<Utc>>,
) -> Result<(), StoreError> {
    diesel::update(matches::table.find(id.0))
        .set((matches::started_at.eq(started_at), matches::finished_at.eq(finished_at)))
        .execute(&mut connection)
        .await?;
    Ok(())
}
