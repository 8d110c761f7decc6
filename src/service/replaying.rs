//! Playing matches again for who wants to see them: away from the threads that answer, few at a time, and the dear part of it
//! kept for a while.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Utc};
use quick_cache::Weighter;
use quick_cache::sync::Cache;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use uuid::Uuid;

use super::ServiceError;
use super::round_analysis::RoundAnalysis;
use crate::ids::AccountId;

/// Matches that are played again at a time, at an instance: those who play have the other cores.
const AT_ONCE: usize = 1;
/// Requests that may wait for that; more are turned away.
const QUEUE: usize = 32;
/// Requests of an account among them: a client may well ask for a round, its analysis and the record at once.
const OF_ACCOUNT: usize = 4;
/// Of what is read bit by bit, so many at a time stand among them.
const BEHIND: usize = 2;
/// Decisions that are kept in memory, appraised: of 300 bytes or so each.
const KEPT: u64 = 40_000;

/// What an analysis is of: match and round, and when that ended by which entry, as after a loss it may come again otherwise.
pub(super) type AnalysisKey = (Uuid, u16, i32, DateTime<Utc>);

/// Where matches are played again.
#[derive(Clone)]
pub(super) struct Replaying {
    running: Arc<Semaphore>,
    queued: Arc<Semaphore>,
    behind: Arc<Semaphore>,
    asking: Arc<Mutex<HashMap<AccountId, usize>>>,
    analyses: Arc<Cache<AnalysisKey, Arc<RoundAnalysis>, Weight>>,
}

/// A place among those who wait.
pub(super) struct Place {
    account: AccountId,
    asking: Arc<Mutex<HashMap<AccountId, usize>>>,
    _queued: OwnedSemaphorePermit,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut asking = self.asking.lock().unwrap_or_else(PoisonError::into_inner);
        let left = asking.get(&self.account).map_or(0, |places| places.saturating_sub(1));
        if left == 0 {
            asking.remove(&self.account);
        } else {
            asking.insert(self.account, left);
        }
    }
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
            behind: Arc::new(Semaphore::new(BEHIND)),
            asking: Arc::default(),
            analyses: Arc::new(Cache::with_weighter(1_000, KEPT, Weight)),
        }
    }
}

impl Replaying {
    /// A place among those who wait, which is to be had before anything is read for it.
    ///
    /// # Errors
    /// `Busy` if too many wait, or the account has enough places.
    pub(super) fn place(&self, account: AccountId) -> Result<Place, ServiceError> {
        let queued = Arc::clone(&self.queued).try_acquire_owned().map_err(|_| ServiceError::Busy)?;
        let mut asking = self.asking.lock().unwrap_or_else(PoisonError::into_inner);
        let places = asking.entry(account).or_default();
        if *places >= OF_ACCOUNT {
            return Err(ServiceError::Busy);
        }
        *places += 1;
        Ok(Place { account, asking: Arc::clone(&self.asking), _queued: queued })
    }

    /// Does it on a thread of its own, when it is its turn, for who has a place of either kind.
    ///
    /// # Errors
    /// Those of the work.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        place: impl Send + 'static,
        work: impl FnOnce() -> Result<T, ServiceError> + Send + 'static,
    ) -> Result<T, ServiceError> {
        let turn = Arc::clone(&self.running).acquire_owned().await.map_err(|_| ServiceError::Busy)?;
        // The place goes with the work: a client that leaves makes no room for another.
        let work = move || {
            let result = work();
            drop((turn, place));
            result
        };
        tokio::task::spawn_blocking(work).await.map_err(ServiceError::internal)?
    }

    /// A place for what is read bit by bit, of which a client asks for no more than it reads: it is waited for, as long as it takes.
    ///
    /// # Errors
    /// None: nobody closes it.
    pub(super) async fn place_behind(&self) -> Result<OwnedSemaphorePermit, ServiceError> {
        Arc::clone(&self.behind).acquire_owned().await.map_err(|_| ServiceError::Busy)
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
