//! A match that is made with all its players and started at once, with nobody online: what quick pairing and challenges
//! lead to. They hold the lock and the transaction.

use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use uuid::Uuid;

use super::ServiceError;
use super::calendar_rows::calendars_for_start_in_txn;
use super::creation::{Drawn, NewMatch, new_row};
use super::house_bots::level_of;
use super::lobby_change::{entry_of, state_of};
use super::settled::Player;
use super::table::Table;
use super::table_start::calendars_to_detail;
use crate::ids::AccountId;
use crate::store::account_changes::account_share_in_txn;
use crate::store::accounts::{AccountName, username_map};
use crate::store::actions::{ActionRow, KIND_JOINED, KIND_STARTED, action_insert_all_in_txn};
use crate::store::match_announcements::announcement_begin_in_txn;
use crate::store::matches::match_insert_in_txn;
use crate::store::seats::seat_insert_all_in_txn;

/// Somebody who joins, with their part of the shuffles.
pub(super) type Joining = (AccountId, String);

/// Makes a match: everybody joins in this order, then it starts. All of it is worked out first and stored as it stands then.
pub(super) async fn make_started(
    connection: &AsyncPgConnection,
    new: &NewMatch,
    drawn: Drawn,
    joining: &[Joining],
    at: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let mut row = new_row(new, drawn, at)?;
    let mut table = Table::empty(&row)?;
    let entries = seat_all(connection, &mut table, joining, at).await?;
    row.started_at = table.started_at;
    match_insert_in_txn(connection, &(row, state_of(&table)?)).await?;
    let seats: Vec<_> = table
        .players
        .iter()
        .map(|player| (player.account, player.stored_seat, player.client_seed.as_str()))
        .collect();
    seat_insert_all_in_txn(connection, table.id(), &seats).await?;
    action_insert_all_in_txn(connection, &entries).await?;
    announcement_begin_in_txn(connection, table.id()).await?;
    Ok(())
}

async fn seat_all(
    connection: &AsyncPgConnection,
    table: &mut Table,
    joining: &[Joining],
    at: DateTime<Utc>,
) -> Result<Vec<ActionRow>, ServiceError> {
    let accounts: Vec<Uuid> = joining.iter().map(|(account, _)| account.0).collect();
    let names = username_map(connection, &accounts).await?;
    let mut entries = Vec::new();
    for (stored_seat, (account, client_seed)) in (0_i16..).zip(joining) {
        let (account, client_seed) = (*account, client_seed.clone());
        // Also of an account whose deletion has begun: it waits until that takes the request back, or resigns.
        let AccountName { username, bot, level } =
            names.get(&account.0).cloned().ok_or(ServiceError::InvalidToken)?;
        let level = level_of(level.as_deref());
        let seed = client_seed.clone();
        table.join(Player { account, username, bot, level, client_seed: seed, stored_seat }, at);
        entries.push(entry_of(table, account, KIND_JOINED, client_seed, None));
    }
    // Who changes a calendar has the account locked: either it is done by now, or it finds the match started.
    account_share_in_txn(connection, &accounts).await?;
    let calendars = calendars_for_start_in_txn(connection, &accounts, at).await?;
    table.start(&calendars, at)?;
    if let Some((last, _)) = joining.last() {
        entries.push(entry_of(table, *last, KIND_STARTED, calendars_to_detail(&calendars)?, None));
    }
    Ok(entries)
}
