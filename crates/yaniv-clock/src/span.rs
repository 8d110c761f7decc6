//! A length of time in whole microseconds, as PostgreSQL keeps times; and times as numbers of them.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

const SECOND: i64 = 1_000_000;

/// A length of time in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Span(i64);

impl Span {
    /// Zero.
    pub const ZERO: Self = Self(0);

    /// From microseconds.
    #[must_use]
    pub const fn from_microseconds(microseconds: i64) -> Self {
        Self(microseconds)
    }

    /// From seconds.
    #[must_use]
    pub const fn from_seconds(seconds: u32) -> Self {
        // `From` is not const; no u32 of seconds is too long.
        #[expect(clippy::as_conversions, reason = "From is not const, and every u32 fits")]
        Self(seconds as i64 * SECOND)
    }

    /// From hours.
    #[must_use]
    pub const fn from_hours(hours: u16) -> Self {
        #[expect(clippy::as_conversions, reason = "From is not const, and every u16 fits")]
        Self(hours as i64 * 3600 * SECOND)
    }

    /// In microseconds.
    #[must_use]
    pub const fn microseconds(self) -> i64 {
        self.0
    }

    /// In whole seconds, rounded down.
    #[must_use]
    pub const fn seconds(self) -> i64 {
        self.0.div_euclid(SECOND)
    }

    pub(crate) const fn plus(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }

    pub(crate) const fn minus(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    pub(crate) const fn part(self, divisor: i64) -> Self {
        Self(self.0.div_euclid(divisor))
    }
}

/// A time as microseconds of the epoch.
pub(crate) const fn micros(at: DateTime<Utc>) -> i64 {
    at.timestamp_micros()
}

/// The time of a number of microseconds since the epoch; the end of time if chrono cannot represent it.
pub(crate) fn time(micros: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_micros(micros).unwrap_or(DateTime::<Utc>::MAX_UTC)
}

/// A time that is later by a span.
pub(crate) fn later(at: DateTime<Utc>, by: Span) -> DateTime<Utc> {
    time(micros(at).saturating_add(by.0))
}
