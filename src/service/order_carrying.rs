//! Carrying standing orders out: what whoever plays for absent players asks when it is the turn of a seat whose bit is set
//! in `match_states.ordered`. All in a transaction that has locked the match.

use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use yaniv_engine::Seat;

use super::ServiceError;
use super::placed_orders::decision;
use super::standing_orders::{Carried, Decision, VoidReason};
use super::table::Table;
use crate::store::matches::match_ordered_update_in_txn;
use crate::store::standing_orders::{
    STATE_CARRIED_OUT, STATE_VOID, STATE_WAITING, standing_orders_find, standing_orders_save_in_txn,
};

/// What became of orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OrdersEnd {
    /// They were carried out.
    CarriedOut,
    /// They will not be.
    Void(VoidReason),
}

/// What a seat has ordered for now, if anything. Orders that turn out to be void are ended by it.
///
/// # Errors
/// Those of the database; `Internal` if the row is damaged.
pub(super) async fn ordered_in_txn(
    connection: &AsyncPgConnection,
    table: &Table,
    seat: Seat,
    at: DateTime<Utc>,
) -> Result<Option<Carried>, ServiceError> {
    let found = standing_orders_find(connection, table.id(), i16::from(seat.number())).await?;
    let owner = table.player(seat).map(|player| player.account.0);
    // What somebody else has left behind is nobody's order.
    let row = found.filter(|row| row.state == STATE_WAITING && Some(row.account_id) == owner);
    let Some(row) = row else {
        match_ordered_update_in_txn(connection, table.id(), 1 << seat.number(), false).await?;
        return Ok(None);
    };
    match decision(connection, table, seat, &row).await? {
        Decision::Wait => Ok(None),
        Decision::Act(carried) => Ok(Some(carried)),
        Decision::Void(reason) => {
            orders_end_in_txn(connection, table, seat, OrdersEnd::Void(reason), at).await?;
            Ok(None)
        }
    }
}

/// Notes what became of a seat's orders, at the version that the match has now.
///
/// # Errors
/// Those of the database.
pub(super) async fn orders_end_in_txn(
    connection: &AsyncPgConnection,
    table: &Table,
    seat: Seat,
    end: OrdersEnd,
    at: DateTime<Utc>,
) -> Result<(), ServiceError> {
    match_ordered_update_in_txn(connection, table.id(), 1 << seat.number(), false).await?;
    let found = standing_orders_find(connection, table.id(), i16::from(seat.number())).await?;
    let Some(mut row) = found.filter(|row| row.state == STATE_WAITING) else { return Ok(()) };
    (row.state, row.reason) = match end {
        OrdersEnd::CarriedOut => (STATE_CARRIED_OUT.to_owned(), None),
        OrdersEnd::Void(reason) => (STATE_VOID.to_owned(), Some(reason.as_str().to_owned())),
    };
    (row.ended_at, row.ended_version) = (Some(at), Some(table.version));
    Ok(standing_orders_save_in_txn(connection, &row).await?)
}
