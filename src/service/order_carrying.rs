//! Carrying standing orders out, when it is the turn of a seat whose bit is set in `match_states.ordered`. In a transaction
//! that has locked the match, as everything that a match does by itself.

use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use yaniv_engine::{Action, Seat};

use super::ServiceError;
use super::cause::Cause;
use super::placed_orders::{decision, is_readable};
use super::standing_orders::{Carried, Decision, VoidReason};
use super::table::{Step, Table};
use crate::store::matches::match_ordered_update_in_txn;
use crate::store::standing_orders::{
    STATE_CARRIED_OUT, STATE_VOID, STATE_WAITING, StandingOrdersRow, standing_orders_find,
    standing_orders_save_in_txn,
};

/// What became of orders.
enum OrdersEnd {
    CarriedOut,
    Void(VoidReason),
}

/// Plays what the first of these seats that is waited for has ordered; who, and what was played, still to be stored.
/// Orders that turn out to be void are ended by it, and nothing is played.
///
/// # Errors
/// Those of the database.
pub(super) async fn play_ordered_in_txn(
    connection: &AsyncPgConnection,
    table: &mut Table,
    ordered: i16,
    at: DateTime<Utc>,
) -> Result<Option<(Seat, Vec<Step>)>, ServiceError> {
    let due = ordered & table.waiting_on();
    for seat in (0..10).filter(|seat| due >> seat & 1 == 1).map(Seat::new) {
        let Some(row) = waiting_orders(connection, table, seat).await? else { continue };
        if !is_readable(&row) {
            // No other deadline of the match waits for what nobody understands any more.
            end_in_txn(connection, table, row, OrdersEnd::Void(VoidReason::Refused), at).await?;
            continue;
        }
        let end = match decision(connection, table, seat, &row).await? {
            // That cannot be while they are waited for.
            Decision::Wait => OrdersEnd::Void(VoidReason::Refused),
            Decision::Void(reason) => OrdersEnd::Void(reason),
            Decision::Act(carried) => match play(table, seat, &carried) {
                Ok(steps) => {
                    if carried.is_last() {
                        end_in_txn(connection, table, row, OrdersEnd::CarriedOut, at).await?;
                    }
                    return Ok(Some((seat, steps)));
                }
                Err(ServiceError::Rejected(_)) => OrdersEnd::Void(VoidReason::Refused),
                Err(error) => return Err(error),
            },
        };
        end_in_txn(connection, table, row, end, at).await?;
    }
    Ok(None)
}

/// The orders of a seat that are to be carried out, if there are any.
async fn waiting_orders(
    connection: &AsyncPgConnection,
    table: &Table,
    seat: Seat,
) -> Result<Option<StandingOrdersRow>, ServiceError> {
    let found = standing_orders_find(connection, table.id(), i16::from(seat.number())).await?;
    let owner = table.player(seat).map(|player| player.account.0);
    // What somebody else has left behind is nobody's order.
    let row = found.filter(|row| row.state == STATE_WAITING && Some(row.account_id) == owner);
    if row.is_none() {
        match_ordered_update_in_txn(connection, table.id(), 1 << seat.number(), false).await?;
    }
    Ok(row)
}

/// Plays, and slams down if that was ordered and fits. What is refused changes nothing.
fn play(table: &mut Table, seat: Seat, carried: &Carried) -> Result<Vec<Step>, ServiceError> {
    let mut steps = vec![table.play(seat, &carried.action, Cause::Order)?];
    if let Some(first) = carried.slam_down
        && table.open_slam(seat).is_some()
    {
        steps.push(table.play(seat, &Action::Slam { first }, Cause::Order)?);
    }
    Ok(steps)
}

/// Notes what became of orders, at the version that the match has now.
async fn end_in_txn(
    connection: &AsyncPgConnection,
    table: &Table,
    row: StandingOrdersRow,
    end: OrdersEnd,
    at: DateTime<Utc>,
) -> Result<(), ServiceError> {
    match_ordered_update_in_txn(connection, table.id(), 1 << row.seat, false).await?;
    let (state, reason) = match end {
        OrdersEnd::CarriedOut => (STATE_CARRIED_OUT, None),
        OrdersEnd::Void(reason) => (STATE_VOID, Some(reason.as_str().to_owned())),
    };
    let row = StandingOrdersRow {
        state: state.to_owned(),
        reason,
        ended_at: Some(at),
        ended_version: Some(table.version),
        ..row
    };
    Ok(standing_orders_save_in_txn(connection, &row).await?)
}
