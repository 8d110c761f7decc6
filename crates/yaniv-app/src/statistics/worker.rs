//! Statistics worker: counts finished rounds for the statistics, within a second. Runs on every instance,
//! without a leader.
//!
//! Play never waits for it: its queue is the rows of rounds that actions write, and it locks only its own
//! rows. `counting` computes figures from a log alone; `batch` stores them exactly once, also after a crash;
//! `rebuild` counts everything again.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use uuid::Uuid;
use yaniv_db::matches::rounds::round_list_uncounted;
use yaniv_db::{PooledConnection, Transactions};

use crate::kernel::worker::{Next, Wake, Work};
use crate::matches::cache::MatchCache;
use crate::statistics::batch::{Done, count_in_txn};
use crate::statistics::resume_points::ResumePoints;
use crate::{ServiceError, Services};

pub use crate::statistics::batch::CUSTOM;
pub(crate) use crate::statistics::batch::tallies_of;

/// Maximum polling interval: upper bound of the delay for rounds ended at other instances.
const PERIOD: Duration = Duration::from_millis(250);
/// Minimum polling interval, so that rounds are counted in batches; and at least the time that counting took,
/// so that at most half a core is used.
const GATHERED: Duration = Duration::from_millis(100);
/// Matches per poll.
const MOST_FOUND: i64 = 25;
/// Delay before the retry of a damaged match; and of one whose counting failed in the database.
const DAMAGED: Duration = Duration::from_secs(600);
const REFUSED: Duration = Duration::from_secs(2);

/// Wake-up signal and cached resume points of the worker. Cheap to clone.
#[derive(Clone)]
pub(crate) struct StatisticsWorker {
    wake: Wake,
    books: ResumePoints,
}

/// Matches that could not be counted, with the end of their delay.
type PutOff = HashMap<Uuid, Instant>;

impl StatisticsWorker {
    /// Has counted nothing yet; takes the seed chains of cached matches.
    pub(crate) fn new(matches: &MatchCache) -> Self {
        Self { wake: Wake::default(), books: ResumePoints::new(matches.clone()) }
    }

    /// Wakes the worker: a round has ended.
    pub(crate) fn wake(&self) {
        self.wake.ring();
    }
}

/// One run counts a batch of due matches.
struct Counter {
    services: Services,
    put_off: PutOff,
}

impl Work for Counter {
    async fn run(&mut self) -> Result<Next, ServiceError> {
        let counted = self.services.count_due(&mut self.put_off).await?;
        Ok(if counted { Next::Now } else { Next::Period })
    }
}

impl Services {
    /// Starts the statistics worker.
    pub(crate) fn start_statistics(&self) {
        let counter = Counter { services: self.clone(), put_off: PutOff::new() };
        let worker = self.worker("statistics", PERIOD).woken_by(&self.statistics_worker.wake);
        worker.resting(GATHERED, 1).start(&self.runtime, counter);
    }

    /// Counts a batch of due matches. Returns whether there were any, so that there may be more.
    async fn count_due(&self, put_off: &mut PutOff) -> Result<bool, ServiceError> {
        put_off.retain(|_, until| *until > Instant::now());
        let but: Vec<Uuid> = put_off.keys().copied().collect();
        let mut connection = self.store.connection().await?;
        let found = round_list_uncounted(&connection, &but, MOST_FOUND).await?;
        if found.is_empty() {
            return Ok(false);
        }
        let books = &self.statistics_worker.books;
        match count(&mut connection, &found, books).await {
            // Count one by one, so that a single failing match does not block the others.
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

/// Counts matches in one transaction.
pub(crate) async fn count(
    connection: &mut PooledConnection,
    matches: &[Uuid],
    books: &ResumePoints,
) -> Result<Done, ServiceError> {
    let mut done =
        connection.transaction(async |connection| count_in_txn(connection, matches, books).await).await?;
    done.counted.drain(..).for_each(|book| books.keep(book));
    Ok(done)
}

async fn count_one(connection: &mut PooledConnection, id: Uuid, books: &ResumePoints, put_off: &mut PutOff) {
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
