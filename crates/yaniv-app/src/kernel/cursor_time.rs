//! Timestamps in cursors, which are untrusted input.

use chrono::{DateTime, Datelike, Utc};

/// Converts microseconds since 1970; `None` outside the years 1970 to 2200.
pub(crate) fn cursor_time(micros: i64) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp_micros(micros).filter(|at| (1970..=2200).contains(&at.year()))
}
