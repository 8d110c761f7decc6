//! Sessions and personal tokens that have ended lately, in memory: access tokens outlive their session by up to fifteen
//! minutes, and are refused by this list. It is refreshed twice a second; what this instance ends is in it at once.
//!
//! With it comes which accounts were renamed, whose matches in memory are forgotten (`tables`).

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock, Weak};
use std::time::{Duration, Instant};

use chrono::TimeDelta;
use uuid::Uuid;

use super::gather::{Lane, within};
use super::password_checks::TRIES_WITHIN;
use super::tables::Tables;
use super::{ServiceError, Services};
use crate::store::StoreError;
use crate::store::account_names::rename_list;
use crate::store::password_tries::password_try_forget_old;
use crate::store::revocations::{revocation_forget, revocation_list};

/// How long an end is remembered: longer than an access token and what is remembered of a personal token live.
const REMEMBERED: TimeDelta = TimeDelta::minutes(30);
/// How often it is asked what has ended.
const PERIOD: Duration = Duration::from_millis(500);
/// How far back is asked each time: a transaction may take its time between its clock and its end.
const LATELY: TimeDelta = TimeDelta::seconds(60);
/// Every so many times everything is asked for: a commit that waits for a standby may take longer still.
const ALL_EVERY: u32 = 60;
/// Every so many times, an hour, what is long over is deleted.
const FORGET_EVERY: u32 = 7200;
/// Every so many times, ten minutes, passwords that were tried too long ago to count are forgotten.
const FORGET_TRIES_EVERY: u32 = 1200;
/// Of what is over.
const KEPT: TimeDelta = TimeDelta::days(1);
/// Longest wait for an answer.
const SILENCE: Duration = Duration::from_secs(5);

/// What has ended. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct Ended(Arc<List>);

#[derive(Default)]
struct List {
    /// Whether there is anything: most of the time nobody has logged out lately, and nothing is locked.
    any: AtomicBool,
    /// Each with when it was heard of.
    ids: RwLock<HashMap<Uuid, Instant>>,
}

impl Ended {
    /// Whether this session or token has ended lately.
    pub(super) fn has(&self, id: Uuid) -> bool {
        self.0.any.load(Ordering::Acquire)
            && self.0.ids.read().unwrap_or_else(PoisonError::into_inner).contains_key(&id)
    }

    /// Remembers that these have ended.
    pub(super) fn add(&self, ids: impl IntoIterator<Item = Uuid>) {
        let mut ids = ids.into_iter().peekable();
        if ids.peek().is_none() {
            return;
        }
        let now = Instant::now();
        let mut known = self.0.ids.write().unwrap_or_else(PoisonError::into_inner);
        known.extend(ids.map(|id| (id, now)));
        self.0.any.store(true, Ordering::Release);
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
            let all = failing || self.round.is_multiple_of(ALL_EVERY);
            let learned = self.learn(if all { REMEMBERED } else { LATELY }).await;
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
            if self.round % FORGET_EVERY == FORGET_EVERY / 2 {
                self.tidy().await;
            }
            if self.round % FORGET_TRIES_EVERY == FORGET_TRIES_EVERY / 4 {
                self.forget_tries().await;
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
            Ended(list).add(ended);
        }
        // After a silence that was longer than what is asked back for, nobody knows which names have changed.
        if self.heard.elapsed() > REMEMBERED.to_std().unwrap_or_default() {
            self.tables.clear();
        }
        self.tables.hear(renamed);
        self.heard = begun;
        Ok(())
    }

    async fn forget_tries(&mut self) {
        let Ok(held) = self.store.take().await else { return };
        let done = within(SILENCE, password_try_forget_old(&held.0, TRIES_WITHIN)).await;
        self.store.give_back(held, &done);
        if let Err(error) = done {
            tracing::warn!(%error, "passwords that were tried long ago were not forgotten");
        }
    }

    async fn tidy(&mut self) {
        let Ok(held) = self.store.take().await else { return };
        let done = within(SILENCE, revocation_forget(&held.0, KEPT)).await;
        self.store.give_back(held, &done);
        if let Err(error) = done {
            tracing::warn!(%error, "sessions that are long over were not deleted");
        }
    }
}
