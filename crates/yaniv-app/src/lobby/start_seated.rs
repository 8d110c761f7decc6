//! Creates a match with all its players and starts it at once, without any of them online: for matchmaking
//! and challenges, which hold the lock and the transaction.

use chrono::{DateTime, Utc};
use uuid::Uuid;
use yaniv_db::Connection;
use yaniv_db::accounts::account_changes::account_share_in_txn;
use yaniv_db::notifications::scan_positions::announcement_begin_in_txn;
use yaniv_match::MatchState;
use yaniv_match::event::{LogEvent, LoggedEvent};
use yaniv_model::ids::AccountId;

use crate::ServiceError;
use crate::kernel::calendars::calendars_for_start_in_txn;
use crate::lobby::change::entry_of;
use crate::lobby::create::{Drawn, NewMatch, insert_match, new_row};
use crate::matches::load::empty_match;
use crate::matches::log::names_find;

/// A joining account, with its seed for the shuffles.
pub(crate) type Joining = (AccountId, String);

/// Creates a match in which all players join in this order, then starts it. Computed in memory first, and
/// only the final state is stored.
pub(crate) async fn make_started(
    connection: &Connection,
    new: &NewMatch,
    drawn: Drawn,
    joining: &[Joining],
    at: DateTime<Utc>,
) -> Result<(), ServiceError> {
    let mut row = new_row(new, drawn, at)?;
    let mut state = empty_match(&row)?;
    let entries = seat_all(connection, &mut state, joining, at).await?;
    row.started_at = state.started_at();
    insert_match(connection, row, &state, &entries).await?;
    announcement_begin_in_txn(connection, state.id()).await?;
    Ok(())
}

async fn seat_all(
    connection: &Connection,
    state: &mut MatchState,
    joining: &[Joining],
    at: DateTime<Utc>,
) -> Result<Vec<LoggedEvent>, ServiceError> {
    let accounts: Vec<Uuid> = joining.iter().map(|(account, _)| account.0).collect();
    let names = names_find(connection, &accounts).await?;
    let mut entries = Vec::new();
    for (account, client_seed) in joining {
        // Also for an account whose deletion has begun: the deletion waits, then withdraws the request or
        // resigns.
        if !names.contains_key(&account.0) {
            return Err(ServiceError::InvalidToken);
        }
        let event = LogEvent::Joined { account: *account, client_seed: client_seed.clone() };
        state.apply(&event, at, &names)?;
        entries.push(entry_of(state, event));
    }
    // A calendar change locks the account: it is either complete by now, or will find the match started.
    account_share_in_txn(connection, &accounts).await?;
    let calendars = calendars_for_start_in_txn(connection, &accounts, at).await?;
    if let Some((last, _)) = joining.last() {
        let event = LogEvent::Started { account: *last, calendars };
        state.apply(&event, at, &names)?;
        entries.push(entry_of(state, event));
    }
    Ok(entries)
}
