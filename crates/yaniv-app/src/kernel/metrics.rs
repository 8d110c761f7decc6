//! Metrics of the use cases, for the operator: counters, and what is measured when they are read.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use chrono::TimeDelta;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use tokio::time::timeout;
pub use yaniv_db::kernel::backlog::Waiting;
use yaniv_db::kernel::backlog::{Backlog, backlog_read};

use crate::kernel::boxed;
use crate::kernel::worker::WorkerStates;
use crate::{ServiceError, Services};

/// Upper bounds of the sizes of a batch.
const SIZES: [f64; 8] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0];

/// Timeout of the query for what waits in the database: shorter than that of a scrape.
const PATIENCE: Duration = Duration::from_secs(3);

/// Counters since the start. Cheap to clone.
#[derive(Clone)]
pub struct Metrics {
    /// Actions that players made and that are stored.
    pub(crate) actions: Counter,
    /// Actions refused because the match had another version.
    pub(crate) conflicts: Counter,
    /// Answers that were made again for a retry.
    pub(crate) replays: Counter,
    /// Steps done for due matches.
    pub(crate) attended: Counter,
    /// Actions stored by one statement.
    pub(crate) batches: Histogram,
    /// Matches whose log was moved to the archive.
    pub(crate) archived: Counter,
    /// Matches that were not archived, as they differ from their log.
    pub(crate) archive_refused: Counter,
    /// Codes sent by e-mail, retries included.
    pub(crate) email_codes: Counter,
    /// Codes to new addresses that were not sent, as the operator's limit was reached.
    pub(crate) email_codes_refused: Counter,
    /// Which background workers run.
    pub(crate) workers: WorkerStates,
    /// The time after the end of a match when it is archived, if this instance archives.
    pub(crate) archive_after: Arc<OnceLock<TimeDelta>>,
}

impl Default for Metrics {
    fn default() -> Self {
        Self {
            actions: Counter::default(),
            conflicts: Counter::default(),
            replays: Counter::default(),
            attended: Counter::default(),
            batches: Histogram::new(SIZES),
            archived: Counter::default(),
            archive_refused: Counter::default(),
            email_codes: Counter::default(),
            email_codes_refused: Counter::default(),
            workers: WorkerStates::default(),
            archive_after: Arc::default(),
        }
    }
}

impl Metrics {
    /// Adds them to a registry.
    pub fn register(&self, registry: &mut Registry) {
        let Self { actions, conflicts, replays, attended, batches, archived, archive_refused, .. } =
            self.clone();
        registry.register("actions", "Actions of players that were stored", actions);
        registry.register(
            "action_conflicts",
            "Actions refused because the match had another version",
            conflicts,
        );
        registry.register("replays", "Answers made again for a retry of a write", replays);
        registry.register("due_steps", "Steps done for due matches: timeouts, bots, reminders", attended);
        registry.register("action_batch_size", "Actions stored by one statement", batches);
        registry.register("matches_archived", "Matches whose log was moved to the archive", archived);
        registry.register(
            "matches_refused_by_archiver",
            "Matches that are not archived, as they differ from their log",
            archive_refused,
        );
        registry.register("email_codes", "Codes sent by e-mail, retries included", self.email_codes.clone());
        registry.register(
            "email_codes_refused",
            "Codes to new addresses not sent, as YANIV_EMAIL_CODES was reached",
            self.email_codes_refused.clone(),
        );
    }
}

/// What an instance holds, and what waits in the database.
#[derive(Clone, Debug)]
pub struct Measured {
    /// Database connections: open, and lent to requests and workers.
    pub connections: [usize; 2],
    /// Whether an old primary was refused within the last minute.
    pub refuses_old_primary: bool,
    /// Matches in the cache.
    pub cached: usize,
    /// Open event streams.
    pub streams: usize,
    /// The background workers, and whether each runs: its last run did not fail.
    pub workers: Vec<(&'static str, bool)>,
    /// Whether this instance archives.
    pub archives: bool,
    /// None if the database does not answer.
    pub backlog: Option<Backlog>,
}

impl Services {
    /// The counters of the use cases.
    pub fn metrics(&self) -> &Metrics {
        &self.metrics
    }

    /// Measures this instance and the backlog.
    #[boxed]
    pub async fn measure(&self) -> Measured {
        Measured {
            connections: self.store.connections(),
            refuses_old_primary: self.store.refuses_old_primary(),
            cached: self.match_cache.len(),
            streams: self.streams.open(),
            workers: self.metrics.workers.list(),
            archives: self.metrics.archive_after.get().is_some(),
            backlog: timeout(PATIENCE, self.backlog()).await.ok().and_then(Result::ok),
        }
    }

    async fn backlog(&self) -> Result<Backlog, ServiceError> {
        let archive_after = self.metrics.archive_after.get().copied();
        Ok(backlog_read(&*self.store.connection().await?, archive_after).await?)
    }
}
