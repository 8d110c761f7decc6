//! Revocation list: recently ended sessions and personal tokens, in memory.
//!
//! Access tokens outlive their session by up to fifteen minutes; this list refuses them. It is refreshed
//! twice a second; ends on this instance are added at once. The same poll returns renamed accounts, whose
//! matches are dropped from the match cache (`matches::cache`).

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, Weak};
use std::time::{Duration, Instant};

use chrono::TimeDelta;
use tokio::sync::watch;
use uuid::Uuid;
use yaniv_db::StoreError;
use yaniv_db::accounts::account_names::rename_list;
use yaniv_db::accounts::revocations::revocation_list;

use crate::kernel::batcher::{DedicatedConnection, within};
use crate::kernel::worker::{Next, Work};
use crate::matches::cache::MatchCache;
use crate::{ServiceError, Services};

/// Retention of an entry: longer than the lifetime of access tokens and of cached personal tokens.
const REMEMBERED: TimeDelta = TimeDelta::minutes(30);
/// Polling interval.
const PERIOD: Duration = Duration::from_millis(500);
/// Look-back of a poll: a transaction may commit some time after it read its clock.
const LATELY: TimeDelta = TimeDelta::seconds(60);
/// One in this number of polls looks back over the full retention.
///
/// A commit that waits for a standby may take longer than `LATELY`.
const ALL_EVERY: u32 = 60;
/// Age of the list after which no token is trusted: usually the database is down.
const DEAF: Duration = Duration::from_secs(5);
/// Timeout of a poll.
const SILENCE: Duration = Duration::from_secs(5);

/// The revocation list. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct RevocationList(Arc<List>);

struct List {
    /// Whether the list has entries: most of the time it is empty, and no lock is taken.
    any: AtomicBool,
    /// Revoked identifiers, with the time when this instance learned of them.
    ids: RwLock<HashMap<Uuid, Instant>>,
    /// Start of this instance; `heard` is the time of the last successful poll, in milliseconds after it.
    begun: Instant,
    heard: AtomicU64,
    /// Counter of revocations.
    news: watch::Sender<u64>,
}

impl Default for List {
    fn default() -> Self {
        let (any, ids) = (AtomicBool::default(), RwLock::default());
        let (heard, news) = (AtomicU64::default(), watch::Sender::default());
        Self { any, ids, begun: Instant::now(), heard, news }
    }
}

impl RevocationList {
    /// Checks that a session or token has not been revoked.
    ///
    /// # Errors
    /// `InvalidToken` if it has ended recently; `Unavailable` if the list is out of date.
    pub(crate) fn check(&self, id: Uuid) -> Result<(), ServiceError> {
        let heard = Duration::from_millis(self.0.heard.load(Ordering::Acquire));
        if self.0.begun.elapsed().saturating_sub(heard) > DEAF {
            return Err(StoreError::Silent.into());
        }
        let ended = self.0.any.load(Ordering::Acquire)
            && self.0.ids.read().unwrap_or_else(PoisonError::into_inner).contains_key(&id);
        if ended { Err(ServiceError::InvalidToken) } else { Ok(()) }
    }

    /// Records that the list is complete up to this time.
    fn heard(&self, then: Instant) {
        let since = then.saturating_duration_since(self.0.begun).as_millis();
        self.0.heard.store(u64::try_from(since).unwrap_or(u64::MAX), Ordering::Release);
    }

    /// Adds identifiers to the list.
    pub(crate) fn add(&self, ids: impl IntoIterator<Item = Uuid>) {
        let mut ids = ids.into_iter().peekable();
        if ids.peek().is_none() {
            return;
        }
        let now = Instant::now();
        let mut known = self.0.ids.write().unwrap_or_else(PoisonError::into_inner);
        let before = known.len();
        known.extend(ids.map(|id| (id, now)));
        self.0.any.store(true, Ordering::Release);
        if known.len() > before {
            self.0.news.send_modify(|news| *news = news.wrapping_add(1));
        }
    }

    /// Subscribes to future revocations.
    pub(crate) fn news(&self) -> watch::Receiver<u64> {
        self.0.news.subscribe()
    }

    fn forget(&self) {
        let mut known = self.0.ids.write().unwrap_or_else(PoisonError::into_inner);
        // An identifier that was read again counts from then: no entry is removed too early.
        known.retain(|_, heard| heard.elapsed() < REMEMBERED.to_std().unwrap_or_default());
        self.0.any.store(!known.is_empty(), Ordering::Release);
    }
}

impl Services {
    /// Loads the revocation list and keeps polling as long as this service exists.
    ///
    /// # Errors
    /// If the first poll fails: without the list, no token can be trusted.
    pub(crate) async fn start_revocations(&self) -> Result<(), ServiceError> {
        let (store, ended) = (DedicatedConnection::new(self.store.clone()), Arc::downgrade(&self.ended.0));
        let match_cache = self.match_cache.clone();
        let mut watch = Watch { store, ended, match_cache, heard: Instant::now(), round: 0, lost: None };
        watch.learn(REMEMBERED).await?;
        // Until the last request has been answered, and no longer: then the database may be stopped, too.
        self.worker("revocation list", PERIOD).start(&self.runtime, watch);
        Ok(())
    }
}

struct Watch {
    store: DedicatedConnection,
    ended: Weak<List>,
    match_cache: MatchCache,
    /// When the list was last known to be complete.
    heard: Instant,
    round: u32,
    /// Since when the database is lost.
    lost: Option<Instant>,
}

impl Work for Watch {
    async fn run(&mut self) -> Result<Next, ServiceError> {
        let Some(list) = self.ended.upgrade() else { return Ok(Next::End) };
        self.round = self.round.wrapping_add(1);
        // After a pause, too: the machine may have slept.
        let late = self.heard.elapsed() > LATELY.to_std().unwrap_or_default() / 2;
        let all = self.lost.is_some() || late || self.round.is_multiple_of(ALL_EVERY);
        let mut learned = self.learn(if all { REMEMBERED } else { LATELY }).await;
        // A failure may concern one connection only: a second one shows whether the database is down.
        if learned.is_err() && self.lost.is_none() {
            learned = self.learn(REMEMBERED).await;
        }
        match (learned, self.lost) {
            (Err(error), None) => {
                let cause = std::error::Error::source(&error).map(ToString::to_string);
                tracing::warn!(%error, cause, "the database was lost");
                self.lost = Some(Instant::now());
            }
            (Ok(()), Some(since)) => {
                tracing::info!(seconds = since.elapsed().as_secs(), "the database is back");
                self.lost = None;
            }
            _ => {}
        }
        if all {
            RevocationList(list).forget();
            self.match_cache.forget_names();
        }
        // Without back-off: the list has to be up to date within a second.
        Ok(Next::Period)
    }
}

impl Watch {
    async fn learn(&mut self, back: TimeDelta) -> Result<(), StoreError> {
        let begun = Instant::now();
        let held = self.store.take().await?;
        let found = within(SILENCE, async {
            Ok((revocation_list(&held, back).await?, rename_list(&held, back).await?))
        })
        .await;
        self.store.give_back(held, &found);
        let (ended, renamed) = found?;
        if let Some(list) = self.ended.upgrade() {
            let list = RevocationList(list);
            list.add(ended);
            list.heard(begun);
        }
        // After a gap longer than the retention, the set of renamed accounts is unknown.
        if self.heard.elapsed() > REMEMBERED.to_std().unwrap_or_default() {
            self.match_cache.clear();
        }
        self.match_cache.hear(renamed);
        self.heard = begun;
        Ok(())
    }
}
