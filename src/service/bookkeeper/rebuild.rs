//! Counting everything again, from the logs alone. The service may run meanwhile: until it is done, figures are too small.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use diesel_async::AsyncConnection;
use tokio::sync::Mutex;
use tokio::task::JoinSet;
use uuid::Uuid;

use super::batch::Done;
use super::books::Books;
use super::count;
use crate::service::ServiceError;
use crate::store::match_rows::{match_count_started, match_list_started};
use crate::store::totals::count_nothing_in_txn;
use crate::store::{Store, StoreError};

/// Matches that are counted in one transaction.
const AT_A_TIME: i64 = 200;
/// How often it is tried to empty what others read and count, and what the database was too busy for.
const TRIES: u32 = 20;
/// Before something is tried again.
const PAUSE: Duration = Duration::from_millis(200);

/// What was counted again.
#[derive(Debug)]
pub struct Rebuilt {
    /// Matches that have started.
    pub matches: u64,
    /// Those of them that could not be counted, as they are damaged.
    pub damaged: u64,
    /// What it was broken off by, and the match after which it is to be gone on with.
    pub broken_off: Option<(Option<Uuid>, ServiceError)>,
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

/// Empties the statistics and counts all matches again, by so many workers, each with a connection. To go on after a match nothing is
/// emptied: what has been counted since is not counted twice.
///
/// # Errors
/// Those of the database, before anything is counted.
pub async fn rebuild_statistics(
    store: &Store,
    after: Option<Uuid>,
    workers: usize,
    progress: &Progress,
) -> Result<Rebuilt, ServiceError> {
    let mut connection = store.connection().await?;
    let all = u64::try_from(match_count_started(&connection, after.unwrap_or_default()).await?);
    let all = all.unwrap_or_default();
    for tried in 1..=if after.is_some() { 0 } else { TRIES } {
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
    drop(connection);
    let walk = Walk { last: Arc::new(Mutex::new(after)), ..Walk::default() };
    progress(0, all);
    let mut workers: JoinSet<_> =
        (0..workers.max(1)).map(|_| walk.clone().go(store.clone(), Arc::clone(progress), all)).collect();
    let mut broken_off: Option<(Option<Uuid>, ServiceError)> = None;
    while let Some(ended) = workers.join_next().await {
        if let Err(broken) = ended.map_err(ServiceError::internal)?
            && broken_off.as_ref().is_none_or(|first| broken.0 < first.0)
        {
            broken_off = Some(broken);
        }
    }
    let figure = |of: &AtomicU64| of.load(Ordering::Relaxed);
    Ok(Rebuilt { matches: figure(&walk.done), damaged: figure(&walk.damaged), broken_off })
}

impl Walk {
    /// Until there is no more; or else why not, and after which match.
    async fn go(
        self,
        store: Store,
        progress: Progress,
        all: u64,
    ) -> Result<(), (Option<Uuid>, ServiceError)> {
        loop {
            let mut after = None;
            match self.some(&store, &mut after).await {
                Ok(0) => return Ok(()),
                Ok(counted) => {
                    let done = self.done.fetch_add(counted, Ordering::Relaxed) + counted;
                    // Matches may start meanwhile.
                    progress(done, all.max(done));
                }
                Err(error) => return Err((after, error)),
            }
        }
    }

    /// The next matches, which come after one; how many they are.
    async fn some(&self, store: &Store, after: &mut Option<Uuid>) -> Result<u64, ServiceError> {
        let mut patience = Patience(TRIES);
        let mut last = self.last.lock().await;
        *after = *last;
        let found = loop {
            match next(store, *last).await {
                Err(error) if patience.has(&error).await => {}
                found => break found?,
            }
        };
        *last = found.last().copied().or(*last);
        drop(last);
        let all = u64::try_from(found.len()).unwrap_or_default();
        // From the first deal on, each of them; and all of them, whoever else is at it.
        let (books, mut left) = (Books::default(), found);
        while !left.is_empty() {
            match count_some(store, &left, &books).await {
                Err(error) if patience.has(&error).await => {}
                done => {
                    let done = done?;
                    let damaged = u64::try_from(done.damaged.len()).unwrap_or_default();
                    self.damaged.fetch_add(damaged, Ordering::Relaxed);
                    left = done.passed_over;
                    if !left.is_empty() {
                        tokio::time::sleep(PAUSE).await;
                    }
                }
            }
        }
        Ok(all)
    }
}

async fn next(store: &Store, after: Option<Uuid>) -> Result<Vec<Uuid>, ServiceError> {
    Ok(match_list_started(&*store.connection().await?, after.unwrap_or_default(), AT_A_TIME).await?)
}

async fn count_some(store: &Store, matches: &[Uuid], books: &Books) -> Result<Done, ServiceError> {
    count(&mut store.connection().await?, matches, books).await
}

/// How often something is still tried again.
struct Patience(u32);

impl Patience {
    /// Whether it is worth another try, after a pause: the database was busy, or away.
    async fn has(&mut self, error: &ServiceError) -> bool {
        let passing = matches!(error, ServiceError::Busy | ServiceError::Unavailable(_));
        self.0 = self.0.saturating_sub(1);
        if passing && self.0 > 0 {
            tokio::time::sleep(PAUSE).await;
        }
        passing && self.0 > 0
    }
}
