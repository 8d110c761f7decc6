//! Standing orders that were placed: placing them, looking at them, withdrawing them. Only their owner ever sees them, and
//! nothing else that anybody sees depends on them until they are carried out.

use chrono::{DateTime, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use yaniv_engine::{Card, Code, PlayError, Seat};

use super::looks::view_since;
use super::order_checks::check;
use super::standing_orders::{Bound, Decision, StandingOrders, VoidReason};
use super::table::Table;
use super::turns::load_for;
use super::{ServiceError, Services};
use crate::ids::{AccountId, MatchId};
use crate::store::StoreError;
use crate::store::accounts::account_keep_in_txn;
use crate::store::actions::action_called_since;
use crate::store::clock::clock_read;
use crate::store::matches::{match_lock, match_ordered_update_in_txn};
use crate::store::standing_orders::{
    STATE_VOID, STATE_WAITING, StandingOrdersRow, standing_orders_delete_in_txn, standing_orders_find,
    standing_orders_save_in_txn,
};

/// Orders of a seat, as their owner sees them.
#[derive(Clone, Debug)]
pub struct OwnOrders {
    /// What was ordered.
    pub orders: StandingOrders,
    /// Version of the match that they are bound to.
    pub version: i32,
    /// When they were placed.
    pub placed_at: DateTime<Utc>,
    /// `waiting`, `carried_out` or `void`.
    pub state: String,
    /// Why they are void.
    pub reason: Option<String>,
    /// Version of the match after they were carried out, or found to be void.
    pub ended_version: Option<i32>,
}

impl Services {
    /// Places orders for the caller's next turn, in the place of others. The same again changes nothing.
    ///
    /// # Errors
    /// `MatchNotFound`, `NotStarted`, `VersionConflict`, `YourTurn`, `InvalidField`, `Rejected`.
    pub async fn place_orders(
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

    /// The caller's newest orders, as they stand now.
    ///
    /// # Errors
    /// `MatchNotFound`.
    pub async fn orders(&self, account: AccountId, id: MatchId) -> Result<Option<OwnOrders>, ServiceError> {
        let table = self.table_for(account, id).await?;
        orders_of(&*self.store.connection().await?, account, &table).await
    }

    /// Withdraws the caller's orders; if there are none, nothing changes.
    ///
    /// # Errors
    /// `MatchNotFound`.
    pub async fn withdraw_orders(&self, account: AccountId, id: MatchId) -> Result<(), ServiceError> {
        self.durably(true, false, move |mut connection, _| async move {
            connection
                .transaction(async |connection| {
                    load_for(connection, account, id).await?;
                    match_lock(connection, id).await?;
                    let table = load_for(connection, account, id).await?;
                    let seat = seat_of(&table, account)?;
                    match_ordered_update_in_txn(connection, id, 1 << seat.number(), false).await?;
                    Ok(standing_orders_delete_in_txn(connection, id, i16::from(seat.number())).await?)
                })
                .await
        })
        .await
    }
}

/// The newest orders of an account in a match, as they stand now.
///
/// # Errors
/// Those of the database.
pub(super) async fn orders_of(
    connection: &AsyncPgConnection,
    account: AccountId,
    table: &Table,
) -> Result<Option<OwnOrders>, ServiceError> {
    let seat = seat_of(table, account)?;
    let found = standing_orders_find(connection, table.id(), i16::from(seat.number())).await?;
    // A seat has one owner; but nobody else is ever to see them.
    let Some(mut row) = found.filter(|row| row.account_id == account.0) else { return Ok(None) };
    if row.state == STATE_WAITING
        && let Decision::Void(reason) = decision(connection, table, seat, &row).await?
    {
        // Whoever carries them out has not come to it yet: it is nobody's turn.
        row.state = STATE_VOID.to_owned();
        row.reason = Some(reason.as_str().to_owned());
    }
    OwnOrders::try_from(row).map(Some)
}

/// What orders come to now.
///
/// # Errors
/// Those of the database; `Internal` if the row is damaged.
pub(super) async fn decision(
    connection: &AsyncPgConnection,
    table: &Table,
    seat: Seat,
    row: &StandingOrdersRow,
) -> Result<Decision, ServiceError> {
    let Some(game) = &table.game else { return Ok(Decision::Void(VoidReason::MatchOver)) };
    let called = action_called_since(connection, table.id(), row.version).await?;
    Ok(stored_orders(row)?.decide(&bound(row)?, game, seat, called))
}

async fn place(
    connection: &AsyncPgConnection,
    account: AccountId,
    id: MatchId,
    (expected_version, orders): (i32, StandingOrders),
) -> Result<OwnOrders, ServiceError> {
    // Without the lock first: who may not must not make others wait.
    load_for(connection, account, id).await?;
    if account_keep_in_txn(connection, &[account.0]).await?.is_empty() {
        return Err(ServiceError::InvalidToken);
    }
    match_lock(connection, id).await?;
    let table = load_for(connection, account, id).await?;
    let seat = seat_of(&table, account)?;
    if let Some(row) = standing_orders_find(connection, id, i16::from(seat.number())).await?
        && row.account_id == account.0
        && row.version == expected_version
        && stored_orders(&row)? == orders
    {
        return OwnOrders::try_from(row);
    }
    let bound = checked(connection, &table, account, (expected_version, &orders)).await?;
    let row = StandingOrdersRow {
        match_id: id.0,
        seat: i16::from(seat.number()),
        account_id: account.0,
        version: table.version,
        round: i16::try_from(bound.round).map_err(ServiceError::internal)?,
        turns: i16::try_from(bound.turns).map_err(ServiceError::internal)?,
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

/// Whether orders may be placed now, and what they are bound to.
async fn checked(
    connection: &AsyncPgConnection,
    table: &Table,
    account: AccountId,
    (expected_version, orders): (i32, &StandingOrders),
) -> Result<Bound, ServiceError> {
    let seat = seat_of(table, account)?;
    let game = table.game.as_ref().ok_or(ServiceError::NotStarted)?;
    let refused =
        |code, detail: &'static str| Err(ServiceError::Rejected(PlayError { code, detail: detail.into() }));
    if game.is_over() {
        return refused(Code::MatchOver, "the match is over");
    }
    if game.is_out(seat) {
        return refused(Code::SeatOut, "your seat is out");
    }
    if table.version != expected_version {
        let view = view_since(connection, table, account, expected_version).await?;
        return Err(ServiceError::VersionConflict(Box::new(view)));
    }
    if game.to_act().contains(&seat) {
        return Err(ServiceError::YourTurn);
    }
    let view = game.view(Some(seat));
    check(orders, game, &view)?;
    let bound = Bound::now(&view, seat).ok_or(ServiceError::NotStarted)?;
    match orders.decide(&bound, game, seat, false) {
        Decision::Wait => Ok(bound),
        Decision::Act(_) => Err(ServiceError::YourTurn),
        // After a call, for one: there is no next turn to order anything for.
        Decision::Void(_) => refused(Code::WrongPhase, "there is nothing to order for in this phase"),
    }
}

fn seat_of(table: &Table, account: AccountId) -> Result<Seat, ServiceError> {
    table.seat_of(account).ok_or(ServiceError::MatchNotFound)
}

/// Whether this version of the program understands stored orders.
pub(super) fn is_readable(row: &StandingOrdersRow) -> bool {
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
