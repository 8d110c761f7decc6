//! Quiet hours: a daily span of local time in which the player's clock is stopped.

use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

use crate::zone::{self, DAY, MINUTE};

/// Maximum length of quiet hours: ten hours a day, so that more than half of every day counts.
pub const MOST_QUIET_MINUTES: u16 = 600;

const DAY_MINUTES: u16 = 1440;

/// A daily span of quiet hours. It holds while local time is in it: an hour that does not exist is not quiet, one that
/// exists twice is quiet twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "QuietForm")]
pub struct QuietHours {
    #[serde(with = "zone::name")]
    time_zone: Tz,
    from_minute: u16,
    to_minute: u16,
}

/// Why quiet hours are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum QuietHoursError {
    /// Not a minute of a day.
    #[error("a minute of the day is from 0 to 1439")]
    Minute,
    /// Empty, or longer than allowed.
    #[error("quiet hours must be from 1 to 600 minutes long")]
    Length,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct QuietForm {
    #[serde(with = "zone::name")]
    time_zone: Tz,
    from_minute: u16,
    to_minute: u16,
}

impl TryFrom<QuietForm> for QuietHours {
    type Error = QuietHoursError;

    fn try_from(form: QuietForm) -> Result<Self, QuietHoursError> {
        Self::new(form.time_zone, form.from_minute, form.to_minute)
    }
}

impl QuietHours {
    /// A span from one minute of the day to before another, which may be on the next day.
    ///
    /// # Errors
    /// Invalid minutes, or too long.
    pub fn new(time_zone: Tz, from_minute: u16, to_minute: u16) -> Result<Self, QuietHoursError> {
        if from_minute >= DAY_MINUTES || to_minute >= DAY_MINUTES {
            return Err(QuietHoursError::Minute);
        }
        let hours = Self { time_zone, from_minute, to_minute };
        if (1..=MOST_QUIET_MINUTES).contains(&hours.minutes()) {
            Ok(hours)
        } else {
            Err(QuietHoursError::Length)
        }
    }

    /// The time zone.
    #[must_use]
    pub const fn time_zone(&self) -> Tz {
        self.time_zone
    }

    /// The minute of the day at which they begin.
    #[must_use]
    pub const fn from_minute(&self) -> u16 {
        self.from_minute
    }

    /// The minute of the day at which they end.
    #[must_use]
    pub const fn to_minute(&self) -> u16 {
        self.to_minute
    }

    /// The length on a day of 24 hours.
    #[must_use]
    pub const fn minutes(&self) -> u16 {
        (self.to_minute + DAY_MINUTES).saturating_sub(self.from_minute) % DAY_MINUTES
    }

    /// Whether a time is quiet, and until when that holds.
    pub(crate) fn state(&self, at: i64) -> (bool, i64) {
        let wall = at.saturating_add(zone::offset(self.time_zone, at)).rem_euclid(DAY);
        let from = i64::from(self.from_minute).saturating_mul(MINUTE);
        let to = i64::from(self.to_minute).saturating_mul(MINUTE);
        let quiet = wall.saturating_sub(from).rem_euclid(DAY) < to.saturating_sub(from).rem_euclid(DAY);
        let bound = if quiet { to } else { from };
        // The rest of the span at a constant offset; never empty, as the bound itself is on the other side.
        let until = at.saturating_add(bound.saturating_sub(wall).rem_euclid(DAY));
        (quiet, zone::offset_change(self.time_zone, at, until).unwrap_or(until))
    }
}
