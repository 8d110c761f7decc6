//! Standing orders: placing, reading, withdrawing. Only their owner can see them, and no other player's view
//! depends on them until they are executed (`automatic::orders`).

use chrono::{DateTime, Utc};
use yaniv_db::accounts::account_rows::account_keep_in_txn;
use yaniv_db::kernel::clock::clock_read;
use yaniv_db::matches::log::action_called_since;
use yaniv_db::matches::match_rows::{match_lock, match_ordered_update_in_txn};
use yaniv_db::turns::standing_orders::{
    STATE_VOID, STATE_WAITING, StandingOrdersRow, standing_orders_delete_in_txn, standing_orders_find,
    standing_orders_save_in_txn,
};
use yaniv_db::{Connection, StoreError, Transactions};
use yaniv_engine::{Card, Code, PlayError, Seat};
use yaniv_match::MatchState;
use yaniv_match::standing_orders::{Bound, Decision, StandingOrders, VoidReason};
use yaniv_model::ids::{AccountId, MatchId};

use crate::kernel::boxed;
use crate::matches::read::view_since;
use crate::turns::order_checks::check;
use crate::turns::play::{load_for, lock_for};
use crate::{ServiceError, Services};

/// Orders of a seat, as their owner sees them.
#[derive(Clone, Debug)]
pub struct OwnOrders {
    /// The orders.
    pub orders: StandingOrders,
    /// Version of the match that they are bound to.
    pub version: i32,
    /// When they were placed.
    pub placed_at: DateTime<Utc>,
    /// `waiting`, `carried_out` or `void`.
    pub state: String,
    /// Why they are void.
    pub reason: Option<String>,
    /// Version of the match after execution, or when they were found void.
    pub ended_version: Option<i32>,
}

impl Services {
    /// Places orders for the caller's next turn, replacing earlier ones. Repeating the same orders changes
    /// nothing.
    ///
    /// # Errors
    /// `MatchNotFound`, `NotStarted`, `VersionConflict`, `AlreadyYourTurn`, `InvalidField`, `Rejected`.
    #[boxed]
    pub async fn set_standing_orders(
        &self,
        account: AccountId,
        id: MatchId,
        expected_version: i32,
        orders: StandingOrders,
    ) -> Result<OwnOrders, ServiceError> {
        self.durably(true, false, move |mut connection, _| {
            let wanted = (expected_version, orders.clone());
            async move {
                connection.transaction(async |connection| place(connection, account, id, wanted).await).await
            }
        })
        .await
    }

    /// The caller's newest orders, with their current state.
    ///
    /// # Errors
    /// `MatchNotFound`.
    #[boxed]
    pub async fn orders(&self, account: AccountId, id: MatchId) -> Result<Option<OwnOrders>, ServiceError> {
        let match_state = self.match_for(account, id).await?;
        orders_of(&*self.store.connection().await?, account, &match_state).await
    }

    /// Withdraws the caller's orders; without orders, nothing changes.
    ///
    /// # Errors
    /// `MatchNotFound`.
    #[boxed]
    pub async fn remove_standing_orders(&self, account: AccountId, id: MatchId) -> Result<(), ServiceError> {
        self.durably(true, false, move |mut connection, _| async move {
            connection
                .transaction(async |connection| {
                    let match_state = lock_for(connection, account, id).await?;
                    let seat = seat_of(&match_state, account)?;
                    match_ordered_update_in_txn(connection, id, 1 << seat.number(), false).await?;
                    Ok(standing_orders_delete_in_txn(connection, id, i16::from(seat.number())).await?)
                })
                .await
        })
        .await
    }
}

/// The newest orders of an account in a match, with their current state.
///
/// # Errors
/// Those of the database.
pub(crate) async fn orders_of(
    connection: &Connection,
    account: AccountId,
    match_state: &MatchState,
) -> Result<Option<OwnOrders>, ServiceError> {
    let seat = seat_of(match_state, account)?;
    let found = standing_orders_find(connection, match_state.id(), i16::from(seat.number())).await?;
    // Safeguard: orders of another account are never shown, though a seat has one owner.
    let Some(mut row) = found.filter(|row| row.account_id == account.0) else { return Ok(None) };
    if row.state == STATE_WAITING
        && let Decision::Void(reason) = decision(connection, match_state, seat, &row).await?
    {
        // Void, but not yet processed by the scheduler, as it is not the seat's turn.
        row.state = STATE_VOID.to_owned();
        row.reason = Some(reason.as_str().to_owned());
    }
    OwnOrders::try_from(row).map(Some)
}

/// Decides the orders in the current position.
///
/// # Errors
/// Those of the database; `Internal` if the row is damaged.
pub(crate) async fn decision(
    connection: &Connection,
    match_state: &MatchState,
    seat: Seat,
    row: &StandingOrdersRow,
) -> Result<Decision, ServiceError> {
    let Some(game) = &match_state.game() else { return Ok(Decision::Void(VoidReason::MatchOver)) };
    let called = action_called_since(connection, match_state.id(), row.version).await?;
    Ok(stored_orders(row)?.decide(&bound(row)?, game, seat, called))
}

async fn place(
    connection: &Connection,
    account: AccountId,
    id: MatchId,
    (expected_version, orders): (i32, StandingOrders),
) -> Result<OwnOrders, ServiceError> {
    // First without the lock: refused callers must not make others wait.
    load_for(connection, account, id).await?;
    if account_keep_in_txn(connection, &[account.0]).await?.is_empty() {
        return Err(ServiceError::InvalidToken);
    }
    match_lock(connection, id).await?;
    let match_state = load_for(connection, account, id).await?;
    let seat = seat_of(&match_state, account)?;
    if let Some(row) = standing_orders_find(connection, id, i16::from(seat.number())).await?
        && row.account_id == account.0
        && row.version == expected_version
        && stored_orders(&row)? == orders
    {
        return OwnOrders::try_from(row);
    }
    let bound = checked(connection, &match_state, account, (expected_version, &orders)).await?;
    let row = StandingOrdersRow {
        match_id: id.0,
        seat: i16::from(seat.number()),
        account_id: account.0,
        version: match_state.version(),
        round: i16::try_from(bound.round).map_err(ServiceError::internal)?,
        turns: stored_turns(bound.turns)?,
        hand: bound.hand.iter().map(|card| card.index()).collect(),
        orders: serde_json::to_value(&orders).map_err(ServiceError::internal)?,
        placed_at: clock_read(connection).await?,
        state: STATE_WAITING.to_owned(),
        reason: None,
        ended_at: None,
        ended_version: None,
    };
    standing_orders_save_in_txn(connection, &row).await?;
    match_ordered_update_in_txn(connection, id, 1 << seat.number(), true).await?;
    OwnOrders::try_from(row)
}

/// The stored number of turns. Only a round older than the rules' bound can exceed the range.
fn stored_turns(turns: u16) -> Result<i16, ServiceError> {
    let detail = "the round has too many turns for standing orders";
    i16::try_from(turns).map_err(|_| ServiceError::Rejected(PlayError::new(Code::NotAllowedByRules, detail)))
}

/// Checks that orders may be placed now; returns the situation that they are bound to.
async fn checked(
    connection: &Connection,
    match_state: &MatchState,
    account: AccountId,
    (expected_version, orders): (i32, &StandingOrders),
) -> Result<Bound, ServiceError> {
    let seat = seat_of(match_state, account)?;
    let game = match_state.game().ok_or(ServiceError::NotStarted)?;
    let refused = |code, detail| Err(ServiceError::Rejected(PlayError::new(code, detail)));
    if game.is_over() {
        return refused(Code::MatchOver, "the match is over");
    }
    if game.is_out(seat) {
        return refused(Code::SeatOut, "your seat is out");
    }
    if match_state.clocks().is_held(seat.number()) {
        return Err(ServiceError::SeatHeld);
    }
    if match_state.version() != expected_version {
        let view = view_since(connection, match_state, account, expected_version).await?;
        return Err(ServiceError::VersionConflict(Box::new(view)));
    }
    if game.to_act().contains(&seat) {
        return Err(ServiceError::AlreadyYourTurn);
    }
    let view = game.view(Some(seat));
    check(orders, game, &view)?;
    let bound = Bound::now(&view, seat).ok_or(ServiceError::NotStarted)?;
    match orders.decide(&bound, game, seat, false) {
        Decision::Wait => Ok(bound),
        Decision::Act(_) => Err(ServiceError::AlreadyYourTurn),
        // For example after a call, there is no next turn in the round.
        Decision::Void(_) => refused(Code::WrongPhase, "there is nothing to order for in this phase"),
    }
}

fn seat_of(match_state: &MatchState, account: AccountId) -> Result<Seat, ServiceError> {
    match_state.seat_of(account).ok_or(ServiceError::MatchNotFound)
}

/// Whether this version of the program can parse the stored orders.
pub(crate) fn is_readable(row: &StandingOrdersRow) -> bool {
    stored_orders(row).is_ok() && bound(row).is_ok()
}

fn stored_orders(row: &StandingOrdersRow) -> Result<StandingOrders, ServiceError> {
    serde_json::from_value(row.orders.clone()).map_err(ServiceError::internal)
}

fn bound(row: &StandingOrdersRow) -> Result<Bound, ServiceError> {
    let card = |&index: &u8| {
        Card::from_index(index).ok_or_else(|| StoreError::Damaged(format!("card {index} of orders")))
    };
    Ok(Bound {
        round: u16::try_from(row.round).map_err(ServiceError::internal)?,
        turns: u16::try_from(row.turns).map_err(ServiceError::internal)?,
        hand: row.hand.iter().map(card).collect::<Result<_, _>>()?,
    })
}

impl TryFrom<StandingOrdersRow> for OwnOrders {
    type Error = ServiceError;

    fn try_from(row: StandingOrdersRow) -> Result<Self, ServiceError> {
        let orders = stored_orders(&row)?;
        let StandingOrdersRow { version, placed_at, state, reason, ended_version, .. } = row;
        Ok(Self { orders, version, placed_at, state, reason, ended_version })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_in_a_round_of_too_many_turns_are_refused() {
        assert_eq!(stored_turns(32_767).unwrap(), 32_767);
        let refused = stored_turns(32_768);
        assert!(
            matches!(&refused, Err(ServiceError::Rejected(error)) if error.code == Code::NotAllowedByRules),
            "{refused:?}"
        );
    }
}
