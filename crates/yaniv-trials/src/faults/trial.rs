//! Definition of a trial, and its context.

use std::any::Any;
use std::env::temp_dir;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use local_postgres::TestCluster;
use tokio::runtime::Runtime;

use super::report::Report;
use crate::Error;
use crate::faults::setup::stage::Stage;
use crate::faults::setup::tls::Tls;

/// How a trial, or its planted bug, ended.
#[derive(Debug)]
pub enum Outcome {
    /// It ran; the report says whether the promise was kept.
    Done(Report),
    /// It cannot run on this machine, and why; that was printed (`not_checked`).
    Skipped(String),
}

impl From<Report> for Outcome {
    fn from(report: Report) -> Self {
        Self::Done(report)
    }
}

/// A promise, and how it is tested.
#[derive(Clone, Copy, Debug)]
pub struct Trial {
    /// The name on the command line: `p1`.
    pub name: &'static str,
    /// The promise.
    pub promise: &'static str,
    /// What is injected.
    pub injects: &'static str,
    /// How often it is injected.
    pub times: usize,
    /// How often in the short form.
    pub short: usize,
    /// The bug that is planted first, and must be detected.
    pub bug: &'static str,
    /// Tests the promise.
    pub run: fn(&Context) -> Result<Outcome, Error>,
    /// A short run on a service with the planted bug.
    pub planted: fn(&Context) -> Result<Outcome, Error>,
}

/// The context of a run.
pub struct Context {
    /// The runtime of the clients.
    pub runtime: Runtime,
    /// How often to inject.
    pub times: usize,
    /// Whether it is the short form.
    pub short: bool,
    /// Seed of all random choices.
    pub seed: u64,
    /// When to stop injecting.
    pub until: Option<Instant>,
    /// Another build of the service, to upgrade from.
    pub old: Option<PathBuf>,
    /// Directory for logs of instances and histories of failures.
    pub directory: PathBuf,
    /// Whether to print progress.
    pub verbose: bool,
    /// How instances reach the database, if by TLS.
    pub tls: Option<Tls>,
    begun: Instant,
    /// Declared before the cluster: its instances have to be dropped first.
    stage: Mutex<Option<Stage>>,
    kept: Mutex<Option<Box<dyn Any + Send>>>,
    cluster: Mutex<Option<TestCluster>>,
}

impl Context {
    /// A context; the cluster is started later.
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
            tls: None,
            begun: Instant::now(),
            stage: Mutex::new(None),
            kept: Mutex::new(None),
            cluster: Mutex::new(None),
        }
    }

    /// The shared stage, which trials use in turn, or a new one.
    ///
    /// # Errors
    /// If it does not start.
    pub fn stage(&self) -> Result<Stage, Error> {
        match hold(&self.stage).take() {
            Some(stage) => Ok(stage),
            None => Stage::new(self, "shared"),
        }
    }

    /// Returns the shared stage, all its instances running. After an error it is not returned.
    pub fn give_back(&self, stage: Stage) {
        *hold(&self.stage) = Some(stage);
    }

    /// Keeps a value from the planted bug's run for the trial itself.
    pub fn keep<T: Any + Send>(&self, what: T) {
        *hold(&self.kept) = Some(Box::new(what));
    }

    /// Takes the kept value.
    #[must_use]
    pub fn kept<T: Any + Send>(&self) -> Option<T> {
        let kept = hold(&self.kept).take()?;
        kept.downcast().ok().map(|kept| *kept)
    }

    /// Prints progress, if verbose.
    pub fn say(&self, what: &str) {
        if self.verbose {
            eprintln!("{:>7.1} s  {what}", self.begun.elapsed().as_secs_f64());
        }
    }

    /// The shared cluster; each trial has its own database in it.
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

    /// A separate cluster: on disk, or in memory in the short form without TLS.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn new_cluster(&self) -> Result<TestCluster, Error> {
        if self.short && self.tls.is_none() {
            return Ok(TestCluster::start_in_memory()?);
        }
        self.new_cluster_in(&temp_dir())
    }

    /// A separate cluster in this directory.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn new_cluster_in(&self, parent: &Path) -> Result<TestCluster, Error> {
        match &self.tls {
            None => Ok(TestCluster::start_in(parent)?),
            Some(tls) => self.runtime.block_on(tls.switch_on(TestCluster::start_on_tcp_in(parent)?)),
        }
    }

    /// Whether there is time left.
    #[must_use]
    pub fn has_time(&self) -> bool {
        self.until.is_none_or(|until| Instant::now() < until)
    }

    /// One of two values, by the form of the run.
    #[must_use]
    pub fn long_or_short<T>(&self, long: T, short: T) -> T {
        if self.short { short } else { long }
    }

    /// Waits between two faults.
    pub fn pause(&self, milliseconds: u64) {
        std::thread::sleep(Duration::from_millis(milliseconds));
    }
}

fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The locked shared cluster.
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
