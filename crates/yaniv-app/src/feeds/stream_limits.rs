//! Limits on the open streams of this instance, and their shutdown signal.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use yaniv_model::ids::AccountId;

use crate::ServiceError;
use crate::kernel::bounds;

/// Maximum number of open streams of one account.
pub const MOST_OF_ACCOUNT: usize = bounds::STREAMS.at_once;

/// Registry of the open streams of this instance. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Streams(Arc<Inner>);

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
    /// Sets the maximum number of streams and their heartbeat interval.
    pub(crate) fn new(most: usize, heartbeat: Duration) -> Self {
        let (open, stopping) = (Mutex::default(), watch::Sender::new(false));
        Self(Arc::new(Inner { most, heartbeat, open, stopping }))
    }

    /// Interval after which an idle stream gets a heartbeat.
    pub(crate) fn heartbeat(&self) -> Duration {
        self.0.heartbeat
    }

    /// Turns true when the service stops.
    pub(crate) fn stopping(&self) -> watch::Receiver<bool> {
        self.0.stopping.subscribe()
    }

    /// Signals shutdown to all streams.
    pub(crate) fn stop(&self) {
        self.0.stopping.send_replace(true);
    }

    /// The number of open streams.
    pub(crate) fn open(&self) -> usize {
        self.0.open.lock().unwrap_or_else(PoisonError::into_inner).all
    }

    /// Reserves a place for a stream.
    ///
    /// # Errors
    /// `StreamsFull`, `TooManyStreams`.
    pub(crate) fn enter(&self, account: AccountId) -> Result<Place, ServiceError> {
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

/// The place of an open stream, released on drop.
pub(crate) struct Place {
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
