//! Execution of standing orders, for seats whose bit is set in `match_states.ordered`. In a transaction that
//! holds the lock of the match, as all automatic actions. Placement is in `turns::orders`.

use chrono::{DateTime, Utc};
use yaniv_db::Connection;
use yaniv_db::matches::match_rows::match_ordered_update_in_txn;
use yaniv_db::turns::standing_orders::{
    STATE_CARRIED_OUT, STATE_VOID, STATE_WAITING, StandingOrdersRow, standing_orders_find,
    standing_orders_save_in_txn,
};
use yaniv_engine::{Action, Seat};
use yaniv_match::MatchState;
use yaniv_match::origin::ActionOrigin;
use yaniv_match::standing_orders::{Decision, OrderedAction, VoidReason};
use yaniv_match::state::Step;

use crate::ServiceError;
use crate::turns::orders::{decision, is_readable};

/// Result of the orders.
enum OrdersEnd {
    CarriedOut,
    Void(VoidReason),
}

/// Plays the orders of the first of these seats that has to act; returns the seat and the steps, not yet
/// stored.
///
/// Void orders are ended, and nothing is played for them.
///
/// # Errors
/// Those of the database.
pub(crate) async fn play_ordered_in_txn(
    connection: &Connection,
    match_state: &mut MatchState,
    ordered: i16,
    at: DateTime<Utc>,
) -> Result<Option<(Seat, Vec<Step>)>, ServiceError> {
    let due = ordered & match_state.waiting_on();
    for seat in (0..10).filter(|seat| due >> seat & 1 == 1).map(Seat::new) {
        let Some(row) = waiting_orders(connection, match_state, seat).await? else { continue };
        if !is_readable(&row) {
            // End unreadable orders, so that they do not block the match's other deadlines.
            end_in_txn(connection, match_state, row, OrdersEnd::Void(VoidReason::Refused), at).await?;
            continue;
        }
        let end = match decision(connection, match_state, seat, &row).await? {
            // Cannot happen while the seat has to act.
            Decision::Wait => OrdersEnd::Void(VoidReason::Refused),
            Decision::Void(reason) => OrdersEnd::Void(reason),
            Decision::Act(ordered) => match play(match_state, seat, &ordered) {
                Ok(steps) => {
                    if ordered.is_last() {
                        end_in_txn(connection, match_state, row, OrdersEnd::CarriedOut, at).await?;
                    }
                    return Ok(Some((seat, steps)));
                }
                Err(ServiceError::Rejected(_)) => OrdersEnd::Void(VoidReason::Refused),
                Err(error) => return Err(error),
            },
        };
        end_in_txn(connection, match_state, row, end, at).await?;
    }
    Ok(None)
}

/// The waiting orders of a seat, if there are any.
async fn waiting_orders(
    connection: &Connection,
    match_state: &MatchState,
    seat: Seat,
) -> Result<Option<StandingOrdersRow>, ServiceError> {
    let found = standing_orders_find(connection, match_state.id(), i16::from(seat.number())).await?;
    let owner = match_state.player(seat).map(|player| player.account.0);
    // Orders of a previous owner of the seat do not apply.
    let row = found.filter(|row| row.state == STATE_WAITING && Some(row.account_id) == owner);
    if row.is_none() {
        match_ordered_update_in_txn(connection, match_state.id(), 1 << seat.number(), false).await?;
    }
    Ok(row)
}

/// Plays the action, then the slam-down if ordered and possible. A refused action changes nothing.
fn play(
    match_state: &mut MatchState,
    seat: Seat,
    ordered: &OrderedAction,
) -> Result<Vec<Step>, ServiceError> {
    let mut steps = vec![match_state.play(seat, &ordered.action, ActionOrigin::Order)?];
    if let Some(first) = ordered.slam_down
        && match_state.open_slam(seat).is_some()
    {
        steps.push(match_state.play(seat, &Action::Slam { first }, ActionOrigin::Order)?);
    }
    Ok(steps)
}

/// Stores the result of orders, with the current version of the match.
async fn end_in_txn(
    connection: &Connection,
    match_state: &MatchState,
    row: StandingOrdersRow,
    end: OrdersEnd,
    at: DateTime<Utc>,
) -> Result<(), ServiceError> {
    match_ordered_update_in_txn(connection, match_state.id(), 1 << row.seat, false).await?;
    let (state, reason) = match end {
        OrdersEnd::CarriedOut => (STATE_CARRIED_OUT, None),
        OrdersEnd::Void(reason) => (STATE_VOID, Some(reason.as_str().to_owned())),
    };
    let row = StandingOrdersRow {
        state: state.to_owned(),
        reason,
        ended_at: Some(at),
        ended_version: Some(match_state.version()),
        ..row
    };
    Ok(standing_orders_save_in_txn(connection, &row).await?)
}
