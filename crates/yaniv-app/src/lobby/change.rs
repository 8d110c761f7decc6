//! Checks, applies and stores a change before the first deal. The lock and the transaction are in
//! `join_leave_start`.

use chrono::{DateTime, Utc};
use yaniv_db::accounts::account_rows::AccountRow;
use yaniv_db::kernel::pipeline::both;
use yaniv_db::lobby::join_codes::{JoinCodeRow, join_code_insert_in_txn};
use yaniv_db::lobby::open_matches::{OpenMatchRow, open_match_delete_in_txn, open_match_save_in_txn};
use yaniv_db::lobby::removals::{RemovalRow, removal_insert_in_txn};
use yaniv_db::matches::log::action_insert_in_txn;
use yaniv_db::matches::match_rows::{match_times_update_in_txn, state_update_in_txn};
use yaniv_db::matches::seats::{seat_delete_in_txn, seat_insert_in_txn, seat_move_all_in_txn};
use yaniv_db::notifications::scan_positions::announcement_begin_in_txn;
use yaniv_db::{Connection, StoreError};
use yaniv_match::MatchState;
use yaniv_match::event::{LogEvent, LoggedEvent, Name, Names};
use yaniv_match::join_code::JoinCode;
use yaniv_match::settings::{PUBLIC, Player, host_seat, level_of};
use yaniv_match::status::Status;
use yaniv_match::view::{LogEntry, MatchView};
use yaniv_model::ids::AccountId;

use crate::ServiceError;
use crate::kernel::calendars::calendars_for_start_in_txn;
use crate::lobby::create::new_code;
use crate::lobby::join_leave_start::LobbyChange;
use crate::lobby::rated_seats::check_seat;
use crate::matches::load::state_of;
use crate::matches::log::{KeyColumns, names_load, names_of_players, row_of};
use crate::matches::repeated_write::Answer;

/// Checks access to the match for a change. Callers without access get "not found".
///
/// Without `now`, the expiry of the join code is not checked.
pub(crate) fn check_open(
    state: &MatchState,
    account: AccountId,
    change: &LobbyChange,
    now: Option<DateTime<Utc>>,
) -> Result<(), ServiceError> {
    let seated = state.seat_of(account).is_some();
    match change {
        LobbyChange::Join { code, .. } if !seated => {
            let open =
                state.status() == Status::Waiting && now.is_none_or(|now| state.join_code().opens(code, now));
            if open { Ok(()) } else { Err(ServiceError::JoinCodeNotFound) }
        }
        LobbyChange::Join { .. } => Ok(()),
        _ if !seated => Err(ServiceError::MatchNotFound),
        _ => Ok(()),
    }
}

/// Checks that a caller with access may make the change now.
pub(crate) fn check(
    state: &MatchState,
    account: AccountId,
    change: &LobbyChange,
) -> Result<(), ServiceError> {
    let seat = state.seat_of(account);
    match change {
        LobbyChange::Join { .. } if seat.is_some() => Err(ServiceError::AlreadySeated),
        LobbyChange::Join { .. } if is_full(state) => Err(ServiceError::Full),
        LobbyChange::Join { .. } => Ok(()),
        _ if state.status() != Status::Waiting => Err(ServiceError::Started),
        LobbyChange::Start if state.players().len() < 2 => Err(ServiceError::TooFewPlayers),
        LobbyChange::Start if !is_host(state, account) && !is_full(state) => Err(ServiceError::HostOnly),
        LobbyChange::RenewCode(_) | LobbyChange::RevokeCode | LobbyChange::Remove(_)
            if !is_host(state, account) =>
        {
            Err(ServiceError::HostOnly)
        }
        LobbyChange::Remove(username) if player_named(state, username)?.account == account => {
            Err(ServiceError::OwnAccount)
        }
        _ => Ok(()),
    }
}

fn player_named<'a>(state: &'a MatchState, username: &str) -> Result<&'a Player, ServiceError> {
    let named = state.players().iter().find(|player| player.username == username);
    named.ok_or(ServiceError::PlayerNotFound)
}

/// The host of a match that waits for its start only: all seats are taken.
pub(crate) fn host_of_full(state: &MatchState) -> Option<AccountId> {
    let waits = state.status() == Status::Waiting && is_full(state);
    let host = host_seat(state.players()).filter(|_| waits)?;
    state.player(host).map(|player| player.account)
}

/// Whether the account is the host.
fn is_host(state: &MatchState, account: AccountId) -> bool {
    host_seat(state.players()).is_some_and(|host| state.seat_of(account) == Some(host))
}

fn is_full(state: &MatchState) -> bool {
    i16::try_from(state.players().len()).is_ok_and(|count| count >= state.settings().size)
}

/// Applies a checked change, and returns its log entry. `kept` has the account, if it joins.
pub(crate) async fn apply(
    connection: &Connection,
    state: &mut MatchState,
    account: AccountId,
    change: &LobbyChange,
    (at, kept): (DateTime<Utc>, &[AccountRow]),
) -> Result<LoggedEvent, ServiceError> {
    let mut names = Names::new();
    let event = match change {
        LobbyChange::Join { client_seed, .. } => {
            let event;
            (event, names) = join_event(state, account, kept, client_seed.clone())?;
            event
        }
        LobbyChange::Leave => LogEvent::Left { account },
        LobbyChange::Remove(username) => {
            LogEvent::Removed { account: player_named(state, username)?.account }
        }
        LobbyChange::Start => {
            // A calendar change waits for the lock of the match, and then finds it started.
            let accounts: Vec<_> = state.players().iter().map(|player| player.account.0).collect();
            let calendars = calendars_for_start_in_txn(connection, &accounts, at).await?;
            LogEvent::Started { account, calendars }
        }
        LobbyChange::RenewCode(time) => {
            let expires_at = time.and_then(|time| at.checked_add_signed(time));
            LogEvent::CodeRenewed { account, code: JoinCode { code: new_code(), expires_at } }
        }
        LobbyChange::RevokeCode => LogEvent::CodeRevoked { account },
    };
    state.apply(&event, at, &names)?;
    Ok(entry_of(state, event))
}

/// The event of an account that joins, if it is one of those kept, with its names.
///
/// # Errors
/// `InvalidToken`, `Rated`.
pub(crate) fn join_event(
    state: &MatchState,
    account: AccountId,
    kept: &[AccountRow],
    client_seed: String,
) -> Result<(LogEvent, Names), ServiceError> {
    let row = kept.iter().find(|row| row.id == account.0).ok_or(ServiceError::InvalidToken)?;
    check_seat(state, row)?;
    let (bot, level) = (row.is_bot(), level_of(row.level.as_deref()));
    let (username, display_name) = (row.username.clone(), row.display_name.clone());
    let names = Names::from_iter([(account.0, Name { username, display_name, bot, level })]);
    Ok((LogEvent::Joined { account, client_seed }, names))
}

/// The log entry of the event just applied, with the match's version and time.
pub(crate) fn entry_of(state: &MatchState, event: LogEvent) -> LoggedEvent {
    LoggedEvent { version: state.version(), at: state.at(), round: 0, event }
}

fn removal_row(state: &MatchState, removed: AccountId) -> RemovalRow {
    RemovalRow {
        match_id: state.id().0,
        version: state.version(),
        account_id: removed.0,
        removed_at: state.at(),
        code: state.join_code().code.clone(),
    }
}

fn code_row(state: &MatchState) -> JoinCodeRow {
    let JoinCode { code, expires_at } = JoinCode::clone(state.join_code());
    JoinCodeRow { match_id: state.id().0, version: state.version(), code, expires_at }
}

/// Stores an applied change, in one round trip: the match, its log entry, and the rows of the event.
pub(crate) async fn store(
    connection: &Connection,
    state: &MatchState,
    entry: &LoggedEvent,
    key: Option<KeyColumns>,
) -> Result<(), ServiceError> {
    let (row, logged) = (state_of(state)?, row_of(state.id(), entry, key)?);
    let listed = async {
        if state.settings().visibility == PUBLIC { list_or_not(connection, state).await } else { Ok(()) }
    };
    let of_match = both(state_update_in_txn(connection, &row), action_insert_in_txn(connection, &logged));
    both(store_event(connection, state, &entry.event), both(of_match, listed)).await?;
    Ok(())
}

/// Stores the rows of an applied event except the match itself.
async fn store_event(
    connection: &Connection,
    state: &MatchState,
    event: &LogEvent,
) -> Result<(), StoreError> {
    let id = state.id();
    let ended = async {
        match state.finished_at() {
            None => Ok(()),
            ended => match_times_update_in_txn(connection, id, state.started_at(), ended).await,
        }
    };
    match event {
        LogEvent::Joined { account, client_seed } => {
            let stored_seat = state.players().last().map_or(0, |player| player.stored_seat);
            seat_insert_in_txn(connection, id, *account, stored_seat, client_seed).await
        }
        LogEvent::Left { account } => {
            both(seat_delete_in_txn(connection, id, *account), ended).await.map(|_| ())
        }
        LogEvent::Removed { account } => {
            let row = removal_row(state, *account);
            let removed = both(removal_insert_in_txn(connection, &row), ended);
            both(seat_delete_in_txn(connection, id, *account), removed).await.map(|_| ())
        }
        LogEvent::Started { .. } => {
            let players = state.players().iter();
            let (accounts, seats): (Vec<_>, Vec<_>) =
                players.map(|player| (player.account.0, player.stored_seat)).unzip();
            let seated = seat_move_all_in_txn(connection, id, (&accounts, &seats));
            let begun = match_times_update_in_txn(connection, id, state.started_at(), None);
            both(seated, both(begun, announcement_begin_in_txn(connection, id))).await.map(|_| ())
        }
        _ => join_code_insert_in_txn(connection, &code_row(state)).await,
    }
}

/// Updates the list of open matches.
pub(crate) async fn list_or_not(connection: &Connection, state: &MatchState) -> Result<(), StoreError> {
    if state.status() != Status::Waiting {
        return open_match_delete_in_txn(connection, state.id()).await;
    }
    let size = state.settings().size;
    let taken = i16::try_from(state.players().len()).unwrap_or(size);
    let row = OpenMatchRow {
        match_id: state.id().0,
        code: state.join_code().code.clone(),
        preset: state.settings().preset.clone(),
        size,
        free: size.saturating_sub(taken),
        code_expires_at: state.join_code().expires_at,
        rated: state.settings().rated,
        longest_turn: state
            .settings()
            .time_control
            .longest_turn()
            .and_then(|seconds| i32::try_from(seconds).ok()),
    };
    open_match_save_in_txn(connection, &row).await
}

pub(crate) async fn answer(
    state: &MatchState,
    account: AccountId,
    entries: &[LoggedEvent],
    connection: &Connection,
) -> Result<Answer, ServiceError> {
    let mut names = names_of_players(state);
    let mut accounts = entries.iter().filter_map(|entry| entry.event.account());
    if accounts.any(|account| !names.contains_key(&account.0)) {
        names = names_load(connection, entries).await?;
    }
    let entries = LogEntry::all_for_viewer(entries, &names, state, account);
    Ok(Answer { view: MatchView::new(state, account, entries), replayed: false })
}

/// Removes the house bots from a waiting match without other players, which cancels it.
pub(crate) async fn leave_with_the_last(
    connection: &Connection,
    state: &mut MatchState,
    at: DateTime<Utc>,
) -> Result<(), ServiceError> {
    if state.status() != Status::Waiting || state.players().iter().any(|player| player.level.is_none()) {
        return Ok(());
    }
    let bots: Vec<AccountId> = state.players().iter().map(|player| player.account).collect();
    for bot in bots {
        let entry = apply(connection, state, bot, &LobbyChange::Leave, (at, &[])).await?;
        store(connection, state, &entry, None).await?;
    }
    Ok(())
}
