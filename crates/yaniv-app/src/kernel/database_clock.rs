//! Estimate of the database's clock, without a query.
//! It chooses the code path of an action and schedules the next check of a match. Lateness of a player is
//! never decided by it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};

use crate::Services;

/// Age after which the last reading of the database's clock is no longer used.
const HEARD_WITHIN: Duration = Duration::from_secs(10);

/// The database's clock, from its last reading. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct DatabaseTime(Arc<Mutex<Option<Heard>>>);

/// When the clock was read on this machine, and its value.
type Heard = (Instant, DateTime<Utc>);

impl DatabaseTime {
    /// Stores a reading of the database's clock.
    pub(crate) fn learn(&self, at: DateTime<Utc>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), at));
    }

    /// The current time, slightly late at most; `None` without a recent reading.
    pub(crate) fn now(&self) -> Option<DateTime<Utc>> {
        let (heard, at) = (*self.0.lock().unwrap_or_else(PoisonError::into_inner))?;
        let since = heard.elapsed();
        if since > HEARD_WITHIN {
            return None;
        }
        at.checked_add_signed(TimeDelta::from_std(since).ok()?)
    }
}

impl Services {
    /// The current time for responses: the database's clock, by which deadlines are stated.
    ///
    /// Without a recent reading of it, the machine's clock.
    #[must_use]
    pub fn now(&self) -> DateTime<Utc> {
        self.database_time.now().unwrap_or_else(Utc::now)
    }
}
