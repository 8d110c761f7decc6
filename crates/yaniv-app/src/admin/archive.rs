//! The archiver: moves the logs of matches that ended long ago from the hot tables to one compact row each.
//!
//! A match is moved in a transaction of its own, after a replay has shown that the log gives what is stored of the match,
//! and after the packed log was unpacked and compared. Every instance may archive: a match that another has locked is
//! passed over.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta};
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use uuid::Uuid;
use yaniv_db::matches::archived_logs::{
    ArchivePosition, archive_candidate_list, archive_in_txn, archive_lock_in_txn,
    archived_log_rewrite_in_txn, old_format_list,
};
use yaniv_db::matches::packed_log::WholeLog;
use yaniv_db::{Connection, Store, StoreError, Transactions};
use yaniv_model::ids::MatchId;

use crate::admin::integrity::check::{Difference, Stored, differences_from_log, read};
use crate::kernel::boxed;
use crate::kernel::metrics::Metrics;
use crate::kernel::worker::{Next, Work};
use crate::{ServiceError, Services};

/// Pause between two passes through the queue.
const PERIOD: Duration = Duration::from_secs(600);
/// After a batch, the worker rests for this multiple of its time: archiving takes a tenth of a core.
const REST: u32 = 9;
/// Matches of a batch.
const AT_A_TIME: i64 = 20;
/// Refused matches that are remembered, so that a difference is logged once.
const MOST_REFUSED: usize = 10_000;
/// Before all matches.
const START: ArchivePosition = (DateTime::UNIX_EPOCH, Uuid::nil());

/// Archives matches of a database, in passes through the queue of those that ended long ago. It refuses those whose stored
/// data contradicts their log; they stay as they are.
#[derive(Clone)]
struct Archiver {
    store: Store,
    ended: TimeDelta,
    /// Archivers of a process share it, so that each takes other matches.
    queue: Arc<Mutex<Queue>>,
    metrics: Metrics,
}

/// State of a pass.
struct Queue {
    /// The end of the last batch.
    after: ArchivePosition,
    /// Since the start of the process.
    refused: HashSet<Uuid>,
}

/// What became of a match.
enum Outcome {
    Archived,
    /// Another session has locked or archived it. The next pass sees.
    PassedOver,
    Refused(Vec<Difference>),
}

impl Archiver {
    /// An archiver of the matches that ended at least this long ago.
    fn new(store: Store, ended: TimeDelta) -> Self {
        let queue = Queue { after: START, refused: HashSet::new() };
        Self { store, ended, queue: Arc::new(Mutex::new(queue)), metrics: Metrics::default() }
    }

    /// Archives the next matches. Returns how many; `None` at the end of a pass.
    ///
    /// # Errors
    /// Those of the database. Matches archived before the error stay so, and the next batch begins after this one.
    #[boxed]
    async fn archive_batch(&self) -> Result<Option<u64>, ServiceError> {
        let connection = self.store.connection().await?;
        let mut queue = self.queue.lock().await;
        let found = archive_candidate_list(&connection, self.ended, queue.after, AT_A_TIME).await?;
        queue.after = found.last().copied().unwrap_or(START);
        drop((connection, queue));
        let mut archived = 0;
        for (_, id) in &found {
            match archive(&self.store, MatchId(*id)).await {
                Ok(Outcome::Archived) => {
                    archived += 1;
                    self.metrics.archived.inc();
                }
                Ok(Outcome::PassedOver) | Err(ServiceError::Busy) => {}
                Ok(Outcome::Refused(differences)) => self.refuse(*id, &differences).await,
                Err(ServiceError::Internal(error)) => {
                    tracing::error!(match_id = %id, %error, "a match cannot be archived");
                    self.refuse(*id, &[]).await;
                }
                Err(error) => return Err(error),
            }
        }
        Ok((!found.is_empty()).then_some(archived))
    }

    /// Archives all that are left. Returns how many.
    async fn archive_all(self) -> Result<u64, ServiceError> {
        let (mut archived, mut before) = (0, None);
        // A pass may pass over matches that others have locked: the last one archives nothing.
        while before != Some(archived) {
            before = Some(archived);
            while let Some(more) = self.archive_batch().await? {
                archived += more;
            }
        }
        Ok(archived)
    }

    async fn refuse(&self, id: Uuid, differences: &[Difference]) {
        let refused = &mut self.queue.lock().await.refused;
        let is_new = refused.len() < MOST_REFUSED && refused.insert(id);
        self.metrics.archive_refused.inc_by(is_new.into());
        if let Some(Difference { what, .. }) = differences.first().filter(|_| is_new) {
            let count = differences.len();
            tracing::error!(match_id = %id, what, count, "a match is not archived: it differs from its log (yaniv fsck)");
        }
    }
}

/// Result of [`archive_all`].
#[derive(Clone, Copy, Debug, Default)]
pub struct AllArchived {
    /// Number of archived matches.
    pub archived: u64,
    /// Number of refused matches, up to some thousands. Each is named in the log of the process.
    pub refused: usize,
}

/// Archives all matches that ended at least this long ago, this many at a time.
///
/// # Errors
/// Those of the database. Matches archived before the error stay so.
#[boxed]
pub async fn archive_all(
    store: &Store,
    ended: TimeDelta,
    workers: usize,
) -> Result<AllArchived, ServiceError> {
    let archiver = Archiver::new(store.clone(), ended);
    let mut running: JoinSet<_> = (0..workers.max(1)).map(|_| archiver.clone().archive_all()).collect();
    let mut archived = 0;
    while let Some(more) = running.join_next().await {
        archived += more.map_err(ServiceError::internal)??;
    }
    let refused = archiver.queue.lock().await.refused.len();
    Ok(AllArchived { archived, refused })
}

/// Result of [`rewrite_all`].
#[derive(Clone, Copy, Debug, Default)]
pub struct AllRewritten {
    /// Number of rewritten logs.
    pub rewritten: u64,
    /// Number of damaged logs. Each is named in the log of the process.
    pub damaged: u64,
}

/// Packs all archived logs of older formats again, in the current one.
///
/// # Errors
/// Those of the database. Logs rewritten before the error stay so.
#[boxed]
pub async fn rewrite_all(store: &Store) -> Result<AllRewritten, ServiceError> {
    let mut connection = store.connection().await?;
    let (mut all, mut after) = (AllRewritten::default(), Uuid::nil());
    loop {
        let found = old_format_list(&connection, after, AT_A_TIME).await?;
        let Some(last) = found.last() else { return Ok(all) };
        after = *last;
        for id in found.into_iter().map(MatchId) {
            let rewritten = connection
                .transaction(async |connection| Ok(archived_log_rewrite_in_txn(connection, id).await?))
                .await;
            match rewritten {
                Ok(is_there) => all.rewritten += u64::from(is_there),
                Err(ServiceError::Internal(error)) => {
                    tracing::error!(match_id = %id.0, %error, "an archived log cannot be rewritten");
                    all.damaged += 1;
                }
                Err(error) => return Err(error),
            }
        }
    }
}

impl Work for Archiver {
    async fn run(&mut self) -> Result<Next, ServiceError> {
        Ok(if self.archive_batch().await?.is_some() { Next::Now } else { Next::Period })
    }
}

impl Services {
    /// Starts the archiver of matches that ended at least this long ago.
    pub fn start_archiver(&self, ended: TimeDelta) {
        let worker = self.worker("archiver", PERIOD).with_jitter(0.5).resting(Duration::ZERO, REST);
        let archiver = Archiver::new(self.store.clone(), ended);
        let _ = self.metrics.archive_after.set(ended);
        worker.start(&self.runtime, Archiver { metrics: self.metrics.clone(), ..archiver });
    }
}

async fn archive(store: &Store, id: MatchId) -> Result<Outcome, ServiceError> {
    let mut connection = store.connection().await?;
    connection.transaction(async |connection| move_in_txn(connection, id).await).await
}

async fn move_in_txn(connection: &Connection, id: MatchId) -> Result<Outcome, ServiceError> {
    if !archive_lock_in_txn(connection, id).await? {
        return Ok(Outcome::PassedOver);
    }
    let Some(stored) = read(connection, id).await? else { return Ok(Outcome::PassedOver) };
    // On a blocking thread, as play needs the threads that drive all connections.
    let stored = Arc::new(stored);
    let checked = Arc::clone(&stored);
    let packed = tokio::task::spawn_blocking(move || check_and_pack(&checked)).await;
    match packed.map_err(ServiceError::internal)?? {
        Ok((log, packed)) => {
            archive_in_txn(connection, id, &log, &packed).await?;
            Ok(Outcome::Archived)
        }
        Err(differences) => Ok(Outcome::Refused(differences)),
    }
}

type Packed = (WholeLog, Vec<u8>);

fn check_and_pack(stored: &Stored) -> Result<Result<Packed, Vec<Difference>>, StoreError> {
    let differences = differences_from_log(stored);
    if !differences.is_empty() {
        return Ok(Err(differences));
    }
    let log = WholeLog { entries: stored.log.clone(), rounds: stored.rows.rounds.clone() };
    let packed = log.pack()?;
    Ok(Ok((log, packed)))
}
