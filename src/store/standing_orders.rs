//! Rows of `standing_orders`: what a seat is to do when it becomes its turn. Never shown to anybody but its owner. That a
//! match has some is a bit of its state (`matches`).

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::error::StoreError;
use super::schema::standing_orders;
use crate::ids::MatchId;

/// `state` of orders that are to be carried out.
pub const STATE_WAITING: &str = "waiting";
/// `state` of orders that were carried out.
pub const STATE_CARRIED_OUT: &str = "carried_out";
/// `state` of orders that will not be.
pub const STATE_VOID: &str = "void";

/// Orders of a seat. Not to be printed: they name cards of its hand.
#[derive(Clone, PartialEq, Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = standing_orders)]
#[diesel(treat_none_as_null = true)]
pub struct StandingOrdersRow {
    /// The match.
    pub match_id: Uuid,
    /// The seat.
    pub seat: i16,
    /// Who placed them.
    pub account_id: Uuid,
    /// Version of the match that they were placed at.
    pub version: i32,
    /// The round then.
    pub round: i16,
    /// Turns that the seat had had in it.
    pub turns: i16,
    /// The hand then, by the indexes of the cards.
    pub hand: Vec<u8>,
    /// What is to be done.
    pub orders: serde_json::Value,
    /// When they were placed.
    pub placed_at: DateTime<Utc>,
    /// `STATE_…`.
    pub state: String,
    /// Why they are void.
    pub reason: Option<String>,
    /// When they were carried out, or found to be void.
    pub ended_at: Option<DateTime<Utc>>,
    /// Version of the match after that.
    pub ended_version: Option<i32>,
}

/// The newest orders of a seat, whatever became of them.
///
/// # Errors
/// Only those of the database.
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

/// Stores orders of a seat, in the place of others. The transaction has locked the match.
///
/// # Errors
/// Only those of the database.
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

/// Deletes the orders of a seat, if there are any. The transaction has locked the match.
///
/// # Errors
/// Only those of the database.
pub async fn standing_orders_delete_in_txn(
    mut connection: &AsyncPgConnection,
    id: MatchId,
    seat: i16,
) -> Result<(), StoreError> {
    diesel::delete(standing_orders::table.find((id.0, seat))).execute(&mut connection).await?;
    Ok(())
}
