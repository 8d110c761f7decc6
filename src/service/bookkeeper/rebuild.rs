//! Counting everything again, from the logs alone. The service may run meanwhile: until it is done, figures are too small.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use diesel_async::AsyncConnection;
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use uuid::Uuid;

use super::books::Books;
use super::count;
use crate::service::ServiceError;
use crate::store::match_rows::{match_count_started, match_list_started};
use crate::store::totals::count_nothing_in_txn;
use crate::store::{Store, StoreError};

/// Matches that are counted in one transaction.
const AT_A_TIME: i64 = 50;
/// How often it is tried to empty what others read and count.
const TRIES: u32 = 20;

/// What was counted again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rebuilt {
    /// Matches that have started.
    pub matches: u64,
    /// Those of them that could not be counted, as they are damaged.
    pub damaged: u64,
}

/// Who is told how many matches are done, of how many.
pub type Progress = Arc<dyn Fn(u64, u64) + Send + Sync>;

/// How far it has got.
#[derive(Clone, Default)]
struct Walk {
    last: Arc<Mutex<Option<Uuid>>>,
    done: Arc<AtomicU64>,
    damaged: Arc<AtomicU64>,
}

/// Empties the statistics and counts all matches again, by so many workers, each with a connection.
///
/// # Errors
/// Those of the database. What was not counted yet is counted when it is done again.
pub async fn rebuild_statistics(
    store: &Store,
    workers: usize,
    progress: &Progress,
) -> Result<Rebuilt, ServiceError> {
    let mut connection = store.connection().await?;
    for tried in 1.. {
        let emptied: Result<(), StoreError> =
            connection.transaction(async |connection| count_nothing_in_txn(connection).await).await;
        match emptied {
            Err(StoreError::Busy) if tried < TRIES => {}
            emptied => {
                emptied?;
                break;
            }
        }
    }
    let all = u64::try_from(match_count_started(&connection).await?).unwrap_or_default();
    drop(connection);
    let walk = Walk::default();
    progress(0, all);
    let mut workers: JoinSet<_> =
        (0..workers.max(1)).map(|_| walk.clone().go(store.clone(), Arc::clone(progress), all)).collect();
    while let Some(ended) = workers.join_next().await {
        ended.map_err(ServiceError::internal)??;
    }
    let figure = |of: &AtomicU64| of.load(Ordering::Relaxed);
    Ok(Rebuilt { matches: figure(&walk.done), damaged: figure(&walk.damaged) })
}

impl Walk {
    async fn go(self, store: Store, progress: Progress, all: u64) -> Result<(), ServiceError> {
        let mut connection = store.connection().await?;
        // From the first deal on, each of them.
        let books = Books::default();
        loop {
            let found = {
                let mut last = self.last.lock().await;
                let found = match_list_started(&connection, last.unwrap_or_default(), AT_A_TIME).await?;
                *last = found.last().copied().or(*last);
                found
            };
            if found.is_empty() {
                return Ok(());
            }
            let damaged = count(&mut connection, &found, &books).await?;
            let counted = |list: &[Uuid]| u64::try_from(list.len()).unwrap_or_default();
            self.damaged.fetch_add(counted(&damaged), Ordering::Relaxed);
            let done = self.done.fetch_add(counted(&found), Ordering::Relaxed) + counted(&found);
            // Matches may start meanwhile.
            progress(done, all.max(done));
        }
    }
}
