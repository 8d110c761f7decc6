//! The matches that wait for somebody: one question to the database, mostly, as what they show is in memory.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use diesel_async::AsyncPgConnection;

use super::clock_form::ClocksForm;
use super::list::MatchSummary;
use super::pace::Pace;
use super::replay::names_at;
use super::table::Table;
use super::view::LogEntry;
use super::{ServiceError, Services};
use crate::ids::{AccountId, MatchId};
use crate::store::StoreError;
use crate::store::actions::action_list;
use crate::store::match_versions::MatchVersion;
use crate::store::seats::seat_close;
use crate::store::turn_list::{WaitingRow, turn_list};

/// Matches that wait for somebody, of which the most urgent are shown: nobody has so many.
const SORTED_MOST: i64 = 1_000;

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
        let (waiting, count) = turn_list(&connection, account, SORTED_MOST).await?;
        let mut urgent = Vec::new();
        for row in waiting {
            urgent.push((deadline_of(&row)?.unwrap_or(DateTime::<Utc>::MAX_UTC), row));
        }
        // Those without a deadline come last; of equals, the one that has waited longest first.
        urgent.sort_by_key(|(deadline, row)| (*deadline, row.stands_at.updated_at, row.id));
        urgent.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        let mut items = Vec::new();
        for (_, row) in urgent {
            let Some(table) = self.table_at_hand(&connection, MatchId(row.id), row.stands_at).await? else {
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

/// Until when a match waits for an account.
fn deadline_of(row: &WaitingRow) -> Result<Option<DateTime<Utc>>, ServiceError> {
    let Some(stored) = &row.clocks else { return Ok(None) };
    let (mut clocks, turning) = ClocksForm::read(stored)?;
    let settings = Pace::from_stored(row.pace.as_ref())?.clock;
    for turned in &turning {
        clocks.turn(&settings, turned, row.stands_at.updated_at);
    }
    let seat = u8::try_from(row.seat).map_err(ServiceError::internal)?;
    Ok(clocks.seat(seat).and_then(|of_seat| of_seat.clock.deadline()).map(|at| clocks.real(at)))
}
