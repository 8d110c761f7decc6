//! Cache of winning streaks. They are queried over all finished matches of a player; an entry is valid until
//! another of those matches ends. The other figures are in `queries`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use quick_cache::sync::Cache;
use uuid::Uuid;
use yaniv_db::statistics::match_stats::{StreaksOf, TallyFilter, tally_streaks};
use yaniv_db::{Connection, StoreError};
use yaniv_model::ids::AccountId;

/// Cached results, of about a hundred bytes; those by month take some thousand.
const KEPT: usize = 5_000;
/// Time to live: rows may be repaired by hand, and counted again.
const GOOD_FOR: Duration = Duration::from_secs(300);

type Key = (Uuid, TallyFilter, StreaksOf);
/// Time of the query, number of matches, and the longest streak by name.
type Found = (Instant, i64, Arc<Vec<(String, i64)>>);

/// The cache. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Streaks(Arc<Cache<Key, Found>>);

impl Default for Streaks {
    fn default() -> Self {
        Self(Arc::new(Cache::new(KEPT)))
    }
}

impl Streaks {
    /// The longest streaks of an account.
    ///
    /// `matches` is the number of finished matches that fit the filter. As finished matches never change, a
    /// cached result with the same number is valid.
    ///
    /// # Errors
    /// Those of the database.
    pub(crate) async fn of(
        &self,
        connection: &Connection,
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
