//! How many streams are open at this instance, and that it stops.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use super::ServiceError;
use crate::ids::AccountId;

/// Streams of one account at a time.
pub const MOST_OF_ACCOUNT: usize = 20;

/// Streams that are open at this instance. Cheap to clone.
#[derive(Clone)]
pub(super) struct Streams(Arc<Inner>);

struct Inner {
    most: usize,
    heartbeat: Duration,
    open: Mutex<Open>,
    stopping: watch::Sender<bool>,
}

#[derive(Default)]
struct Open {
    all: usize,
    by_account: HashMap<AccountId, usize>,
}

impl Streams {
    /// At most so many at a time, each with a sign of life after so long a silence.
    pub(super) fn new(most: usize, heartbeat: Duration) -> Self {
        let (open, stopping) = (Mutex::default(), watch::Sender::new(false));
        Self(Arc::new(Inner { most, heartbeat, open, stopping }))
    }

    /// After how long a silence a stream is sent a sign of life.
    pub(super) fn heartbeat(&self) -> Duration {
        self.0.heartbeat
    }

    /// Turns true when the service stops.
    pub(super) fn stopping(&self) -> watch::Receiver<bool> {
        self.0.stopping.subscribe()
    }

    /// Tells all streams that the service stops.
    pub(super) fn stop(&self) {
        self.0.stopping.send_replace(true);
    }

    /// Takes a place for a stream.
    ///
    /// # Errors
    /// `StreamsFull`, `TooManyStreams`.
    pub(super) fn enter(&self, account: AccountId) -> Result<Place, ServiceError> {
        let mut open = self.0.open.lock().unwrap_or_else(PoisonError::into_inner);
        let own = open.by_account.get(&account).copied().unwrap_or_default();
        if own >= MOST_OF_ACCOUNT {
            return Err(ServiceError::TooManyStreams);
        }
        if open.all >= self.0.most {
            return Err(ServiceError::StreamsFull);
        }
        open.all += 1;
        open.by_account.insert(account, own + 1);
        Ok(Place { streams: self.clone(), account })
    }
}

/// The place of an open stream, which it gives back.
pub(super) struct Place {
    streams: Streams,
    account: AccountId,
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut open = self.streams.0.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.all = open.all.saturating_sub(1);
        if let Some(own) = open.by_account.get_mut(&self.account) {
            *own = own.saturating_sub(1);
            if *own == 0 {
                open.by_account.remove(&self.account);
            }
        }
    }
}
