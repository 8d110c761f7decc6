//! Playing matches again for who wants to see them: away from the threads that answer, few at a time, and the dear part of it
//! kept for a while.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use tokio::sync::Semaphore;
use uuid::Uuid;

use super::ServiceError;
use super::round_analysis::RoundAnalysis;

/// Matches that are played again at a time, at an instance: those who play have the other cores.
const AT_ONCE: usize = 1;
/// Requests that may wait for that; more are turned away.
const QUEUE: usize = 32;
/// Decisions that are kept in memory, appraised: of 300 bytes or so each.
const KEPT: u64 = 40_000;

/// What an analysis is of: match and round, and when that ended by which entry, as after a loss it may come again otherwise.
pub(super) type AnalysisKey = (Uuid, u16, i32, DateTime<Utc>);

/// Where matches are played again.
#[derive(Clone)]
pub(super) struct Replaying {
    running: Arc<Semaphore>,
    queued: Arc<Semaphore>,
    analyses: Arc<Cache<AnalysisKey, Arc<RoundAnalysis>, Weight>>,
}

#[derive(Clone)]
struct Weight;

impl Weighter<AnalysisKey, Arc<RoundAnalysis>> for Weight {
    fn weight(&self, _: &AnalysisKey, analysis: &Arc<RoundAnalysis>) -> u64 {
        u64::try_from(analysis.decisions.len()).unwrap_or(u64::MAX).saturating_add(1)
    }
}

impl Default for Replaying {
    fn default() -> Self {
        Self {
            running: Arc::new(Semaphore::new(AT_ONCE)),
            queued: Arc::new(Semaphore::new(AT_ONCE.saturating_add(QUEUE))),
            analyses: Arc::new(Cache::with_weighter(1_000, KEPT, Weight)),
        }
    }
}

impl Replaying {
    /// Does it on a thread of its own, when it is its turn.
    ///
    /// # Errors
    /// `Busy` if too many wait; those of the work.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, ServiceError> + Send + 'static,
    ) -> Result<T, ServiceError> {
        let place = Arc::clone(&self.queued).try_acquire_owned().map_err(|_| ServiceError::Busy)?;
        let turn = Arc::clone(&self.running).acquire_owned().await.map_err(|_| ServiceError::Busy)?;
        // The permits go with the work: a client that leaves makes no room for another.
        tokio::task::spawn_blocking(move || {
            let result = work();
            drop((turn, place));
            result
        })
        .await
        .map_err(ServiceError::internal)?
    }

    /// An analysis that was made before.
    pub(super) fn analysis(&self, key: &AnalysisKey) -> Option<Arc<RoundAnalysis>> {
        self.analyses.get(key)
    }

    /// Keeps an analysis.
    pub(super) fn keep(&self, key: AnalysisKey, analysis: &Arc<RoundAnalysis>) {
        self.analyses.insert(key, Arc::clone(analysis));
    }
}
