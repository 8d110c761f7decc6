//! Times in cursors, which anybody may have written.

use chrono::{DateTime, Datelike, Utc};

/// The time that many microseconds after 1970, if it is one at which something may have happened.
pub(super) fn cursor_time(micros: i64) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp_micros(micros).filter(|at| (1970..=2200).contains(&at.year()))
}
