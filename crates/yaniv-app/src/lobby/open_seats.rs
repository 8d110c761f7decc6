//! Bounds of the matches in which an account has a seat, checked before it gets another. Never on the path of a move.
//!
//! The check is not exact: of two concurrent requests both may pass. That is enough, as the bounds only limit what a
//! request reads.

use yaniv_db::Connection;
use yaniv_db::matches::seats::{OpenSeats, seat_count_open};
use yaniv_model::ids::AccountId;

use crate::ServiceError;
use crate::kernel::bounds::{RUNNING_MATCHES, WAITING_MATCHES};

/// Checks that an account may play one more match.
///
/// # Errors
/// `TooManyRunningMatches`.
pub(crate) async fn check_running(connection: &Connection, account: AccountId) -> Result<(), ServiceError> {
    check(seat_count_open(connection, account).await?, false)
}

/// Checks that an account may have a seat in one more match, which waits for players.
///
/// # Errors
/// `TooManyWaitingMatches`, `TooManyRunningMatches`.
pub(crate) async fn check_waiting(connection: &Connection, account: AccountId) -> Result<(), ServiceError> {
    check(seat_count_open(connection, account).await?, true)
}

fn check(open: OpenSeats, waits: bool) -> Result<(), ServiceError> {
    if RUNNING_MATCHES.reached(open.running) {
        Err(ServiceError::TooManyRunningMatches)
    } else if waits && WAITING_MATCHES.reached(open.waiting) {
        Err(ServiceError::TooManyWaitingMatches)
    } else {
        Ok(())
    }
}
