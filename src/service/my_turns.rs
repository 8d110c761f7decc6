//! The matches that wait for somebody: one question to the database, mostly, as what they show is in memory.

use std::sync::Arc;

use diesel_async::AsyncPgConnection;

use super::list::MatchSummary;
use super::replay::names_at;
use super::table::Table;
use super::view::LogEntry;
use super::{ServiceError, Services};
use crate::ids::{AccountId, MatchId};
use crate::store::StoreError;
use crate::store::actions::action_list;
use crate::store::match_versions::MatchVersion;
use crate::store::seats::seat_close;
use crate::store::turn_list::turn_list;

/// A match that waits for the caller.
pub struct Turn {
    /// The match.
    pub summary: MatchSummary,
    /// What happened last in it.
    pub last: Option<LogEntry>,
}

/// The matches that wait for the caller.
pub struct Turns {
    /// Most urgent first.
    pub items: Vec<Turn>,
    /// How many there are in all.
    pub count: i64,
}

impl Services {
    /// The matches that wait for the caller, the most urgent first, at most so many.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn my_turns(&self, account: AccountId, limit: i64) -> Result<Turns, ServiceError> {
        let connection = self.store.connection().await?;
        // The most urgent is the one that has waited longest. Deadlines go before that: sort by them here.
        let (waiting, count) = turn_list(&connection, account, limit).await?;
        let mut items = Vec::new();
        for (id, stands_at) in waiting {
            let Some(table) = self.table_at_hand(&connection, MatchId(id), stands_at).await? else {
                continue;
            };
            // Between the two looks it may have gone on, or the seat been given up.
            let summary = MatchSummary::new(&table, account);
            if summary.your_turn {
                let last = table
                    .tail
                    .last()
                    .map(|row| LogEntry::for_viewer(row, &names_at(&table), &table, account));
                items.push(Turn { summary, last: last.transpose()? });
            }
        }
        Ok(Turns { items, count })
    }

    /// The match as it stands, with its last entry: that in memory, if it is said to stand so.
    async fn table_at_hand(
        &self,
        connection: &AsyncPgConnection,
        id: MatchId,
        stands_at: MatchVersion,
    ) -> Result<Option<Arc<Table>>, ServiceError> {
        let kept = self.tables.get(id).filter(|kept| kept.stands_at() == stands_at);
        let table = match kept {
            Some(kept) if !kept.tail.is_empty() => return Ok(Some(kept)),
            Some(kept) => kept,
            None => match Table::load(connection, id).await? {
                Some(table) => Arc::new(table),
                None => return Ok(None),
            },
        };
        let last = action_list(connection, id, table.version.saturating_sub(1), table.version, 1).await?;
        let table = Arc::new(Table { tail: Arc::new(last), ..Table::clone(&table) });
        self.tables.keep(&table);
        Ok(Some(table))
    }

    /// Notes that a match is over, for what is looked up among those that are not. Should it get lost, the caretaker does it.
    pub(super) fn close_seats(&self, id: MatchId) {
        let store = self.store.clone();
        let closing = async move {
            let closed = async { seat_close(&*store.connection().await?, id).await };
            if let Err(error) = closed.await {
                let _: &StoreError = &error;
                tracing::warn!(%error, "the seats of a match that is over were not closed");
            }
        };
        drop(self.writes.spawn_on(closing, &self.runtime));
    }
}
