//! The bookkeeper, on every instance and with no leader: counts the rounds that have ended, within a second, for the statistics.
//!
//! Nobody who plays waits for it: a round that an action has written is the entry of its queue, and what it locks nobody else
//! does. `counting` says what a log comes to, which depends on the log alone; `batch` stores it once, whoever dies on the way;
//! `rebuild` counts everything again.

mod batch;
mod books;
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

use self::batch::{Done, count_in_txn};
use self::books::Books;
use super::{ServiceError, Services};
use crate::store::Connection;
use crate::store::rounds::round_list_uncounted;

pub use batch::CUSTOM;
pub(super) use batch::tallies_of;

/// Between two looks, at most: so late a round may be noticed that another instance has ended.
const PERIOD: Duration = Duration::from_millis(250);
/// Between two looks, at least, so that rounds which end together are counted together; and as long as it took to count, so that
/// no more than half a core is busy with it.
const GATHERED: Duration = Duration::from_millis(100);
/// Matches that are found at a time.
const FOUND_MOST: i64 = 25;
/// A match that is damaged is tried again after this; one that the database would not have counted, after that.
const DAMAGED: Duration = Duration::from_secs(600);
const REFUSED: Duration = Duration::from_secs(2);

/// What wakes the bookkeeper, and what it has at hand. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct Bookkeeping {
    wake: Arc<Notify>,
    books: Books,
}

/// Matches that could not be counted, and until when they are passed over.
type PutOff = HashMap<Uuid, Instant>;

impl Bookkeeping {
    /// A round has ended.
    pub(super) fn wake(&self) {
        self.wake.notify_one();
    }
}

impl Services {
    /// Counts, from now until no more writes are to come.
    pub fn keep_books(&self) {
        let services = self.clone();
        self.runtime.spawn(async move {
            let (mut failing, mut put_off) = (false, PutOff::new());
            while !services.writes.is_closed() {
                let begun = Instant::now();
                let counted = services.count_due(&mut put_off).await;
                let took = begun.elapsed();
                if let Err(error) = &counted
                    && !failing
                {
                    tracing::warn!(%error, "rounds were not counted");
                }
                failing = counted.is_err();
                if !counted.unwrap_or_default() {
                    let pause = tokio::time::timeout(PERIOD, services.bookkeeping.wake.notified());
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
    async fn count_due(&self, put_off: &mut PutOff) -> Result<bool, ServiceError> {
        put_off.retain(|_, until| *until > Instant::now());
        let but: Vec<Uuid> = put_off.keys().copied().collect();
        let mut connection = self.store.connection().await?;
        let found = round_list_uncounted(&connection, &but, FOUND_MOST).await?;
        if found.is_empty() {
            return Ok(false);
        }
        let books = &self.bookkeeping.books;
        match count(&mut connection, &found, books).await {
            // One of them may be to blame, and keeps no other waiting.
            Err(error) => {
                tracing::warn!(%error, "rounds could not be counted together");
                drop(connection);
                let mut connection = self.store.connection().await?;
                for id in found {
                    count_one(&mut connection, id, books, put_off).await;
                }
            }
            Ok(done) => pass_over(done.damaged, DAMAGED, put_off),
        }
        Ok(true)
    }
}

/// Counts matches in a transaction.
async fn count(connection: &mut Connection, matches: &[Uuid], books: &Books) -> Result<Done, ServiceError> {
    let mut done =
        connection.transaction(async |connection| count_in_txn(connection, matches, books).await).await?;
    done.counted.drain(..).for_each(|book| books.keep(book));
    Ok(done)
}

async fn count_one(connection: &mut Connection, id: Uuid, books: &Books, put_off: &mut PutOff) {
    match count(connection, &[id], books).await {
        Ok(done) => pass_over(done.damaged, DAMAGED, put_off),
        Err(error) => {
            tracing::error!(%error, match_id = %id, "a match could not be counted");
            pass_over(vec![id], REFUSED, put_off);
        }
    }
}

fn pass_over(matches: Vec<Uuid>, for_so_long: Duration, put_off: &mut PutOff) {
    put_off.extend(matches.into_iter().map(|id| (id, Instant::now() + for_so_long)));
}
