//! Background workers: the loop around all of them. A worker is a step (`Work`), repeated until shutdown.
//!
//! The loop has the pauses and their jitter, wake-ups, retries after errors and panics, and the end. Queues
//! whose items are processed in order (`kernel::batcher`, `accounts::confirmations`) are no workers.

use std::collections::BTreeMap;
use std::error::Error;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use futures_util::FutureExt;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::time::sleep;
use tokio_util::task::TaskTracker;

use crate::ServiceError;

/// Upper bound of the doubling of the pause while runs fail.
const MOST_BACK_OFF: Duration = Duration::from_millis(500);
/// A run of a worker that listens counts as healthy after this time, before it ends.
const LONG_RUN: Duration = Duration::from_secs(10);
/// Upper bound for workers with a longer period: after an outage of the database none waits for its next period.
const LONGEST_BACK_OFF: Duration = Duration::from_secs(10);

/// The step of a worker.
pub trait Work: Send + 'static {
    /// Does what is due, and returns when to run again.
    ///
    /// An error or a panic is logged, and the step is retried after a pause.
    fn run(&mut self) -> impl Future<Output = Result<Next, ServiceError>> + Send;
}

/// When a worker runs again. A wake-up shortens every pause but the rest (`Worker::resting`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// At once: there may be more to do.
    Now,
    /// After the period.
    Period,
    /// After this time instead of the period.
    After(Duration),
    /// When woken.
    Woken,
    /// Never: the worker ends.
    End,
}

/// Wakes a worker. A wake-up during a run leads to another run. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wake(Arc<Notify>);

impl Wake {
    /// Wakes the worker.
    pub(crate) fn ring(&self) {
        self.0.notify_one();
    }
}

/// Health of the workers of an instance, for the operator's metrics: whether each runs. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct WorkerStates(Arc<Mutex<BTreeMap<&'static str, bool>>>);

impl WorkerStates {
    /// The workers, and whether each runs.
    pub(crate) fn list(&self) -> Vec<(&'static str, bool)> {
        let states = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        states.iter().map(|(name, runs)| (*name, *runs)).collect()
    }

    fn set(&self, name: &'static str, runs: bool) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(name, runs);
    }
}

/// Health of a worker: it is down after a failed run, and when its task ends for whatever reason.
struct Health {
    states: Option<WorkerStates>,
    name: &'static str,
}

impl Health {
    fn set(&self, runs: bool) {
        if let Some(states) = &self.states {
            states.set(self.name, runs);
        }
    }
}

impl Drop for Health {
    fn drop(&mut self) {
        self.set(false);
    }
}

/// A background loop. Workers do not wait for each other, and shutdown does not wait for a run.
#[must_use]
pub struct Worker {
    name: &'static str,
    period: Duration,
    jitter: f64,
    rest: (Duration, u32),
    wake: Option<Wake>,
    until: Option<TaskTracker>,
    listens: bool,
    states: Option<WorkerStates>,
}

impl Worker {
    /// A worker with this name in log lines, which runs at once and then after each `period`, for ever.
    pub fn new(name: &'static str, period: Duration) -> Self {
        let rest = (Duration::ZERO, 0);
        Self { name, period, jitter: 0.0, rest, wake: None, until: None, listens: false, states: None }
    }

    /// Lengthens each pause at random by up to this share, to keep instances out of step.
    pub fn with_jitter(self, jitter: f64) -> Self {
        Self { jitter, ..self }
    }

    /// Rests after each run, even if woken: at least for `least`, and for this multiple of the run's duration.
    pub(crate) fn resting(self, least: Duration, times: u32) -> Self {
        Self { rest: (least, times), ..self }
    }

    /// Runs early when woken.
    pub(crate) fn woken_by(self, wake: &Wake) -> Self {
        Self { wake: Some(wake.clone()), ..self }
    }

    /// Starts no run after `writes` is closed, and ends the pause with the last write.
    pub(crate) fn until(self, writes: &TaskTracker) -> Self {
        Self { until: Some(writes.clone()), ..self }
    }

    /// For a worker that listens: a run lasts as long as its connection.
    pub(crate) fn listening(self) -> Self {
        Self { listens: true, ..self }
    }

    /// Shows in these states whether it runs.
    pub(crate) fn shown_in(self, states: &WorkerStates) -> Self {
        Self { states: Some(states.clone()), ..self }
    }

    /// Starts the worker.
    pub fn start(self, runtime: &Handle, work: impl Work) {
        drop(runtime.spawn(self.repeat(work)));
    }

    async fn repeat(self, mut work: impl Work) {
        let (least, times) = self.rest;
        let mut failing = None;
        let health = Health { states: self.states.clone(), name: self.name };
        health.set(true);
        while !self.until.as_ref().is_some_and(TaskTracker::is_closed) {
            let begun = Instant::now();
            let mut run = pin!(AssertUnwindSafe(work.run()).catch_unwind());
            let ended = match tokio::time::timeout(LONG_RUN, &mut run).await {
                Ok(ended) => ended,
                Err(_) => {
                    // Any other worker is slow, and may be about to fail.
                    if self.listens {
                        health.set(true);
                    }
                    run.await
                }
            };
            let next = ended.unwrap_or_else(|_| Err(ServiceError::internal(Panicked)));
            // After the last write the database may be stopped.
            if next.is_err() && self.until.as_ref().is_some_and(TaskTracker::is_closed) {
                return;
            }
            let failures = self.note(next.as_ref(), &mut failing);
            health.set(failures == 0);
            self.pause(least.max(begun.elapsed().saturating_mul(times)), false).await;
            match next {
                Ok(Next::Now) => {}
                Ok(Next::Period) => self.pause(self.period, true).await,
                Ok(Next::After(time)) => self.pause(time, true).await,
                Ok(Next::Woken) => self.pause(Duration::MAX, true).await,
                Ok(Next::End) => return,
                Err(_) => self.pause(back_off(self.period, failures), false).await,
            }
        }
    }

    /// Waits for this time, a wake-up or the end.
    async fn pause(&self, time: Duration, woken: bool) {
        if time.is_zero() {
            return;
        }
        let wake = async {
            match self.wake.as_ref().filter(|_| woken) {
                Some(wake) => wake.0.notified().await,
                None => std::future::pending().await,
            }
        };
        let end = async {
            match &self.until {
                Some(writes) => writes.wait().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = sleep(lengthened(time, self.jitter)) => {}
            () = wake => {}
            () = end => {}
        }
    }

    /// Logs the first of several failures in a row, and their end. Returns the number of failures in a row.
    fn note(&self, run: Result<&Next, &ServiceError>, failing: &mut Option<Failing>) -> u32 {
        let Err(error) = run else {
            if let Some(Failing { since, .. }) = failing.take() {
                let seconds = since.elapsed().as_secs();
                tracing::info!(worker = self.name, seconds, "a background worker runs again");
            }
            return 0;
        };
        if failing.is_none() {
            let cause = error.source().map(ToString::to_string);
            tracing::warn!(worker = self.name, %error, cause, "a background worker failed, and tries again");
        }
        let failing = failing.get_or_insert_with(|| Failing { since: Instant::now(), count: 0 });
        failing.count = failing.count.saturating_add(1);
        failing.count
    }
}

/// Failures in a row.
struct Failing {
    since: Instant,
    count: u32,
}

/// A panic of a run.
#[derive(Debug, thiserror::Error)]
#[error("it panicked")]
struct Panicked;

/// The pause after this number of consecutive failures: exponential back-off with a bound.
fn back_off(period: Duration, failures: u32) -> Duration {
    let doubled = period.saturating_mul(2_u32.saturating_pow(failures.saturating_sub(1)));
    doubled.min(MOST_BACK_OFF.max(period)).min(LONGEST_BACK_OFF)
}

fn lengthened(time: Duration, jitter: f64) -> Duration {
    let factor = rand::random::<f64>().mul_add(jitter, 1.0);
    Duration::try_from_secs_f64(time.as_secs_f64() * factor).unwrap_or(time)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use yaniv_db::StoreError;

    use super::*;

    /// Counts its runs; the first fails, the second panics.
    struct Troubled(Arc<AtomicU32>);

    impl Work for Troubled {
        async fn run(&mut self) -> Result<Next, ServiceError> {
            match self.0.fetch_add(1, Ordering::SeqCst) {
                0 => Err(StoreError::Silent.into()),
                1 => panic!("the second run"),
                _ => Ok(Next::Woken),
            }
        }
    }

    async fn runs(count: &AtomicU32, wanted: u32) -> bool {
        for _ in 0..500 {
            if count.load(Ordering::SeqCst) == wanted {
                return true;
            }
            sleep(Duration::from_millis(10)).await;
        }
        false
    }

    #[tokio::test]
    async fn a_worker_survives_errors_and_panics_and_ends_with_the_last_write() {
        let (count, wake, writes) = (Arc::new(AtomicU32::new(0)), Wake::default(), TaskTracker::new());
        let states = WorkerStates::default();
        let worker = Worker::new("test", Duration::from_millis(1)).woken_by(&wake).until(&writes);
        let worker = worker.shown_in(&states);
        let task = tokio::spawn(worker.repeat(Troubled(Arc::clone(&count))));
        assert!(runs(&count, 3).await);
        wake.ring();
        assert!(runs(&count, 4).await);
        assert_eq!(states.list(), [("test", true)]);
        writes.close();
        assert!(tokio::time::timeout(Duration::from_secs(5), task).await.is_ok());
        assert_eq!(count.load(Ordering::SeqCst), 4);
        assert_eq!(states.list(), [("test", false)]);
    }

    #[test]
    fn the_pause_after_failures_doubles_up_to_a_bound() {
        let millis = |period, failures| back_off(Duration::from_millis(period), failures).as_millis();
        assert_eq!([1, 2, 3, 4, 99].map(|failures| millis(100, failures)), [100, 200, 400, 500, 500]);
        assert_eq!([1, 2].map(|failures| millis(5000, failures)), [5000, 5000]);
        assert_eq!([1, 2].map(|failures| millis(600_000, failures)), [10_000, 10_000]);
    }
}
