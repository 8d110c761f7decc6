//! Match cache. A cached state is used only if the database confirms its version: for a view in the same
//! request (`VersionBatch`), for an action when it is stored (`append_actions`).
//!
//! So instances need no coordination, and a stale entry costs only a round trip. Cache misses of concurrent requests
//! are loaded in one statement (`LoadBatch`); from rows to a state is `load`.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use uuid::Uuid;
use yaniv_db::StoreError;
use yaniv_db::accounts::account_names::CurrentNames;
use yaniv_db::matches::load::match_load_list;
use yaniv_db::matches::versions::match_version_list;
use yaniv_match::MatchState;
use yaniv_model::ids::{AccountId, MatchId};
use yaniv_model::match_version::MatchVersion;

use crate::kernel::batcher::{Batch, DedicatedConnection, within};
use crate::matches::load::{lacks_action_count, load_match, state_of_rows};
use crate::matches::name_changes::Renames;
use crate::{ServiceError, Services};

/// Timeout of a statement; after it the connection is dropped.
const SAID_WITHIN: Duration = Duration::from_secs(2);
/// Approximate size of a match in memory, in bytes: without rounds but with its newest log entries.
///
/// Then per round, per player (for the match and each round), per dedication, and per idempotency key.
const WEIGHT: u64 = 3_600;
const WEIGHT_OF_ROUND: u64 = 250;
const WEIGHT_OF_PLAYER: u64 = 150;
const WEIGHT_OF_DEDICATION: u64 = 300;
const WEIGHT_OF_KEY: u64 = 16;

/// Cache of match states, as this instance last used them.
#[derive(Clone)]
pub(crate) struct MatchCache {
    cache: Arc<Cache<Uuid, Arc<MatchState>, Weight>>,
    renames: Renames,
}

#[derive(Clone)]
struct Weight;

impl Weighter<Uuid, Arc<MatchState>> for Weight {
    fn weight(&self, _: &Uuid, state: &Arc<MatchState>) -> u64 {
        let count = |length: usize| u64::try_from(length).unwrap_or(u64::MAX);
        let (players, rounds) = (count(state.players().len()), count(state.rounds().len()));
        WEIGHT
            + WEIGHT_OF_ROUND * rounds
            + WEIGHT_OF_PLAYER * players * (rounds + 1)
            + WEIGHT_OF_DEDICATION * count(state.dedications().len())
            + WEIGHT_OF_KEY * count(state.keys().len())
    }
}

impl MatchCache {
    /// A cache of approximately this number of bytes.
    pub(crate) fn new(bytes: u64) -> Self {
        let items = usize::try_from(bytes / WEIGHT).unwrap_or(usize::MAX);
        Self { cache: Arc::new(Cache::with_weighter(items, bytes, Weight)), renames: Renames::default() }
    }

    /// The cached state, of any age.
    pub(crate) fn get(&self, id: MatchId) -> Option<Arc<MatchState>> {
        self.cache.get(&id.0)
    }

    /// The number of states.
    pub(crate) fn len(&self) -> usize {
        self.cache.len()
    }

    /// Inserts a match.
    pub(crate) fn keep(&self, state: &Arc<MatchState>) {
        self.cache.insert(state.id().0, Arc::clone(state));
        // Check after the insert: whichever of this and `hear` runs second sees the other's change.
        if self.renames.contradict(state) {
            self.cache.remove(&state.id().0);
        }
    }

    /// Records current account names, and evicts matches with outdated names.
    pub(crate) fn hear(&self, names: Vec<CurrentNames>) {
        if self.renames.hear(names) {
            self.cache.retain(|_, state| !self.renames.contradict(state));
        }
    }

    /// Drops recorded names that are older than any load still in flight.
    pub(crate) fn forget_names(&self) {
        self.renames.forget();
    }

    /// Evicts everything: it is unknown what has changed.
    pub(crate) fn clear(&self) {
        self.cache.clear();
    }
}

/// Batch of version queries. `None` for a match that does not exist, or if the query failed.
pub(crate) struct VersionBatch(pub(crate) DedicatedConnection);

impl Batch for VersionBatch {
    type Request = Uuid;
    type Response = Option<MatchVersion>;

    const NAME: &'static str = "match versions";
    const MOST: usize = 256;

    async fn answer(&mut self, ids: Vec<Uuid>) -> Vec<Option<MatchVersion>> {
        // On `None` the caller loads the match, and gets the error if there is one.
        self.list(&ids).await.unwrap_or_else(|_: StoreError| vec![None; ids.len()])
    }
}

impl VersionBatch {
    async fn list(&mut self, ids: &[Uuid]) -> Result<Vec<Option<MatchVersion>>, StoreError> {
        let held = self.0.take().await?;
        let result = within(SAID_WITHIN, match_version_list(&held, ids)).await;
        self.0.give_back(held, &result);
        result
    }
}

/// Batch of loads of matches. `None` for a match that a single load has to answer: it does not exist, it is damaged, its
/// actions must be counted, or the query failed.
pub(crate) struct LoadBatch(pub(crate) DedicatedConnection);

impl Batch for LoadBatch {
    type Request = Uuid;
    type Response = Option<Arc<MatchState>>;

    const NAME: &'static str = "load matches";
    // A match takes far more time than its version; the others of the batch wait for it.
    const MOST: usize = 32;

    async fn answer(&mut self, ids: Vec<Uuid>) -> Vec<Option<Arc<MatchState>>> {
        let states = self.load(&ids).await.unwrap_or_else(|_: StoreError| HashMap::new());
        ids.iter().map(|id| states.get(id).cloned()).collect()
    }
}

impl LoadBatch {
    async fn load(&mut self, ids: &[Uuid]) -> Result<HashMap<Uuid, Arc<MatchState>>, StoreError> {
        let held = self.0.take().await?;
        let result = within(SAID_WITHIN, match_load_list(&held, ids)).await;
        self.0.give_back(held, &result);
        let states = result?.into_iter().filter_map(|rows| state_of_rows(rows).ok());
        let counted = states.filter(|state| !lacks_action_count(state));
        Ok(counted.map(|state| (state.id().0, Arc::new(state))).collect())
    }
}

impl Services {
    /// The current match, for accounts with a seat only.
    ///
    /// # Errors
    /// `MatchNotFound`, both if there is no such match and if the caller has no seat.
    pub(crate) async fn match_for(
        &self,
        account: AccountId,
        id: MatchId,
    ) -> Result<Arc<MatchState>, ServiceError> {
        let state = self.match_state(id).await?.ok_or(ServiceError::MatchNotFound)?;
        if state.seat_of(account).is_none() {
            return Err(ServiceError::MatchNotFound);
        }
        Ok(state)
    }

    /// The current match, for accounts that may read it: players, and any account for a public match that is
    /// over.
    ///
    /// # Errors
    /// `MatchNotFound`, both if there is no such match and if the caller may not read it.
    pub(crate) async fn match_to_read(
        &self,
        account: AccountId,
        id: MatchId,
    ) -> Result<Arc<MatchState>, ServiceError> {
        let state = self.match_state(id).await?.ok_or(ServiceError::MatchNotFound)?;
        let may = state.seat_of(account).is_some() || state.is_open_to_all();
        if may { Ok(state) } else { Err(ServiceError::MatchNotFound) }
    }

    /// The current match, without an access check.
    pub(crate) async fn match_state(&self, id: MatchId) -> Result<Option<Arc<MatchState>>, ServiceError> {
        if let Some(kept) = self.match_cache.get(id)
            && self.versions.ask(id.0).await.flatten() == Some(kept.stands_at())
        {
            return Ok(Some(kept));
        }
        if let Some(state) = self.load_together(id).await {
            return Ok(Some(state));
        }
        let connection = self.store.connection().await?;
        let Some(state) = load_match(&connection, id).await? else { return Ok(None) };
        let state = Arc::new(state);
        self.match_cache.keep(&state);
        Ok(Some(state))
    }

    /// Loads a match in a batch, and caches it. `None` for a match that does not exist, or if the batch failed.
    pub(crate) async fn load_together(&self, id: MatchId) -> Option<Arc<MatchState>> {
        let state = self.loads.ask(id.0).await.flatten()?;
        self.match_cache.keep(&state);
        Some(state)
    }
}
