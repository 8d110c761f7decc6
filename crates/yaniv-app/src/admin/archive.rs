//! The archiver: moves the logs of matches that ended long ago from the hot tables to one compact row each.
//!
//! A match is moved in a transaction of its own, after a replay has shown that the log gives what is stored of the match,
//! and after the packed log was unpacked and compared. Every instance may archive: a match that another has locked is
//! passed over.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use uuid::Uuid;
use yaniv_db::matches::archived_logs::{archive_candidate_list, archive_in_txn, archive_lock_in_txn};
use yaniv_db::matches::packed_log::WholeLog;
use yaniv_db::{Connection, Store, StoreError, Transactions};
use yaniv_model::ids::MatchId;

use crate::admin::integrity::check::{Difference, Stored, differences_from_log, read};
use crate::kernel::boxed;
use crate::kernel::worker::{Next, Work};
use crate::{ServiceError, Services};

/// Pause between two looks for matches.
const PERIOD: Duration = Duration::from_secs(60);
/// After a batch, the worker rests for this multiple of its time: archiving takes a tenth of a core.
const REST: u32 = 9;
/// Matches of a batch.
const AT_A_TIME: i64 = 20;
/// Matches that this archiver has refused; further ones are tried again with each batch.
const MOST_REFUSED: usize = 10_000;

/// Archives matches of a database. It refuses those whose stored data contradicts their log; they stay as they are.
pub struct Archiver {
    store: Store,
    ended: TimeDelta,
    refused: HashSet<Uuid>,
}

/// What became of a match.
enum Outcome {
    Archived,
    /// Another instance has it.
    Taken,
    Refused(Vec<Difference>),
}

impl Archiver {
    /// An archiver of the matches that ended at least this long ago.
    pub fn new(store: Store, ended: TimeDelta) -> Self {
        Self { store, ended, refused: HashSet::new() }
    }

    /// The number of matches refused so far. Each is named in the log of the process.
    pub fn refused(&self) -> usize {
        self.refused.len()
    }

    /// Archives the next matches. Returns how many; `None` if there is none left.
    ///
    /// # Errors
    /// Those of the database. Matches archived before the error stay so.
    #[boxed]
    pub async fn archive_batch(&mut self) -> Result<Option<u64>, ServiceError> {
        let except: Vec<Uuid> = self.refused.iter().copied().collect();
        let connection = self.store.connection().await?;
        let found = archive_candidate_list(&connection, self.ended, &except, AT_A_TIME).await?;
        drop(connection);
        let mut archived = 0;
        for id in &found {
            match archive(&self.store, MatchId(*id)).await {
                Ok(Outcome::Archived) => archived += 1,
                // Archived, deleted or busy: the next batch sees.
                Ok(Outcome::Taken) | Err(ServiceError::Busy) => {}
                Ok(Outcome::Refused(differences)) => self.refuse(*id, &differences),
                Err(ServiceError::Internal(error)) => {
                    tracing::error!(match_id = %id, %error, "a match cannot be archived");
                    self.refuse(*id, &[]);
                }
                Err(error) => return Err(error),
            }
        }
        Ok((!found.is_empty()).then_some(archived))
    }

    fn refuse(&mut self, id: Uuid, differences: &[Difference]) {
        for difference in differences {
            tracing::error!(match_id = %id, what = difference.what, "a match is not archived: fsck finds a difference");
        }
        if self.refused.len() < MOST_REFUSED {
            self.refused.insert(id);
        }
    }
}

impl Work for Archiver {
    async fn run(&mut self) -> Result<Next, ServiceError> {
        Ok(match self.archive_batch().await? {
            Some(archived) => {
                tracing::debug!(archived, "matches archived");
                Next::Now
            }
            None => Next::Period,
        })
    }
}

impl Services {
    /// Starts the archiver of matches that ended at least this long ago.
    pub fn start_archiver(&self, ended: TimeDelta) {
        let worker = self.worker("archiver", PERIOD).with_jitter(0.5).resting(Duration::ZERO, REST);
        worker.start(&self.runtime, Archiver::new(self.store.clone(), ended));
    }
}

async fn archive(store: &Store, id: MatchId) -> Result<Outcome, ServiceError> {
    let mut connection = store.connection().await?;
    connection.transaction(async |connection| move_in_txn(connection, id).await).await
}

async fn move_in_txn(connection: &Connection, id: MatchId) -> Result<Outcome, ServiceError> {
    if !archive_lock_in_txn(connection, id).await? {
        return Ok(Outcome::Taken);
    }
    let Some(stored) = read(connection, id).await? else { return Ok(Outcome::Taken) };
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
