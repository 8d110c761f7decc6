//! Folds the log of a match in batches, so that memory does not grow with the log (an archived one is unpacked whole).
//!
//! Each batch is read over a connection that is returned before the batch is played in the bounded pool
//! (`replay_pool`).

use std::ops::ControlFlow;
use std::sync::Arc;

use yaniv_db::StoreError;
use yaniv_db::matches::rounds::round_start_find;
use yaniv_match::MatchState;
use yaniv_match::event::{LoggedEvent, Names};
use yaniv_model::ids::MatchId;

use crate::matches::load::at_round_start;
use crate::matches::log::log_load;
use crate::matches::replay_pool::ReplayPermit;
use crate::{ServiceError, Services};

/// Log entries per batch.
pub(crate) const PART: i64 = 1_000;

/// Range of log entries of a match: `after < version <= up_to`.
#[derive(Clone, Copy)]
pub(crate) struct LogRange {
    /// The match.
    pub(crate) id: MatchId,
    /// The version before the first entry.
    pub(crate) after: i32,
    /// The last version.
    pub(crate) up_to: i32,
}

impl Services {
    /// Processes a range of the log in batches, until its end or until `work` breaks. The caller has a permit
    /// of the replay pool.
    ///
    /// # Errors
    /// Those of the work and of the database.
    pub(crate) async fn work_through<S: Send + 'static>(
        &self,
        place: &Arc<ReplayPermit>,
        range: LogRange,
        mut state: S,
        work: impl Fn(&mut S, &[LoggedEvent], &Names) -> Result<ControlFlow<()>, ServiceError>
        + Copy
        + Send
        + 'static,
    ) -> Result<S, ServiceError> {
        let mut after = range.after;
        while after < range.up_to {
            let (log, names) = self.part(LogRange { after, ..range }).await?;
            let Some(last) = log.last().map(|entry| entry.version) else { break };
            let play = move || {
                let flow = work(&mut state, &log, &names)?;
                Ok((state, flow))
            };
            let (played, flow) = place.run(play).await?;
            state = played;
            if flow.is_break() {
                break;
            }
            after = last;
        }
        Ok(state)
    }

    async fn part(&self, range: LogRange) -> Result<(Vec<LoggedEvent>, Names), ServiceError> {
        let connection = self.store.connection().await?;
        log_load(&connection, range.id, (range.after, range.up_to), PART).await
    }

    /// A match at a version, without dedications; `now` is its current state.
    ///
    /// # Errors
    /// Those of the database, and damaged data.
    pub(crate) async fn at_version(
        &self,
        place: &Arc<ReplayPermit>,
        now: &MatchState,
        version: i32,
    ) -> Result<MatchState, ServiceError> {
        let start = self.start_before(now, version).await?;
        let range = LogRange { id: now.id(), after: start.version(), up_to: version };
        let match_state = self.work_through(place, range, start, fold_all).await?;
        if match_state.version() == version {
            return Ok(match_state);
        }
        Err(StoreError::Damaged(format!("log of {} ends before {version}", now.id())).into())
    }

    /// The last stored snapshot at or before a version: the start of a round, or else the match at version 0.
    ///
    /// # Errors
    /// Those of the database, and damaged data.
    pub(crate) async fn start_before(
        &self,
        now: &MatchState,
        version: i32,
    ) -> Result<MatchState, ServiceError> {
        let last = now.rounds().iter().rev().find(|round| round.last_version <= version);
        let Some(last) = last else { return Ok(now.at_the_beginning()) };
        let round = i16::try_from(last.round).map_err(ServiceError::internal)?;
        let connection = self.store.connection().await?;
        match round_start_find(&connection, now.id(), round).await? {
            Some(start) => at_round_start(now, &start),
            None => Ok(now.at_the_beginning()),
        }
    }
}

fn fold_all(
    match_state: &mut MatchState,
    log: &[LoggedEvent],
    names: &Names,
) -> Result<ControlFlow<()>, ServiceError> {
    for entry in log {
        match_state.fold(entry, names)?;
    }
    Ok(ControlFlow::Continue(()))
}
