//! What a trial is, and what it is given.

use std::any::Any;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use local_postgres::TestCluster;
use tokio::runtime::Runtime;

use super::report::Report;
use super::stage::Stage;
use crate::Error;

/// How a trial, or its planted bug, ended.
#[derive(Debug)]
pub enum Outcome {
    /// It was run; the report says whether the promise was kept.
    Done(Report),
    /// It cannot be run on this machine, and why; it has said so (`not_checked`).
    Skipped(String),
}

impl From<Report> for Outcome {
    fn from(report: Report) -> Self {
        Self::Done(report)
    }
}

/// A promise, and how it is tried.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    /// As it is asked for: `p1`.
    pub name: &'static str,
    /// The promise.
    pub promise: &'static str,
    /// What is injected.
    pub injects: &'static str,
    /// How often.
    pub times: usize,
    /// How often in the short form.
    pub short: usize,
    /// The bug that is planted first, and that has to be seen.
    pub bug: &'static str,
    /// Tries the promise.
    pub run: fn(&Context) -> Result<Outcome, Error>,
    /// Does the same, shortly, to a service with the planted bug.
    pub planted: fn(&Context) -> Result<Outcome, Error>,
}

/// What a trial is given.
pub struct Context {
    /// Where clients run.
    pub runtime: Runtime,
    /// How often to inject.
    pub times: usize,
    /// Whether it is the short form.
    pub short: bool,
    /// Of all choices by chance.
    pub seed: u64,
    /// When to stop injecting, whatever has been reached.
    pub until: Option<Instant>,
    /// Another build of the service, to upgrade from.
    pub old: Option<PathBuf>,
    /// For logs of instances and histories of failures.
    pub directory: PathBuf,
    /// Whether to tell what is going on.
    pub verbose: bool,
    begun: Instant,
    /// Before the cluster: its instances have to go first.
    stage: Mutex<Option<Stage>>,
    kept: Mutex<Option<Box<dyn Any + Send>>>,
    cluster: Mutex<Option<TestCluster>>,
}

impl Context {
    /// A context without a cluster yet.
    #[must_use]
    pub fn new(runtime: Runtime, directory: PathBuf, seed: u64) -> Self {
        Self {
            runtime,
            times: 0,
            short: false,
            seed,
            until: None,
            old: None,
            directory,
            verbose: false,
            begun: Instant::now(),
            stage: Mutex::new(None),
            kept: Mutex::new(None),
            cluster: Mutex::new(None),
        }
    }

    /// The stage that trials share, one after the other, or a new one.
    ///
    /// # Errors
    /// If it does not start.
    pub fn stage(&self) -> Result<Stage, Error> {
        match hold(&self.stage).take() {
            Some(stage) => Ok(stage),
            None => Stage::new(self, "shared"),
        }
    }

    /// Gives the shared stage back, all its instances running. Where something went wrong it is not given back.
    pub fn give_back(&self, stage: Stage) {
        *hold(&self.stage) = Some(stage);
    }

    /// Keeps something from the planted bug for the trial itself.
    pub fn keep<T: Any + Send>(&self, what: T) {
        *hold(&self.kept) = Some(Box::new(what));
    }

    /// What was kept.
    #[must_use]
    pub fn kept<T: Any + Send>(&self) -> Option<T> {
        let kept = hold(&self.kept).take()?;
        kept.downcast().ok().map(|kept| *kept)
    }

    /// Tells what is going on, if that is wanted.
    pub fn say(&self, what: &str) {
        if self.verbose {
            eprintln!("{:>7.1} s  {what}", self.begun.elapsed().as_secs_f64());
        }
    }

    /// The cluster that trials share; each has a database of its own in it.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn cluster(&self) -> Result<SharedCluster<'_>, Error> {
        let mut cluster = hold(&self.cluster);
        if cluster.is_none() {
            *cluster = Some(self.new_cluster()?);
        }
        Ok(SharedCluster(cluster))
    }

    /// A cluster of one's own: on the disk, in the short form in memory.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn new_cluster(&self) -> Result<TestCluster, Error> {
        Ok(if self.short { TestCluster::start_in_memory()? } else { TestCluster::start()? })
    }

    /// Whether there is time for more.
    #[must_use]
    pub fn has_time(&self) -> bool {
        self.until.is_none_or(|until| Instant::now() < until)
    }

    /// One of two, by the form of the run.
    #[must_use]
    pub fn long_or_short<T>(&self, long: T, short: T) -> T {
        if self.short { short } else { long }
    }

    /// Waits, as an injector does between two faults.
    pub fn pause(&self, milliseconds: u64) {
        std::thread::sleep(Duration::from_millis(milliseconds));
    }
}

fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The shared cluster, held.
pub struct SharedCluster<'a>(MutexGuard<'a, Option<TestCluster>>);

impl SharedCluster<'_> {
    /// The cluster itself.
    ///
    /// # Errors
    /// Never: it has been started.
    pub fn get(&mut self) -> Result<&mut TestCluster, Error> {
        self.0.as_mut().ok_or_else(|| "there is no cluster".into())
    }
}
