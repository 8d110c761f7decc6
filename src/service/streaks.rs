//! Streaks, which are looked for in all that somebody has played, and kept until another of those matches is over.

use std::sync::Arc;
use std::time::{Duration, Instant};

use diesel_async::AsyncPgConnection;
use quick_cache::sync::Cache;
use uuid::Uuid;

use crate::ids::AccountId;
use crate::store::StoreError;
use crate::store::tallies::{StreaksOf, TallyFilter, tally_streaks};

/// Answers that are kept: of a hundred bytes or so, those by month of some thousand.
const KEPT: usize = 5_000;
/// And for so long: rows may be mended by hand, and counted again.
const GOOD_FOR: Duration = Duration::from_secs(300);

type Key = (Uuid, TallyFilter, StreaksOf);
/// When it was looked for, how many matches there were, and the longest streak by what was asked for.
type Found = (Instant, i64, Arc<Vec<(String, i64)>>);

/// Streaks that were looked for of late. Cheap to clone.
#[derive(Clone)]
pub(super) struct Streaks(Arc<Cache<Key, Found>>);

impl Default for Streaks {
    fn default() -> Self {
        Self(Arc::new(Cache::new(KEPT)))
    }
}

impl Streaks {
    /// The longest streaks of an account, that has so many matches which are over and fit the filter: what is over never changes.
    ///
    /// # Errors
    /// Those of the database.
    pub(super) async fn of(
        &self,
        connection: &AsyncPgConnection,
        (account, matches): (AccountId, i64),
        filter: &TallyFilter,
        of: StreaksOf,
    ) -> Result<Arc<Vec<(String, i64)>>, StoreError> {
        let key = (account.0, filter.clone(), of);
        if let Some((at, counted, streaks)) = self.0.get(&key)
            && counted == matches
            && at.elapsed() < GOOD_FOR
        {
            return Ok(streaks);
        }
        let streaks = Arc::new(tally_streaks(connection, account, filter, of).await?);
        self.0.insert(key, (Instant::now(), matches, Arc::clone(&streaks)));
        Ok(streaks)
    }
}
