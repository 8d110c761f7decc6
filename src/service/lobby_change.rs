//! How a change before the first card is decided, made and stored. `lobby` holds the lock and the transaction.

use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use yaniv_engine::Match;

use super::ServiceError;
use super::calendar_rows::calendars_for_start_in_txn;
use super::creation::{PUBLIC, new_code};
use super::house_bots::level_of;
use super::join_code::JoinCode;
use super::lobby::LobbyChange;
use super::rated_seats::check_seat;
use super::replay::{self, Answer, IdempotencyKey};
use super::settled::Player;
use super::status::Status;
use super::table::Table;
use super::table_start::calendars_to_detail;
use super::view::{LogEntry, MatchView};
use crate::ids::AccountId;
use crate::store::accounts::account_keep_in_txn;
use crate::store::actions::{
    ActionRow, KIND_CODE, KIND_JOINED, KIND_LEFT, KIND_NO_CODE, KIND_STARTED, action_insert_in_txn,
};
use crate::store::join_codes::{JoinCodeRow, join_code_insert_in_txn};
use crate::store::match_announcements::announcement_begin_in_txn;
use crate::store::matches::{StateRow, match_times_update_in_txn, state_update_in_txn};
use crate::store::open_matches::{OpenMatchRow, open_match_delete_in_txn, open_match_save_in_txn};
use crate::store::seats::{seat_delete_in_txn, seat_insert_in_txn, seat_move_in_txn};

/// Whom the match is open to for a change, at a time; whether a code has expired is not asked before it is known. All others hear nothing but that there is no such match.
pub(super) fn check_open(
    table: &Table,
    account: AccountId,
    change: &LobbyChange,
    now: Option<DateTime<Utc>>,
) -> Result<(), ServiceError> {
    let seated = table.seat_of(account).is_some();
    match change {
        LobbyChange::Join { code, .. } if !seated => {
            let open =
                table.status == Status::Waiting && now.is_none_or(|now| table.join_code.opens(code, now));
            if open { Ok(()) } else { Err(ServiceError::InvitationNotFound) }
        }
        LobbyChange::Join { .. } => Ok(()),
        _ if !seated => Err(ServiceError::MatchNotFound),
        _ => Ok(()),
    }
}

/// Whether those whom the match is open to may make the change now.
pub(super) fn check(table: &Table, account: AccountId, change: &LobbyChange) -> Result<(), ServiceError> {
    let seat = table.seat_of(account);
    match change {
        LobbyChange::Join { .. } if seat.is_some() => Err(ServiceError::AlreadySeated),
        LobbyChange::Join { .. } if is_full(table) => Err(ServiceError::Full),
        LobbyChange::Join { .. } => Ok(()),
        _ if table.status != Status::Waiting => Err(ServiceError::Started),
        LobbyChange::Start if table.players.len() < 2 => Err(ServiceError::TooFewPlayers),
        LobbyChange::Start if !is_host(table, account) && !is_full(table) => Err(ServiceError::NotHost),
        LobbyChange::RenewCode(_) | LobbyChange::RevokeCode if !is_host(table, account) => {
            Err(ServiceError::HostOnly)
        }
        _ => Ok(()),
    }
}

/// Whether somebody is the host: the first in joining order. Bots of the house are no hosts.
fn is_host(table: &Table, account: AccountId) -> bool {
    let host = table.players.iter().find(|player| player.level.is_none());
    host.is_some_and(|host| host.account == account)
}

fn is_full(table: &Table) -> bool {
    i16::try_from(table.players.len()).is_ok_and(|count| count >= table.settings.size)
}

/// Makes a change that has been checked, and answers its entry for the log.
pub(super) async fn apply(
    connection: &AsyncPgConnection,
    table: &mut Table,
    account: AccountId,
    change: &LobbyChange,
    key: Option<&IdempotencyKey>,
    at: DateTime<Utc>,
) -> Result<ActionRow, ServiceError> {
    let id = table.id();
    let (kind, detail) = match change {
        LobbyChange::Join { client_seed: seed, .. } => {
            let last = table.players.last().map_or(-1, |last| last.stored_seat);
            let stored_seat = last.checked_add(1).ok_or(ServiceError::Full)?;
            let kept = account_keep_in_txn(connection, &[account.0]).await?.pop();
            let row = kept.ok_or(ServiceError::InvalidToken)?;
            check_seat(table, &row)?;
            let (username, bot, level) = (row.username.clone(), row.is_bot(), level_of(row.level.as_deref()));
            seat_insert_in_txn(connection, id, account, stored_seat, seed).await?;
            table.join(Player { account, username, bot, level, client_seed: seed.clone(), stored_seat }, at);
            (KIND_JOINED, seed.clone())
        }
        LobbyChange::Leave => {
            seat_delete_in_txn(connection, id, account).await?;
            table.leave(account, at);
            (KIND_LEFT, String::new())
        }
        LobbyChange::Start => {
            // Who changes a calendar waits for the lock of the match, and finds it started.
            let accounts: Vec<_> = table.players.iter().map(|player| player.account.0).collect();
            let calendars = calendars_for_start_in_txn(connection, &accounts, at).await?;
            table.start(&calendars, at)?;
            for player in table.players.iter() {
                seat_move_in_txn(connection, id, player.account, player.stored_seat).await?;
            }
            (KIND_STARTED, calendars_to_detail(&calendars)?)
        }
        LobbyChange::RenewCode(time) => {
            let expires_at = time.and_then(|time| at.checked_add_signed(time));
            table.set_code(JoinCode { code: new_code(), expires_at }, at);
            join_code_insert_in_txn(connection, &code_row(table)).await?;
            (KIND_CODE, table.join_code.to_detail())
        }
        LobbyChange::RevokeCode => {
            table.revoke_code(at);
            join_code_insert_in_txn(connection, &code_row(table)).await?;
            (KIND_NO_CODE, String::new())
        }
    };
    Ok(entry_of(table, account, kind, detail, key))
}

/// The entry for the change that has just been made: of the table's version and time.
pub(super) fn entry_of(
    table: &Table,
    account: AccountId,
    kind: u8,
    detail: String,
    key: Option<&IdempotencyKey>,
) -> ActionRow {
    ActionRow {
        match_id: table.id().0,
        version: table.version,
        account_id: Some(account.0),
        kind,
        round: 0,
        seat: None,
        detail,
        drew: None,
        flags: 0,
        at: table.at,
        key_hash: key.map(|key| key.hash(account)),
        fingerprint: key.map(|key| key.fingerprint),
    }
}

fn code_row(table: &Table) -> JoinCodeRow {
    let JoinCode { code, expires_at } = JoinCode::clone(&table.join_code);
    JoinCodeRow { match_id: table.id().0, version: table.version, code, expires_at }
}

pub(super) async fn store(
    connection: &AsyncPgConnection,
    table: &Table,
    entry: &ActionRow,
) -> Result<(), ServiceError> {
    state_update_in_txn(connection, &state_of(table)?).await?;
    if table.started_at.is_some() || table.finished_at.is_some() {
        match_times_update_in_txn(connection, table.id(), table.started_at, table.finished_at).await?;
    }
    action_insert_in_txn(connection, entry).await?;
    if table.status == Status::Running {
        announcement_begin_in_txn(connection, table.id()).await?;
    }
    if table.settings.visibility == PUBLIC {
        list_or_not(connection, table).await?;
    }
    Ok(())
}

/// Keeps the list of open matches in step.
async fn list_or_not(connection: &AsyncPgConnection, table: &Table) -> Result<(), ServiceError> {
    if table.status != Status::Waiting {
        open_match_delete_in_txn(connection, table.id()).await?;
        return Ok(());
    }
    let size = table.settings.size;
    let taken = i16::try_from(table.players.len()).unwrap_or(size);
    let row = OpenMatchRow {
        match_id: table.id().0,
        code: table.join_code.code.clone(),
        preset: table.settings.preset.clone(),
        size,
        free: size.saturating_sub(taken),
        code_expires_at: table.join_code.expires_at,
        rated: table.settings.rated,
        longest_turn: table.settings.pace.longest_turn().and_then(|seconds| i32::try_from(seconds).ok()),
    };
    open_match_save_in_txn(connection, &row).await?;
    Ok(())
}

/// Everything that changes with the match, as it stands now.
///
/// # Errors
/// Only if it cannot be printed.
pub(super) fn state_of(table: &Table) -> Result<StateRow, ServiceError> {
    Ok(StateRow {
        match_id: table.id().0,
        version: table.version,
        status: table.status.as_str().to_owned(),
        waiting_on: table.waiting_on(),
        state: table.game.as_ref().map(Match::to_bytes),
        updated_at: table.at,
        gifts: table.stands_at().gifts,
        check_at: table.check_at(),
        clocks: table.stored_clocks()?,
    })
}

pub(super) async fn answer(
    table: &Table,
    account: AccountId,
    entries: &[ActionRow],
    connection: &AsyncPgConnection,
) -> Result<Answer, ServiceError> {
    let names = replay::names_of(connection, entries).await?;
    let entries = LogEntry::all_for_viewer(entries, &names, table, account)?;
    Ok(Answer { view: MatchView::new(table, account, entries), replayed: false })
}
