//! Sessions and personal tokens that have ended lately, in memory: access tokens outlive their session by up to fifteen
//! minutes, and are refused by this list. It is refreshed twice a second; what this instance ends is in it at once.
//!
//! With it comes which accounts were renamed, whose matches in memory are forgotten (`tables`).

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock, Weak};
use std::time::{Duration, Instant};

use chrono::TimeDelta;
use futures_util::FutureExt;
use tokio::sync::watch;
use uuid::Uuid;

use super::gather::{Lane, within};
use super::tables::Tables;
use super::{ServiceError, Services};
use crate::store::StoreError;
use crate::store::account_names::rename_list;
use crate::store::revocations::revocation_list;

/// How long an end is remembered: longer than an access token and what is remembered of a personal token live.
const REMEMBERED: TimeDelta = TimeDelta::minutes(30);
/// How often it is asked what has ended.
const PERIOD: Duration = Duration::from_millis(500);
/// How far back is asked each time: a transaction may take its time between its clock and its end.
const LATELY: TimeDelta = TimeDelta::seconds(60);
/// Every so many times everything is asked for: a commit that waits for a standby may take longer still.
const ALL_EVERY: u32 = 60;
/// So long nothing has to be heard before no token is trusted any more: the database is not there, mostly.
const DEAF: Duration = Duration::from_secs(5);
/// Longest wait for an answer.
const SILENCE: Duration = Duration::from_secs(5);

/// What has ended. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct Ended(Arc<List>);

struct List {
    /// Whether there is anything: most of the time nobody has logged out lately, and nothing is locked.
    any: AtomicBool,
    /// Each with when it was heard of.
    ids: RwLock<HashMap<Uuid, Instant>>,
    /// When this instance began, and how many milliseconds later it last heard what had ended.
    begun: Instant,
    heard: AtomicU64,
    /// Goes up whenever something has ended.
    news: watch::Sender<u64>,
}

impl Default for List {
    fn default() -> Self {
        let (any, ids) = (AtomicBool::default(), RwLock::default());
        let (heard, news) = (AtomicU64::default(), watch::Sender::default());
        Self { any, ids, begun: Instant::now(), heard, news }
    }
}

impl Ended {
    /// Whether this session or token is good still.
    ///
    /// # Errors
    /// `InvalidToken` if it has ended lately; `Unavailable` if that is not known.
    pub(super) fn check(&self, id: Uuid) -> Result<(), ServiceError> {
        let heard = Duration::from_millis(self.0.heard.load(Ordering::Acquire));
        if self.0.begun.elapsed().saturating_sub(heard) > DEAF {
            return Err(StoreError::Silent.into());
        }
        let ended = self.0.any.load(Ordering::Acquire)
            && self.0.ids.read().unwrap_or_else(PoisonError::into_inner).contains_key(&id);
        if ended { Err(ServiceError::InvalidToken) } else { Ok(()) }
    }

    /// Notes that everything was heard that had ended by then.
    fn heard(&self, then: Instant) {
        let since = then.saturating_duration_since(self.0.begun).as_millis();
        self.0.heard.store(u64::try_from(since).unwrap_or(u64::MAX), Ordering::Release);
    }

    /// Remembers that these have ended.
    pub(super) fn add(&self, ids: impl IntoIterator<Item = Uuid>) {
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

    /// Changes whenever something has ended, from now on.
    pub(super) fn news(&self) -> watch::Receiver<u64> {
        self.0.news.subscribe()
    }

    fn forget(&self) {
        let mut known = self.0.ids.write().unwrap_or_else(PoisonError::into_inner);
        // What is asked for again counts from then: nothing is forgotten before its time.
        known.retain(|_, heard| heard.elapsed() < REMEMBERED.to_std().unwrap_or_default());
        self.0.any.store(!known.is_empty(), Ordering::Release);
    }
}

impl Services {
    /// Learns what has ended, and goes on learning as long as there is somebody to ask this service.
    ///
    /// # Errors
    /// If the database does not tell: without knowing, no token could be trusted.
    pub async fn watch_ended(&self) -> Result<(), ServiceError> {
        let (store, ended) = (Lane::new(self.store.clone()), Arc::downgrade(&self.ended.0));
        let mut watch = Watch { store, ended, tables: self.tables.clone(), heard: Instant::now(), round: 0 };
        watch.learn(REMEMBERED).await?;
        self.runtime.spawn(async move { watch.go_on().await });
        Ok(())
    }
}

struct Watch {
    store: Lane,
    ended: Weak<List>,
    tables: Tables,
    /// When it was last known what had ended.
    heard: Instant,
    round: u32,
}

impl Watch {
    async fn go_on(&mut self) {
        let mut failing = false;
        loop {
            tokio::time::sleep(PERIOD).await;
            let Some(list) = self.ended.upgrade() else { return };
            self.round = self.round.wrapping_add(1);
            // After a pause, too: the machine may have slept.
            let late = self.heard.elapsed() > LATELY.to_std().unwrap_or_default() / 2;
            let all = failing || late || self.round.is_multiple_of(ALL_EVERY);
            let learning = AssertUnwindSafe(self.learn(if all { REMEMBERED } else { LATELY }));
            let learned = learning.catch_unwind().await.unwrap_or(Err(StoreError::Silent));
            if let Err(error) = &learned
                && !failing
            {
                tracing::warn!(%error, "what was revoked elsewhere cannot be heard of");
            }
            failing = learned.is_err();
            if all {
                Ended(list).forget();
                self.tables.forget_names();
            }
        }
    }

    async fn learn(&mut self, back: TimeDelta) -> Result<(), StoreError> {
        let begun = Instant::now();
        let held = self.store.take().await?;
        let found = within(SILENCE, async {
            Ok((revocation_list(&held.0, back).await?, rename_list(&held.0, back).await?))
        })
        .await;
        self.store.give_back(held, &found);
        let (ended, renamed) = found?;
        if let Some(list) = self.ended.upgrade() {
            let list = Ended(list);
            list.add(ended);
            list.heard(begun);
        }
        // After a silence that was longer than what is asked back for, nobody knows which names have changed.
        if self.heard.elapsed() > REMEMBERED.to_std().unwrap_or_default() {
            self.tables.clear();
        }
        self.tables.hear(renamed);
        self.heard = begun;
        Ok(())
    }
}
