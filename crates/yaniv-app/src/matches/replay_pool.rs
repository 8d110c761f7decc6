//! Replay pool: bounded workers for CPU-heavy replays, on blocking threads apart from the request threads.
//! The folding is in `fold_log`, the cache of analyses in `history::analysis_cache`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use yaniv_model::ids::AccountId;

use crate::ServiceError;

/// Concurrent replays per instance and queue; the other cores are left for play.
const AT_ONCE: usize = 1;
/// Requests that may wait in a queue; further ones are refused.
const QUEUE: usize = 32;
/// Waiting requests per account: a client may well request a round, its analysis and the record at once.
const OF_ACCOUNT: usize = 4;
/// Concurrent streamed reads.
const BEHIND: usize = 2;
/// The replay pool.
#[derive(Clone)]
pub(crate) struct ReplayPool {
    shown: Queue,
    /// Queue for repeated answers of retries, so that they do not wait behind analyses of rounds.
    repeated: Queue,
    behind: Arc<Semaphore>,
    asking: Arc<Mutex<HashMap<AccountId, usize>>>,
}

/// A queue with its worker limit.
#[derive(Clone)]
struct Queue {
    running: Arc<Semaphore>,
    queued: Arc<Semaphore>,
}

/// A permit to wait in a queue. Acquire it before reading data for the replay.
pub(crate) struct ReplayPermit {
    running: Arc<Semaphore>,
    _queued: OwnedSemaphorePermit,
    _asking: Option<Asking>,
}

/// Counts a waiting request of an account; released on drop.
struct Asking {
    account: AccountId,
    asking: Arc<Mutex<HashMap<AccountId, usize>>>,
}

impl Drop for Asking {
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

impl Default for Queue {
    fn default() -> Self {
        let queued = Arc::new(Semaphore::new(AT_ONCE.saturating_add(QUEUE)));
        Self { running: Arc::new(Semaphore::new(AT_ONCE)), queued }
    }
}

impl Default for ReplayPool {
    fn default() -> Self {
        Self {
            shown: Queue::default(),
            repeated: Queue::default(),
            behind: Arc::new(Semaphore::new(BEHIND)),
            asking: Arc::default(),
        }
    }
}

impl ReplayPool {
    /// A permit for a request to see a match.
    ///
    /// # Errors
    /// `Busy` if the queue is full, or the account has reached its limit.
    pub(crate) fn place(&self, account: AccountId) -> Result<Arc<ReplayPermit>, ServiceError> {
        self.place_in(&self.shown, account)
    }

    /// A permit for a repeated answer.
    ///
    /// # Errors
    /// `Busy`, as for `place`.
    pub(crate) fn place_to_repeat(&self, account: AccountId) -> Result<Arc<ReplayPermit>, ServiceError> {
        self.place_in(&self.repeated, account)
    }

    fn place_in(&self, lane: &Queue, account: AccountId) -> Result<Arc<ReplayPermit>, ServiceError> {
        let queued = Arc::clone(&lane.queued).try_acquire_owned().map_err(|_| ServiceError::Busy)?;
        let mut asking = self.asking.lock().unwrap_or_else(PoisonError::into_inner);
        let places = asking.entry(account).or_default();
        if *places >= OF_ACCOUNT {
            return Err(ServiceError::Busy);
        }
        *places += 1;
        let of_account = Asking { account, asking: Arc::clone(&self.asking) };
        Ok(ReplayPermit::new(lane, queued, Some(of_account)))
    }

    /// A permit for a streamed read, whose pace the client sets by reading. Waits without a timeout.
    ///
    /// # Errors
    /// None in practice: the semaphore is never closed.
    pub(crate) async fn place_behind(&self) -> Result<Arc<ReplayPermit>, ServiceError> {
        let behind = Arc::clone(&self.behind).acquire_owned().await.map_err(|_| ServiceError::Busy)?;
        Ok(ReplayPermit::new(&self.shown, behind, None))
    }
}

impl ReplayPermit {
    fn new(lane: &Queue, queued: OwnedSemaphorePermit, asking: Option<Asking>) -> Arc<Self> {
        Arc::new(Self { running: Arc::clone(&lane.running), _queued: queued, _asking: asking })
    }

    /// Runs the work on a blocking thread, when a worker is free.
    ///
    /// # Errors
    /// Those of the work.
    pub(crate) async fn run<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce() -> Result<T, ServiceError> + Send + 'static,
    ) -> Result<T, ServiceError> {
        let turn = Arc::clone(&self.running).acquire_owned().await.map_err(|_| ServiceError::Busy)?;
        // The work owns the permit: a client that disconnects does not free the place early.
        let place = Arc::clone(self);
        let work = move || {
            let result = work();
            drop((turn, place));
            result
        };
        tokio::task::spawn_blocking(work).await.map_err(ServiceError::internal)?
    }
}
