//! The bookkeeper, on every instance and with no leader: counts the rounds that have ended, within a second, for the statistics.
//!
//! Nobody who plays waits for it: a round that an action has written is the entry of its queue, and what it locks nobody else
//! does. `counting` says what a log comes to, which depends on the log alone; `batch` stores it once, whoever dies on the way;
//! `rebuild` counts everything again.

mod batch;
mod counting;
pub(crate) mod figures;
pub mod rebuild;
pub mod replies;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use diesel_async::AsyncConnection;
use tokio::sync::Notify;
use uuid::Uuid;

use self::batch::count_in_txn;
use super::{ServiceError, Services};
use crate::store::Connection;
use crate::store::rounds::round_list_uncounted;

pub use batch::CUSTOM;

/// Between two looks, at most: so late a round may be noticed that another instance has ended.
const PERIOD: Duration = Duration::from_millis(250);
/// Between two looks, at least, so that rounds which end together are counted together; and as long as it took to count, so that
/// no more than half a core is busy with it.
const GATHERED: Duration = Duration::from_millis(100);
/// Matches that are found at a time.
const FOUND_MOST: i64 = 25;
/// A match that cannot be counted is tried again after this.
const PUT_OFF: Duration = Duration::from_secs(600);

/// What wakes the bookkeeper. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct Bookkeeping(Arc<Notify>);

/// Matches that could not be counted, and since when.
type Damaged = HashMap<Uuid, Instant>;

impl Bookkeeping {
    /// A round has ended.
    pub(super) fn wake(&self) {
        self.0.notify_one();
    }
}

impl Services {
    /// Counts, from now until no more writes are to come.
    pub fn keep_books(&self) {
        let services = self.clone();
        self.runtime.spawn(async move {
            let (mut failing, mut damaged) = (false, Damaged::new());
            while !services.writes.is_closed() {
                let begun = Instant::now();
                let counted = services.count_due(&mut damaged).await;
                let took = begun.elapsed();
                if let Err(error) = &counted
                    && !failing
                {
                    tracing::warn!(%error, "rounds were not counted");
                }
                failing = counted.is_err();
                if !counted.unwrap_or_default() {
                    let pause = tokio::time::timeout(PERIOD, services.bookkeeping.0.notified());
                    tokio::select! {
                        _ = pause => {}
                        () = services.writes.wait() => {}
                    }
                }
                let rest = GATHERED.max(took);
                let _ = tokio::time::timeout(rest, services.writes.wait()).await;
            }
        });
    }

    /// Counts some of what is due; says whether there was any, so that there may be more.
    async fn count_due(&self, damaged: &mut Damaged) -> Result<bool, ServiceError> {
        damaged.retain(|_, since| since.elapsed() < PUT_OFF);
        let but: Vec<Uuid> = damaged.keys().copied().collect();
        let mut connection = self.store.connection().await?;
        let found = round_list_uncounted(&connection, &but, FOUND_MOST).await?;
        if found.is_empty() {
            return Ok(false);
        }
        let wrong = match count(&mut connection, &found).await {
            Err(error @ ServiceError::Internal(_)) if found.len() > 1 => {
                tracing::error!(%error, "rounds could not be counted together");
                each(&mut connection, &found).await
            }
            counted => counted?,
        };
        damaged.extend(wrong.into_iter().map(|id| (id, Instant::now())));
        Ok(true)
    }
}

/// Counts matches in a transaction; answers those that cannot be.
pub(super) async fn count(connection: &mut Connection, matches: &[Uuid]) -> Result<Vec<Uuid>, ServiceError> {
    connection.transaction(async |connection| count_in_txn(connection, matches).await).await
}

/// Counts matches one by one, so that one that nothing can be done with keeps no other waiting; answers those that cannot be.
async fn each(connection: &mut Connection, matches: &[Uuid]) -> Vec<Uuid> {
    let mut wrong = Vec::new();
    for id in matches {
        match count(connection, &[*id]).await {
            Ok(damaged) => wrong.extend(damaged),
            Err(error) => {
                tracing::error!(%error, match_id = %id, "a match could not be counted");
                wrong.push(*id);
            }
        }
    }
    wrong
}
