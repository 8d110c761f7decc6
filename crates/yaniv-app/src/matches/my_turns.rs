//! Matches that wait for the caller. Usually two queries, as the content comes from the match cache. The list
//! of all matches is in `list`.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use uuid::Uuid;
use yaniv_db::matches::my_turns::{WaitingRow, turn_list};
use yaniv_db::matches::seats::seat_close;
use yaniv_db::{Connection, StoreError};
use yaniv_match::MatchState;
use yaniv_match::clocks::Clocks;
use yaniv_match::event::LoggedEvent;
use yaniv_match::time_control::TimeControl;
use yaniv_match::view::LogEntry;
use yaniv_model::ids::{AccountId, MatchId};

use crate::kernel::boxed;
use crate::matches::list::MatchSummary;
use crate::matches::load::load_matches;
use crate::matches::log::{logs_load, names_of_players};
use crate::{ServiceError, Services};

/// Upper bound of the matches that are sorted by urgency; far above the number an account has.
pub(crate) const MOST_SORTED: i64 = 1_000;

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
    #[boxed]
    pub async fn my_turns(&self, account: AccountId, limit: usize) -> Result<Turns, ServiceError> {
        let connection = self.store.connection().await?;
        let (waiting, count) = turn_list(&connection, account, MOST_SORTED).await?;
        let urgent = most_urgent(waiting, limit)?;
        if urgent.is_empty() {
            return Ok(Turns { items: Vec::new(), count });
        }
        let ids: Vec<Uuid> = urgent.iter().map(|row| row.id).collect();
        let states = self.cached_matches(&connection, &urgent).await?;
        let states = ids.iter().filter_map(|id| states.get(id));
        let turns = states.map(|state| Turn {
            summary: MatchSummary::new(state, account),
            last: newest_entry(state, account),
        });
        // Between the reads the match may have moved on, or the seat been given up.
        Ok(Turns { items: turns.filter(|turn| turn.summary.your_turn).collect(), count })
    }

    /// The matches with their newest log entries: from the cache those that it has at their version, the others in one
    /// round trip. Matches that do not exist are left out.
    pub(crate) async fn cached_matches(
        &self,
        connection: &Connection,
        rows: &[WaitingRow],
    ) -> Result<HashMap<Uuid, Arc<MatchState>>, ServiceError> {
        let cached = |row: &WaitingRow| {
            self.match_cache.get(MatchId(row.id)).filter(|kept| kept.stands_at() == row.stands_at)
        };
        let mut states: HashMap<Uuid, Arc<MatchState>> =
            rows.iter().filter_map(|row| Some((row.id, cached(row)?))).collect();
        let absent: Vec<Uuid> = rows.iter().map(|row| row.id).filter(|id| !states.contains_key(id)).collect();
        let told = |id: &Uuid| states.get(id).is_some_and(|state| !state.tail().is_empty());
        let untold: Vec<(Uuid, i32)> =
            rows.iter().filter(|row| !told(&row.id)).map(|row| (row.id, row.stands_at.version)).collect();
        if untold.is_empty() {
            return Ok(states);
        }
        let (loaded, mut logs) =
            tokio::try_join!(load_matches(connection, &absent), logs_load(connection, &untold))?;
        states.extend(loaded.into_iter().map(|state| (state.id().0, Arc::new(state))));
        for (id, _) in &untold {
            if let (Some(state), Some(log)) = (states.get_mut(id), logs.remove(id)) {
                let state_after = with_tail(state, log?);
                self.match_cache.keep(&state_after);
                *state = state_after;
            }
        }
        Ok(states)
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

/// The newest log entry of a match, as an account sees it.
pub(crate) fn newest_entry(state: &MatchState, account: AccountId) -> Option<LogEntry> {
    let names = names_of_players(state);
    state.tail().last().map(|entry| LogEntry::for_viewer(entry, &names, state, account))
}

/// The matches with the nearest deadlines, at most `limit`. Matches without a deadline come last; ties are sorted by
/// longest wait.
pub(crate) fn most_urgent(waiting: Vec<WaitingRow>, limit: usize) -> Result<Vec<WaitingRow>, ServiceError> {
    let mut urgent = Vec::new();
    for row in waiting {
        urgent.push((deadline_of(&row)?.unwrap_or(DateTime::<Utc>::MAX_UTC), row));
    }
    urgent.sort_by_key(|(deadline, row)| (*deadline, row.stands_at.updated_at, row.id));
    urgent.truncate(limit);
    Ok(urgent.into_iter().map(|(_, row)| row).collect())
}

/// The match with these entries of its log in memory, as far as they are not newer than it.
fn with_tail(state: &MatchState, mut log: Vec<LoggedEvent>) -> Arc<MatchState> {
    log.retain(|entry| entry.version <= state.version());
    Arc::new(state.with_tail(log.into_iter().map(Arc::new).collect()))
}

/// The deadline of an account in a match, in database time.
fn deadline_of(row: &WaitingRow) -> Result<Option<DateTime<Utc>>, ServiceError> {
    let Some(stored) = &row.clocks else { return Ok(None) };
    let settings = TimeControl::from_stored(row.pace.as_ref())?.clock;
    let clocks = Clocks::from_stored(stored, &settings, row.stands_at.updated_at)?;
    let seat = u8::try_from(row.seat).map_err(ServiceError::internal)?;
    Ok(clocks.seat(seat).and_then(|of_seat| of_seat.clock.deadline()).map(|at| clocks.real(at)))
}
