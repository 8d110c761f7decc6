//! Matches that wait for the caller. Usually one query, as the content comes from the match cache. The list
//! of all matches is in `list`.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use yaniv_db::matches::my_turns::{WaitingRow, turn_list};
use yaniv_db::matches::seats::seat_close;
use yaniv_db::{Connection, StoreError};
use yaniv_match::MatchState;
use yaniv_match::clocks::Clocks;
use yaniv_match::time_control::TimeControl;
use yaniv_match::view::LogEntry;
use yaniv_model::ids::{AccountId, MatchId};
use yaniv_model::match_version::MatchVersion;

use crate::matches::list::MatchSummary;
use crate::matches::load::load_match;
use crate::matches::log::{log_load, names_of_players};
use crate::{ServiceError, Services};

/// Upper bound of the matches that are sorted by urgency; far above the number an account has.
const SORTED_MOST: i64 = 1_000;

/// A match that waits for the caller.
pub struct Turn {
    /// The match.
    pub summary: MatchSummary,
    /// The newest log entry.
    pub last: Option<LogEntry>,
}

/// The matches that wait for the caller.
pub struct Turns {
    /// Most urgent first.
    pub items: Vec<Turn>,
    /// Total number of matches that wait.
    pub count: i64,
}

impl Services {
    /// The matches that wait for the caller, most urgent first, at most `limit`.
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
        // Matches without a deadline come last; ties are sorted by longest wait.
        urgent.sort_by_key(|(deadline, row)| (*deadline, row.stands_at.updated_at, row.id));
        urgent.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        let mut items = Vec::new();
        for (_, row) in urgent {
            let Some(state) = self.cached_match(&connection, MatchId(row.id), row.stands_at).await? else {
                continue;
            };
            // Between the two reads the match may have moved on, or the seat been given up.
            let summary = MatchSummary::new(&state, account);
            if summary.your_turn {
                let names = names_of_players(&state);
                let last = state.tail.last();
                let last = last.map(|entry| LogEntry::for_viewer(entry, &names, &state, account));
                items.push(Turn { summary, last });
            }
        }
        Ok(Turns { items, count })
    }

    /// The match at this version, with its newest log entry; from the cache if it has that version.
    async fn cached_match(
        &self,
        connection: &Connection,
        id: MatchId,
        stands_at: MatchVersion,
    ) -> Result<Option<Arc<MatchState>>, ServiceError> {
        let kept = self.match_cache.get(id).filter(|kept| kept.stands_at() == stands_at);
        let state = match kept {
            Some(kept) if !kept.tail.is_empty() => return Ok(Some(kept)),
            Some(kept) => kept,
            None => match load_match(connection, id).await? {
                Some(state) => Arc::new(state),
                None => return Ok(None),
            },
        };
        let before = state.version.saturating_sub(1);
        let (last, _) = log_load(connection, id, (before, state.version), 1).await?;
        let mut state = MatchState::clone(&state);
        state.tail = Arc::new(last);
        let state = Arc::new(state);
        self.match_cache.keep(&state);
        Ok(Some(state))
    }

    /// Closes the seats of a finished match, so that queries for unfinished matches skip it. If this write is
    /// lost, housekeeping repeats it.
    pub(crate) fn close_seats(&self, id: MatchId) {
        let store = self.store.clone();
        let closing = async move {
            let closed = async { seat_close(&*store.connection().await?, id).await };
            if let Err(error) = closed.await {
                let _: &StoreError = &error;
                tracing::warn!(%error, "the seats of a finished match could not be closed");
            }
        };
        drop(self.writes.spawn_on(closing, &self.runtime));
    }
}

/// The deadline of an account in a match, in database time.
fn deadline_of(row: &WaitingRow) -> Result<Option<DateTime<Utc>>, ServiceError> {
    let Some(stored) = &row.clocks else { return Ok(None) };
    let settings = TimeControl::from_stored(row.pace.as_ref())?.clock;
    let clocks = Clocks::from_stored(stored, &settings, row.stands_at.updated_at)?;
    let seat = u8::try_from(row.seat).map_err(ServiceError::internal)?;
    Ok(clocks.seat(seat).and_then(|of_seat| of_seat.clock.deadline()).map(|at| clocks.real(at)))
}
