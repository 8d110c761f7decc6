//! Test matches: a client developer moves their clock and writes what the bots in them do. They count for nothing, and
//! there are some only where whoever runs the service allows them.

use chrono::{DateTime, TimeDelta, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use yaniv_engine::{Action, Seat};

use super::status::Status;
use super::table::Table;
use super::turns::load_for;
use super::{ServiceError, Services};
use crate::ids::{AccountId, MatchId};
use crate::store::matches::match_lock;
use crate::store::scripts::{script_find, script_save_in_txn};

/// Actions that a script has at most.
pub const SCRIPT_MOST: usize = 500;

impl Services {
    /// Writes what a bot in a test match does next, in the place of what was written before.
    ///
    /// # Errors
    /// `MatchNotFound`, `NotASandbox`, `InvalidField`.
    pub async fn write_script(
        &self,
        account: AccountId,
        id: MatchId,
        seat: u8,
        actions: Vec<Action>,
    ) -> Result<(), ServiceError> {
        self.durably(true, false, move |mut connection, _| {
            let actions: Vec<String> = actions.iter().map(ToString::to_string).collect();
            async move {
                connection
                    .transaction(async |connection| {
                        match_lock(connection, id).await?;
                        let table = load_for(connection, account, id).await?;
                        check(&table)?;
                        let bot = table.player(Seat::new(seat)).is_some_and(|player| player.level.is_some());
                        if !bot {
                            let detail = "has to be the seat of a bot of the house";
                            return Err(ServiceError::InvalidField { field: "seat", detail });
                        }
                        Ok(script_save_in_txn(connection, id, i16::from(seat), &actions).await?)
                    })
                    .await
            }
        })
        .await
    }
}

/// What the script of a seat says is to be done next, if that can be done; what cannot be done is passed over. The script
/// without it is stored with the transaction.
///
/// # Errors
/// Those of the database.
pub(super) async fn scripted_in_txn(
    connection: &AsyncPgConnection,
    table: &Table,
    seat: Seat,
) -> Result<Option<Action>, ServiceError> {
    if !table.settings.sandbox {
        return Ok(None);
    }
    let number = i16::from(seat.number());
    let script = script_find(connection, table.id(), number).await?.unwrap_or_default();
    let fits = |action: &Action| table.clone().play(seat, action, super::cause::Cause::Player).is_ok();
    let mut left = script.iter();
    let next = left.by_ref().filter_map(|action| action.parse::<Action>().ok()).find(fits);
    let left: Vec<String> = left.cloned().collect();
    if left.len() != script.len() {
        script_save_in_txn(connection, table.id(), number, &left).await?;
    }
    Ok(next)
}

/// Moves the clock of a match ahead, and returns what the entry says of it.
///
/// # Errors
/// `NotASandbox`, `NotStarted`.
pub(super) fn clock_moved(
    table: &mut Table,
    by: TimeDelta,
    at: DateTime<Utc>,
) -> Result<String, ServiceError> {
    check(table)?;
    if table.status != Status::Running {
        return Err(ServiceError::NotStarted);
    }
    let micros = by.num_microseconds().ok_or_else(|| ServiceError::internal("a time that is too long"))?;
    table.move_clock(micros, at.checked_add_signed(by).unwrap_or(at));
    Ok(micros.to_string())
}

fn check(table: &Table) -> Result<(), ServiceError> {
    if table.settings.sandbox { Ok(()) } else { Err(ServiceError::NotASandbox) }
}
