//! Looking at a match, and what tells one look from another.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;
use yaniv_engine::Seat;

use super::replay::{self, names_at};
use super::table::Table;
use super::view::{LogEntry, MatchView};
use super::{ServiceError, Services};
use crate::ids::{AccountId, MatchId};
use crate::store::actions::action_list;
use crate::store::match_versions::MatchVersion;

/// Entries of the log that come with a view at most; `history` has the rest.
pub(super) const RECENT_LIMIT: i64 = 100;

/// A match as it stood when a player looked. What it shows, `Services::view` draws.
pub struct Look {
    table: Arc<Table>,
    account: AccountId,
}

/// What a view depends on, all of which its viewer may know: views with the same mark are the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Number of entries in the log.
    pub version: i32,
    /// Number of dedications.
    pub gifts: i16,
    /// When the newest entry was accepted: after a loss a version can come again with another content.
    pub updated_at: DateTime<Utc>,
    /// The viewer's seat.
    pub seat: Option<Seat>,
    /// What the players are called: names may change.
    pub names: Vec<String>,
}

impl Look {
    /// What tells this look from others at the match.
    pub fn mark(&self) -> Mark {
        let MatchVersion { version, gifts, updated_at } = self.table.stands_at();
        let names = self.table.players.iter().map(|player| player.username.clone()).collect();
        Mark { version, gifts, updated_at, seat: self.table.seat_of(self.account), names }
    }
}

impl Services {
    /// Looks at a match.
    ///
    /// # Errors
    /// `MatchNotFound` unless the caller may read it.
    pub async fn look(&self, account: AccountId, id: MatchId) -> Result<Look, ServiceError> {
        let table = self.table_to_read(account, id).await?;
        if table.seat_of(account).is_some() {
            self.notices.saw(account, id);
        }
        Ok(Look { table, account })
    }

    /// What a player saw, with what had happened after a version.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn view(&self, look: &Look, since: Option<i32>) -> Result<MatchView, ServiceError> {
        match since.filter(|since| *since < look.table.version) {
            None => Ok(MatchView::new(&look.table, look.account, Vec::new())),
            Some(since) => match look.table.tail_after(since) {
                Some(rows) => {
                    let names = names_at(&look.table);
                    let entries = LogEntry::all_for_viewer(rows, &names, &look.table, look.account)?;
                    Ok(MatchView::new(&look.table, look.account, entries))
                }
                None => view_since(&*self.store.connection().await?, &look.table, look.account, since).await,
            },
        }
    }
}

/// A view with what had happened after a version.
///
/// # Errors
/// Those of the database.
pub(super) async fn view_since(
    connection: &AsyncPgConnection,
    table: &Table,
    account: AccountId,
    since: i32,
) -> Result<MatchView, ServiceError> {
    // If more has happened, the newest of it: `history` has the rest.
    let after = i64::from(since).max(i64::from(table.version) - RECENT_LIMIT);
    let after = i32::try_from(after).unwrap_or(since);
    let rows = action_list(connection, table.id(), after, table.version, RECENT_LIMIT).await?;
    let names = replay::names_of(connection, &rows).await?;
    Ok(MatchView::new(table, account, LogEntry::all_for_viewer(&rows, &names, table, account)?))
}
