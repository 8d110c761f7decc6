//! Rows of `standing_orders`: conditional moves of a seat, visible to their owner only. Whether a match has
//! waiting ones is a bitmask in its state (see `matches`).

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::MatchId;

use crate::error::StoreError;
use crate::schema::standing_orders;

/// `state` of orders that wait for their turn.
pub const STATE_WAITING: &str = "waiting";
/// `state` of orders that were carried out.
pub const STATE_CARRIED_OUT: &str = "carried_out";
/// `state` of orders that were voided.
pub const STATE_VOID: &str = "void";

/// Orders of a seat. No `Debug`: they name cards of its hand.
#[derive(Clone, PartialEq, Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = standing_orders)]
#[diesel(treat_none_as_null = true)]
pub struct StandingOrdersRow {
    /// The match.
    pub match_id: Uuid,
    /// The seat.
    pub seat: i16,
    /// Account that placed them.
    pub account_id: Uuid,
    /// Version of the match at which they were placed.
    pub version: i32,
    /// Round at that version.
    pub round: i16,
    /// Number of turns that the seat had had in the round.
    pub turns: i16,
    /// The hand at that version, by card indexes.
    pub hand: Vec<u8>,
    /// The orders.
    pub orders: serde_json::Value,
    /// When they were placed.
    pub placed_at: DateTime<Utc>,
    /// `STATE_…`.
    pub state: String,
    /// Reason for being void.
    pub reason: Option<String>,
    /// When they were carried out or voided.
    pub ended_at: Option<DateTime<Utc>>,
    /// Version of the match after that.
    pub ended_version: Option<i32>,
}

/// The newest orders of a seat, in any state.
///
/// # Errors
/// Any database error.
pub async fn standing_orders_find(
    mut connection: &AsyncPgConnection,
    id: MatchId,
    seat: i16,
) -> Result<Option<StandingOrdersRow>, StoreError> {
    Ok(standing_orders::table
        .find((id.0, seat))
        .select(StandingOrdersRow::as_select())
        .first(&mut connection)
        .await
        .optional()?)
}

/// Stores orders of a seat, replacing others, in a transaction that has locked the match.
///
/// # Errors
/// Any database error.
pub async fn standing_orders_save_in_txn(
    mut connection: &AsyncPgConnection,
    row: &StandingOrdersRow,
) -> Result<(), StoreError> {
    diesel::insert_into(standing_orders::table)
        .values(row.clone())
        .on_conflict((standing_orders::match_id, standing_orders::seat))
        .do_update()
        .set(row.clone())
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Deletes the orders of a seat, if any, in a transaction that has locked the match.
///
/// # Errors
/// Any database error.
pub async fn standing_orders_delete_in_txn(
    mut connection: &AsyncPgConnection,
    id: MatchId,
    seat: i16,
) -> Result<(), StoreError> {
    diesel::delete(standing_orders::table.find((id.0, seat))).execute(&mut connection).await?;
    Ok(())
}
