//! Groups that play while faults are injected, and a clock that measures the time without an acknowledgement.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use tokio::task::JoinHandle;

use super::report::Report;
use crate::Error;
use crate::faults::clients::group::Group;

/// Shared progress of all groups.
#[derive(Debug, Default)]
pub struct Clock {
    acknowledged: AtomicUsize,
    last: Mutex<Option<Instant>>,
    stop: AtomicBool,
    /// Longest wait without an acknowledgement: a planted bug may cause a hang.
    limit: Option<Duration>,
}

impl Clock {
    /// Writes acknowledged so far.
    #[must_use]
    pub fn acknowledged(&self) -> usize {
        self.acknowledged.load(Ordering::Relaxed)
    }

    /// Waits until a write is acknowledged after `since`; returns how long after.
    #[must_use]
    pub fn wait_ok(&self, since: Instant, patience: Duration) -> Option<Duration> {
        let patience = self.limit.map_or(patience, |limit| limit.min(patience));
        while since.elapsed() < patience {
            let last = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(after) = last.and_then(|last| last.checked_duration_since(since)) {
                return Some(after);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        None
    }

    /// Waits until this many more writes are acknowledged.
    pub fn wait_more(&self, count: usize, patience: Duration) {
        let (begun, goal) = (Instant::now(), self.acknowledged() + count);
        let hangs = || {
            let last = *self.last.lock().unwrap_or_else(PoisonError::into_inner);
            self.limit.is_some_and(|limit| last.map_or(begun, |last| last.max(begun)).elapsed() > limit)
        };
        while self.acknowledged() < goal && begun.elapsed() < patience && !hangs() {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn tick(&self, at: Instant) {
        self.acknowledged.fetch_add(1, Ordering::Relaxed);
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(at);
    }
}

/// Groups at play.
pub struct Workload {
    /// Their progress.
    pub clock: Arc<Clock>,
    tasks: Vec<JoinHandle<(Group, Option<Error>)>>,
}

impl Workload {
    /// Lets groups play until [`finish`](Self::finish); `limit` bounds the clock's waits without progress.
    #[must_use]
    pub fn start(runtime: &Runtime, groups: Vec<Group>, limit: Option<Duration>) -> Self {
        let clock = Arc::new(Clock { limit, ..Clock::default() });
        let tasks = groups.into_iter().map(|group| runtime.spawn(play(group, Arc::clone(&clock)))).collect();
        Self { clock, tasks }
    }

    /// Stops play between two actions; a stuck client is a finding.
    ///
    /// # Errors
    /// If a client panicked.
    pub fn finish(self, runtime: &Runtime, report: &mut Report) -> Result<Vec<Group>, Error> {
        self.clock.stop.store(true, Ordering::Relaxed);
        let mut groups = Vec::new();
        for task in self.tasks {
            let (group, error) = runtime.block_on(task)?;
            if let Some(error) = error {
                report.find(format!("a client gave up: {error}"));
            }
            groups.push(group);
        }
        Ok(groups)
    }
}

async fn play(mut group: Group, clock: Arc<Clock>) -> (Group, Option<Error>) {
    while !clock.stop.load(Ordering::Relaxed) {
        match group.step().await {
            Ok(Some(at)) => clock.tick(at),
            Ok(None) => {}
            Err(error) => return (group, Some(error)),
        }
    }
    (group, None)
}
