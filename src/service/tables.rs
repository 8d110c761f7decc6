//! Matches in memory. A copy is never trusted: a view is drawn from it only if the database has just said that the
//! match still stands so, and an action played on it is stored only if it does (`action_save`). So instances need not
//! know of each other, and a copy that is too old costs a round trip and nothing else.

use std::sync::Arc;
use std::time::Duration;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use uuid::Uuid;

use super::gather::{Batches, Lane, within};
use super::renames::Renames;
use super::table::Table;
use super::{ServiceError, Services};
use crate::ids::{AccountId, MatchId};
use crate::store::StoreError;
use crate::store::match_versions::{MatchVersion, match_version_list};

/// How long a statement may take before its connection is given up.
const SAID_WITHIN: Duration = Duration::from_secs(2);
/// What a match takes in memory, roughly, in bytes: with no round played but the newest entries of its log, for each
/// round, for each player of either, for each dedication, and for each key.
const WEIGHT: u64 = 3_600;
const WEIGHT_OF_ROUND: u64 = 250;
const WEIGHT_OF_PLAYER: u64 = 150;
const WEIGHT_OF_GIFT: u64 = 300;
const WEIGHT_OF_KEY: u64 = 16;

/// Matches as they stood when this instance last had to do with them.
#[derive(Clone)]
pub(super) struct Tables {
    cache: Arc<Cache<Uuid, Arc<Table>, Weight>>,
    renames: Renames,
}

#[derive(Clone)]
struct Weight;

impl Weighter<Uuid, Arc<Table>> for Weight {
    fn weight(&self, _: &Uuid, table: &Arc<Table>) -> u64 {
        let count = |length: usize| u64::try_from(length).unwrap_or(u64::MAX);
        let (players, rounds) = (count(table.players.len()), count(table.rounds.len()));
        WEIGHT
            + WEIGHT_OF_ROUND * rounds
            + WEIGHT_OF_PLAYER * players * (rounds + 1)
            + WEIGHT_OF_GIFT * count(table.gifts.len())
            + WEIGHT_OF_KEY * count(table.keys.len())
    }
}

impl Tables {
    /// Keeps so many bytes of matches, roughly.
    pub(super) fn new(bytes: u64) -> Self {
        let items = usize::try_from(bytes / WEIGHT).unwrap_or(usize::MAX);
        Self { cache: Arc::new(Cache::with_weighter(items, bytes, Weight)), renames: Renames::default() }
    }

    /// The match as it stood when it was last kept.
    pub(super) fn get(&self, id: MatchId) -> Option<Arc<Table>> {
        self.cache.get(&id.0)
    }

    /// Keeps a match.
    pub(super) fn keep(&self, table: &Arc<Table>) {
        self.cache.insert(table.id().0, Arc::clone(table));
        // Afterwards: whichever of this and `hear` comes second sees what the first has done.
        if self.renames.contradict(table) {
            self.cache.remove(&table.id().0);
        }
    }

    /// Hears what some accounts are called now, and forgets the matches that call them otherwise.
    pub(super) fn hear(&self, names: Vec<(Uuid, String)>) {
        if self.renames.hear(names) {
            self.cache.retain(|_, table| !self.renames.contradict(table));
        }
    }

    /// Forgets names that were heard of so long ago that nothing is about to be kept that does not have them.
    pub(super) fn forget_names(&self) {
        self.renames.forget();
    }

    /// Forgets everything: it is not known what has changed.
    pub(super) fn clear(&self) {
        self.cache.clear();
    }
}

/// Says how matches stand; none where there is no such match, or where it could not be found out.
pub(super) struct Versions(pub(super) Lane);

impl Batches for Versions {
    type Question = Uuid;
    type Answer = Option<MatchVersion>;

    const MOST: usize = 256;

    async fn answer(&mut self, ids: Vec<Uuid>) -> Vec<Option<MatchVersion>> {
        // Whoever gets none looks for the match itself, and hears what is wrong.
        self.list(&ids).await.unwrap_or_else(|_: StoreError| vec![None; ids.len()])
    }
}

impl Versions {
    async fn list(&mut self, ids: &[Uuid]) -> Result<Vec<Option<MatchVersion>>, StoreError> {
        let held = self.0.take().await?;
        let result = within(SAID_WITHIN, match_version_list(&held.0, ids)).await;
        self.0.give_back(held, &result);
        result
    }
}

impl Services {
    /// The match as it stands now, for those who have a seat, and for nobody else.
    ///
    /// # Errors
    /// `MatchNotFound`, whether there is none or the caller has no seat.
    pub(super) async fn table_for(
        &self,
        account: AccountId,
        id: MatchId,
    ) -> Result<Arc<Table>, ServiceError> {
        let table = self.table(id).await?.ok_or(ServiceError::MatchNotFound)?;
        if table.seat_of(account).is_none() {
            return Err(ServiceError::MatchNotFound);
        }
        Ok(table)
    }

    /// The match as it stands now, for those who may read it: who has a seat, and of a public match that is over everybody.
    ///
    /// # Errors
    /// `MatchNotFound`, whether there is none or the caller may not read it.
    pub(super) async fn table_to_read(
        &self,
        account: AccountId,
        id: MatchId,
    ) -> Result<Arc<Table>, ServiceError> {
        let table = self.table(id).await?.ok_or(ServiceError::MatchNotFound)?;
        let may = table.seat_of(account).is_some() || table.is_open_to_all();
        if may { Ok(table) } else { Err(ServiceError::MatchNotFound) }
    }

    /// The match as it stands now; whoever asks.
    pub(super) async fn table(&self, id: MatchId) -> Result<Option<Arc<Table>>, ServiceError> {
        if let Some(kept) = self.tables.get(id)
            && self.versions.ask(id.0).await.flatten() == Some(kept.stands_at())
        {
            return Ok(Some(kept));
        }
        let connection = self.store.connection().await?;
        let Some(table) = Table::load(&connection, id).await? else { return Ok(None) };
        let table = Arc::new(table);
        self.tables.keep(&table);
        Ok(Some(table))
    }
}
