//! Use cases: one function is one intention of a user; an attempt is at most one transaction. Background workers.
//! No HTTP and no SQL here.
//!
//! Every write runs in a task of its own, so a client that disconnects cannot stop it half way: plain actions
//! are batched into one write (`kernel::batcher`, `turns::save`), every other write has its own task
//! (`kernel::durable_write`).

pub mod accounts;
pub mod admin;
pub mod calendar;
pub mod error;
pub mod feeds;
pub mod history;
pub mod home;
pub mod kernel;
pub mod lifecycle;
pub mod lobby;
pub mod matches;
pub mod matchmaking;
pub mod moderation;
pub mod notifications;
pub mod oauth;
pub mod oidc;
pub mod passkeys;
pub mod ratings;
pub mod statistics;
pub mod turns;

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;
use uuid::Uuid;
use yaniv_auth::Keeper;
use yaniv_auth::passkeys::Passkeys;
use yaniv_db::Store;
use yaniv_db::turns::append_actions::ActionSave;
use yaniv_match::MatchState;
use yaniv_model::match_version::MatchVersion;
use yaniv_outbound::OidcClient;

use crate::accounts::access::KnownTokens;
use crate::accounts::confirmations::Confirmations;
use crate::accounts::revocations::RevocationList;
use crate::accounts::sign_up_policy::SignUp;
use crate::feeds::change_watcher::ChangeNotifier;
use crate::feeds::stream_limits::Streams;
use crate::history::analysis_cache::AnalysisCache;
use crate::kernel::batcher::{Batcher, DedicatedConnection};
use crate::kernel::boxed;
use crate::kernel::database_clock::DatabaseTime;
use crate::kernel::metrics::Metrics;
use crate::kernel::worker::{Wake, Worker};
use crate::matches::cache::{LoadBatch, MatchCache, VersionBatch};
use crate::matches::replay_pool::ReplayPool;
use crate::notifications::Notifications;
use crate::statistics::streaks::Streaks;
use crate::statistics::worker::StatisticsWorker;
use crate::turns::automatic::due_matches::Scheduler;
use crate::turns::save::{ActionWriter, WriteOutcome};

pub use crate::error::ServiceError;
pub use crate::kernel::page::Page;
pub use yaniv_texts::Language;

/// Maximum number of matchmaking requests that an instance processes at a time.
///
/// Requests with the same pairing criteria are serialized in any case; more would wait while holding a
/// connection that others need.
const PAIRING_AT_ONCE: usize = 2;

/// Options set by the operator.
#[derive(Clone, Copy, Debug, Default)]
pub struct Allowed {
    /// The policy for new accounts.
    pub sign_up: SignUp,
    /// Whether sandboxes may be created.
    pub sandboxes: bool,
    /// Maximum number of codes that are sent to new e-mail addresses in an hour.
    pub most_codes: u16,
}

/// The dependencies of the use cases. Cheap to clone.
#[derive(Clone)]
pub struct Services {
    store: Store,
    keeper: Keeper,
    ended: RevocationList,
    known_tokens: KnownTokens,
    confirmations: Confirmations,
    runtime: Handle,
    writes: TaskTracker,
    match_cache: MatchCache,
    versions: Batcher<Uuid, Option<MatchVersion>>,
    loads: Batcher<Uuid, Option<Arc<MatchState>>>,
    saves: Batcher<Arc<ActionSave>, WriteOutcome>,
    pairing_turns: Arc<Semaphore>,
    sign_up: SignUp,
    sandboxes: bool,
    most_codes: u16,
    database_time: DatabaseTime,
    scheduler: Scheduler,
    statistics_worker: StatisticsWorker,
    change_notifier: ChangeNotifier,
    streams: Streams,
    notices: Notifications,
    /// The OpenID Connect provider, if there is one.
    oidc: Option<OidcClient>,
    /// The relying party of passkeys, if there can be one.
    passkeys: Option<Passkeys>,
    rater: Wake,
    replay_pool: ReplayPool,
    analyses: AnalysisCache,
    streaks: Streaks,
    metrics: Metrics,
}

/// A background worker that ends when no more writes are accepted, and is shown to the operator.
fn background_worker(
    name: &'static str,
    period: Duration,
    writes: &TaskTracker,
    metrics: &Metrics,
) -> Worker {
    Worker::new(name, period).until(writes).shown_in(&metrics.workers)
}

impl Services {
    /// Builds the services. Background tasks run on `runtime`; the match cache holds about `memory` bytes.
    pub fn new(
        store: Store,
        keeper: Keeper,
        runtime: Handle,
        memory: u64,
        allowed: Allowed,
        notices: Notifications,
    ) -> Self {
        let writes = TaskTracker::new();
        let versions = Batcher::new(&runtime, &writes, VersionBatch(DedicatedConnection::new(store.clone())));
        let loads = Batcher::new(&runtime, &writes, LoadBatch(DedicatedConnection::new(store.clone())));
        let metrics = Metrics::default();
        let writer = ActionWriter(DedicatedConnection::new(store.clone()), metrics.batches.clone());
        let saves = Batcher::new(&runtime, &writes, writer);
        let (change_notifier, streams) =
            (ChangeNotifier::default(), Streams::new(2000, Duration::from_secs(15)));
        let worker = |name, period| background_worker(name, period, &writes, &metrics);
        change_notifier.start(store.clone(), &runtime, worker);
        let (ended, known_tokens) = (RevocationList::default(), KnownTokens::default());
        let confirmations = Confirmations::write_to(store.clone(), &runtime);
        let (match_cache, pairing_turns) =
            (MatchCache::new(memory), Arc::new(Semaphore::new(PAIRING_AT_ONCE)));
        Self {
            store,
            keeper,
            ended,
            known_tokens,
            confirmations,
            runtime,
            writes,
            statistics_worker: StatisticsWorker::new(&match_cache),
            match_cache,
            versions,
            loads,
            saves,
            pairing_turns,
            sign_up: allowed.sign_up,
            sandboxes: allowed.sandboxes,
            most_codes: allowed.most_codes,
            database_time: DatabaseTime::default(),
            scheduler: Scheduler::default(),
            change_notifier,
            streams,
            notices,
            oidc: None,
            passkeys: None,
            rater: Wake::default(),
            replay_pool: ReplayPool::default(),
            analyses: AnalysisCache::default(),
            streaks: Streaks::default(),
            metrics,
        }
    }

    /// Starts the background workers; they run until no more writes are accepted.
    ///
    /// # Errors
    /// If the revocation list cannot be loaded: without it, no token can be trusted.
    #[boxed]
    pub async fn start_workers(&self) -> Result<(), ServiceError> {
        self.start_revocations().await?;
        self.start_housekeeping();
        self.start_scheduler();
        self.start_dispatcher();
        self.start_digests();
        self.start_notice_cleanup();
        self.start_log_scanner();
        self.start_statistics();
        self.start_ratings();
        self.start_marks();
        Ok(())
    }

    /// A background worker that ends when no more writes are accepted.
    fn worker(&self, name: &'static str, period: Duration) -> Worker {
        background_worker(name, period, &self.writes, &self.metrics)
    }

    /// Checks that the database answers.
    ///
    /// # Errors
    /// If it does not.
    #[boxed]
    pub async fn ready(&self) -> Result<(), ServiceError> {
        drop(self.store.connection().await?);
        Ok(())
    }

    /// Waits until no write is running, for ten seconds at most, as the database may not answer.
    ///
    /// To be called when no new writes can arrive.
    #[boxed]
    pub async fn finish_writes(&self) {
        self.writes.close();
        if tokio::time::timeout(Duration::from_secs(10), self.writes.wait()).await.is_err() {
            tracing::error!(
                left = self.writes.len(),
                "shutdown with unfinished writes: their outcome is unknown"
            );
        }
    }
}
