//! Test matches: a client developer moves their clock and writes what the bots in them do. They count for nothing, and
//! there are some only where whoever runs the service allows them.

use chrono::TimeDelta;
use diesel_async::{AsyncConnection, AsyncPgConnection};
use yaniv_engine::{Action, Seat};

use super::replay::{self, Answer, IdempotencyKey};
use super::seat_changes::{entry_answer, store_entry};
use super::status::Status;
use super::table::Table;
use super::turns::load_for;
use super::{ServiceError, Services};
use crate::ids::{AccountId, MatchId};
use crate::store::actions::{KIND_CLOCK, action_find_by_key};
use crate::store::clock::clock_read;
use crate::store::matches::match_lock;
use crate::store::scripts::{script_find, script_save_in_txn};

/// Actions that a script has at most.
pub const SCRIPT_MOST: usize = 500;

impl Services {
    /// Moves the clock of a test match ahead.
    ///
    /// # Errors
    /// `MatchNotFound`, `NotASandbox`, `NotStarted`, `KeyReused`.
    pub async fn advance_clock(
        &self,
        account: AccountId,
        id: MatchId,
        by: TimeDelta,
        key: Option<IdempotencyKey>,
    ) -> Result<Answer, ServiceError> {
        let (table, answer) = self
            .durably(key.is_some(), false, move |mut connection, _| {
                let key = key.clone();
                async move {
                    connection
                        .transaction(async |connection| {
                            try_advance(connection, account, id, by, key.as_ref()).await
                        })
                        .await
                }
            })
            .await?;
        if let Some(table) = table {
            self.keep(&std::sync::Arc::new(table));
        }
        Ok(answer)
    }

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
                        let bot = table.player(Seat::new(seat)).is_some_and(|player| player.bot);
                        if !bot {
                            let detail = "has to be the seat of a bot";
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

async fn try_advance(
    connection: &AsyncPgConnection,
    account: AccountId,
    id: MatchId,
    by: TimeDelta,
    key: Option<&IdempotencyKey>,
) -> Result<(Option<Table>, Answer), ServiceError> {
    match_lock(connection, id).await?;
    let mut table = load_for(connection, account, id).await?;
    if let Some(key) = key
        && let Some(row) = action_find_by_key(connection, id, key.hash(account)).await?
    {
        return Ok((None, replay::answer(connection, account, key, &row).await?));
    }
    check(&table)?;
    if table.status != Status::Running {
        return Err(ServiceError::NotStarted);
    }
    let seat = table.seat_of(account).ok_or(ServiceError::MatchNotFound)?;
    let micros = by.num_microseconds().ok_or_else(|| ServiceError::internal("a time that is too long"))?;
    let now = clock_read(connection).await?;
    let at = table.clocks.time(now).checked_add_signed(by).unwrap_or(now);
    table.move_clock(micros, at);
    let key = key.map(|key| (key.hash(account), key.fingerprint));
    let entry = store_entry(connection, &mut table, KIND_CLOCK, seat, micros.to_string(), key).await?;
    let answer = entry_answer(&table, account, &entry)?;
    Ok((Some(table), answer))
}

fn check(table: &Table) -> Result<(), ServiceError> {
    if table.settings.sandbox { Ok(()) } else { Err(ServiceError::NotASandbox) }
}
