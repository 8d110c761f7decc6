//! When a player is told that a deadline is near: twice, and once for each deadline.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::calendar::{Calendar, Stops};
use crate::clock::PlayerClock;
use crate::settings::ClockSettings;
use crate::span::{Span, micros, time};

/// Which of the two notices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReminderKind {
    /// Some time is left.
    First,
    /// Little time is left.
    Second,
}

/// With how much left on the clock the notices come. Neither comes before half, and an eighth, of the time of the wait is left, nor
/// with less than five minutes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thresholds {
    /// For the first.
    pub first: Span,
    /// For the second.
    pub second: Span,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self { first: Span::from_hours(24), second: Span::from_hours(3) }
    }
}

/// What has been told, for which deadline. Stored with the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reminder {
    /// The deadline that it was told of.
    pub deadline: DateTime<Utc>,
    /// The last notice.
    pub notice: ReminderKind,
}

impl Thresholds {
    /// When the notices are due, by the time that is left on the clock: so never in quiet hours or vacation that stop it.
    #[must_use]
    pub fn times(
        &self,
        settings: &ClockSettings,
        clock: &PlayerClock,
        calendar: &Calendar,
    ) -> Vec<(ReminderKind, DateTime<Utc>)> {
        let (Some(wait), Some(deadline)) = (clock.wait, clock.deadline()) else { return Vec::new() };
        let stops = Stops::new(settings, calendar, wait.quiet_hours);
        let all = clock.bank.plus(wait.extension);
        let left = [
            (ReminderKind::First, self.first.min(all.part(2))),
            (ReminderKind::Second, self.second.min(all.part(8))),
        ];
        let worth = left.into_iter().filter(|(_, left)| *left >= Span::from_seconds(300));
        let at = |left| stops.reached(micros(wait.began_at), all.minus(left)).map(time);
        worth
            .filter_map(|(notice, left)| Some((notice, at(left)?)))
            .filter(|(_, due)| *due < deadline)
            .collect()
    }

    /// The notice to send now, if one is: the last that is due and has not been sent for this deadline. None once the
    /// deadline has passed.
    #[must_use]
    pub fn due(
        &self,
        settings: &ClockSettings,
        clock: &PlayerClock,
        calendar: &Calendar,
        notified: Option<&Reminder>,
        at: DateTime<Utc>,
    ) -> Option<Reminder> {
        let deadline = clock.deadline().filter(|deadline| at < *deadline)?;
        let told = notified.filter(|told| told.deadline == deadline).map(|told| told.notice);
        let times = self.times(settings, clock, calendar);
        let due = times.into_iter().filter(|(_, due)| *due <= at).map(|(notice, _)| notice).max()?;
        (Some(due) > told).then_some(Reminder { deadline, notice: due })
    }
}
