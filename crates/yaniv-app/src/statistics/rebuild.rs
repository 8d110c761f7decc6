//! Rebuild of the statistics from the logs alone. The service may run meanwhile; until the end, the figures
//! are too small. Normal counting is in `worker`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::task::JoinSet;
use uuid::Uuid;
use yaniv_db::matches::batch_reads::{match_count_started, match_list_started};
use yaniv_db::statistics::player_stats::count_nothing_in_txn;
use yaniv_db::{Store, StoreError, Transactions};

use crate::ServiceError;
use crate::matches::cache::MatchCache;
use crate::statistics::batch::Done;
use crate::statistics::resume_points::ResumePoints;
use crate::statistics::worker::count;

/// Matches per transaction.
const AT_A_TIME: i64 = 200;
/// Attempts to empty tables in use by others, and to run statements that fail because the database is busy.
const TRIES: u32 = 20;
/// Pause before a retry.
const PAUSE: Duration = Duration::from_millis(200);

/// Result of a rebuild.
#[derive(Debug)]
pub struct Rebuilt {
    /// Matches counted; all matches that have started.
    pub matches: u64,
    /// Of these, damaged ones, which were not counted.
    pub damaged: u64,
    /// The error that stopped it, with the match after which to resume.
    pub broken_off: Option<(Option<Uuid>, ServiceError)>,
}

/// Progress callback: matches done, of how many.
pub type Progress = Arc<dyn Fn(u64, u64) + Send + Sync>;

/// Shared progress of the workers.
#[derive(Clone, Default)]
struct Walk {
    last: Arc<Mutex<Option<Uuid>>>,
    done: Arc<AtomicU64>,
    damaged: Arc<AtomicU64>,
}

/// Empties the statistics and counts all matches again, with this number of workers, each with a connection.
///
/// To resume after a match, nothing is emptied: rounds counted since are not counted twice.
///
/// # Errors
/// Those of the database, before anything is counted.
pub async fn rebuild_statistics(
    store: &Store,
    after: Option<Uuid>,
    workers: usize,
    progress: &Progress,
) -> Result<Rebuilt, ServiceError> {
    let mut connection = store.connection().await?;
    let all = u64::try_from(match_count_started(&connection, after.unwrap_or_default()).await?);
    let all = all.unwrap_or_default();
    for tried in 1..=if after.is_some() { 0 } else { TRIES } {
        let emptied: Result<(), StoreError> =
            connection.transaction(async |connection| count_nothing_in_txn(connection).await).await;
        match emptied {
            Err(StoreError::Busy) if tried < TRIES => {}
            emptied => {
                emptied?;
                break;
            }
        }
    }
    drop(connection);
    let walk = Walk { last: Arc::new(Mutex::new(after)), ..Walk::default() };
    progress(0, all);
    let mut workers: JoinSet<_> =
        (0..workers.max(1)).map(|_| walk.clone().go(store.clone(), Arc::clone(progress), all)).collect();
    let mut broken_off: Option<(Option<Uuid>, ServiceError)> = None;
    while let Some(ended) = workers.join_next().await {
        if let Err(broken) = ended.map_err(ServiceError::internal)?
            && broken_off.as_ref().is_none_or(|first| broken.0 < first.0)
        {
            broken_off = Some(broken);
        }
    }
    let figure = |of: &AtomicU64| of.load(Ordering::Relaxed);
    Ok(Rebuilt { matches: figure(&walk.done), damaged: figure(&walk.damaged), broken_off })
}

impl Walk {
    /// A worker: runs until no match is left. The error has the match after which to resume.
    async fn go(
        self,
        store: Store,
        progress: Progress,
        all: u64,
    ) -> Result<(), (Option<Uuid>, ServiceError)> {
        loop {
            let mut after = None;
            match self.some(&store, &mut after).await {
                Ok(0) => return Ok(()),
                Ok(counted) => {
                    let done = self.done.fetch_add(counted, Ordering::Relaxed) + counted;
                    // Matches may start meanwhile.
                    progress(done, all.max(done));
                }
                Err(error) => return Err((after, error)),
            }
        }
    }

    /// Counts the next batch of matches; returns their number. `after` is set to the match before it.
    async fn some(&self, store: &Store, after: &mut Option<Uuid>) -> Result<u64, ServiceError> {
        let mut patience = Patience(TRIES);
        let mut last = self.last.lock().await;
        *after = *last;
        let found = loop {
            match next(store, *last).await {
                Err(error) if patience.has(&error).await => {}
                found => break found?,
            }
        };
        *last = found.last().copied().or(*last);
        drop(last);
        let all = u64::try_from(found.len()).unwrap_or_default();
        // Without cached resume points, so each match is counted from its first deal. Matches locked by
        // others are retried until done.
        let (books, mut left) = (ResumePoints::new(MatchCache::new(0)), found);
        while !left.is_empty() {
            match count_some(store, &left, &books).await {
                Err(error) if patience.has(&error).await => {}
                done => {
                    let done = done?;
                    let damaged = u64::try_from(done.damaged.len()).unwrap_or_default();
                    self.damaged.fetch_add(damaged, Ordering::Relaxed);
                    left = done.passed_over;
                    if !left.is_empty() {
                        tokio::time::sleep(PAUSE).await;
                    }
                }
            }
        }
        Ok(all)
    }
}

async fn next(store: &Store, after: Option<Uuid>) -> Result<Vec<Uuid>, ServiceError> {
    Ok(match_list_started(&*store.connection().await?, after.unwrap_or_default(), AT_A_TIME).await?)
}

async fn count_some(store: &Store, matches: &[Uuid], books: &ResumePoints) -> Result<Done, ServiceError> {
    count(&mut store.connection().await?, matches, books).await
}

/// Number of attempts left.
struct Patience(u32);

impl Patience {
    /// Whether to retry, after a pause: only if the database was busy or unavailable.
    async fn has(&mut self, error: &ServiceError) -> bool {
        let passing = matches!(error, ServiceError::Busy | ServiceError::Unavailable(_));
        self.0 = self.0.saturating_sub(1);
        if passing && self.0 > 0 {
            tokio::time::sleep(PAUSE).await;
        }
        passing && self.0 > 0
    }
}
