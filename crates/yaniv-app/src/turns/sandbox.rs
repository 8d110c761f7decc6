//! Sandboxes: matches for client developers, who can move the clock and script the bots. They are unrated,
//! and available only where the operator enables them.

use chrono::TimeDelta;
use yaniv_db::turns::sandbox_scripts::{script_find, script_save_in_txn};
use yaniv_db::{Connection, Transactions};
use yaniv_engine::{Action, Seat};
use yaniv_match::MatchState;
use yaniv_match::event::LogEvent;
use yaniv_match::status::Status;
use yaniv_model::ids::{AccountId, MatchId};

use crate::kernel::boxed;
use crate::turns::play::lock_for;
use crate::{ServiceError, Services};

/// Maximum number of actions in a script.
pub const MOST_SCRIPT: usize = 500;

impl Services {
    /// Replaces the script of a bot in a sandbox.
    ///
    /// # Errors
    /// `MatchNotFound`, `NotASandbox`, `InvalidField`.
    #[boxed]
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
                        let state = lock_for(connection, account, id).await?;
                        check(&state)?;
                        let bot = state.player(Seat::new(seat)).is_some_and(|player| player.level.is_some());
                        if !bot {
                            let detail = "must be the seat of a house bot";
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

/// The next legal action of a seat's script; illegal ones are skipped. The remaining script is stored with
/// the transaction.
///
/// # Errors
/// Those of the database.
pub(crate) async fn scripted_in_txn(
    connection: &Connection,
    state: &MatchState,
    seat: Seat,
) -> Result<Option<Action>, ServiceError> {
    if !state.settings().sandbox {
        return Ok(None);
    }
    let number = i16::from(seat.number());
    let script = script_find(connection, state.id(), number).await?.unwrap_or_default();
    let fits =
        |action: &Action| state.clone().play(seat, action, yaniv_match::origin::ActionOrigin::Player).is_ok();
    let mut left = script.iter();
    let next = left.by_ref().filter_map(|action| action.parse::<Action>().ok()).find(fits);
    let left: Vec<String> = left.cloned().collect();
    if left.len() != script.len() {
        script_save_in_txn(connection, state.id(), number, &left).await?;
    }
    Ok(next)
}

/// The event that moves the clock of a sandbox ahead.
///
/// # Errors
/// `NotASandbox`, `NotStarted`.
pub(crate) fn clock_moved(state: &MatchState, seat: Seat, by: TimeDelta) -> Result<LogEvent, ServiceError> {
    check(state)?;
    if state.status() != Status::Running {
        return Err(ServiceError::NotStarted);
    }
    let by = by.num_microseconds().ok_or_else(|| ServiceError::internal("a time that is too long"))?;
    Ok(LogEvent::ClockMoved { seat, by })
}

fn check(state: &MatchState) -> Result<(), ServiceError> {
    if state.settings().sandbox { Ok(()) } else { Err(ServiceError::NotASandbox) }
}
