//! What time it is by the database's clock, roughly, without asking it: for deciding which way an action goes and when to
//! look at a match again. Whether somebody is late is never decided by it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};

use super::Services;

/// After so long without hearing from the database, nothing is known of its clock.
const HEARD_WITHIN: Duration = Duration::from_secs(10);

/// The database's clock, as it was last heard. Cheap to clone.
#[derive(Clone, Default)]
pub(super) struct DatabaseTime(Arc<Mutex<Option<Heard>>>);

/// When it was heard, and what time it was then.
type Heard = (Instant, DateTime<Utc>);

impl DatabaseTime {
    /// The database has just said what time it is.
    pub(super) fn learn(&self, at: DateTime<Utc>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), at));
    }

    /// What time it is, a little late at most; none if nothing has been heard of late.
    pub(super) fn now(&self) -> Option<DateTime<Utc>> {
        let (heard, at) = (*self.0.lock().unwrap_or_else(PoisonError::into_inner))?;
        let since = heard.elapsed();
        if since > HEARD_WITHIN {
            return None;
        }
        at.checked_add_signed(TimeDelta::from_std(since).ok()?)
    }
}

impl Services {
    /// What time it is, for answers: by the database's clock, which deadlines are told by; by the machine's where nothing has been
    /// heard from the database of late.
    #[must_use]
    pub fn now(&self) -> DateTime<Utc> {
        self.database_time.now().unwrap_or_else(Utc::now)
    }
}
