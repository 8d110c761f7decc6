//! Reminders of near deadlines: two per deadline, each sent once.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::calendar::{Calendar, Stops};
use crate::clock::PlayerClock;
use crate::settings::ClockSettings;
use crate::span::{Span, micros, time};

/// Which of the two reminders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReminderKind {
    /// Some time is left.
    First,
    /// Little time is left.
    Second,
}

/// Time left on the clock at which reminders are due. The first is due with at most half of the wait's time left, the
/// second with at most an eighth; neither with less than five minutes left.
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

/// The last reminder sent, and its deadline. Stored with the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reminder {
    /// The deadline.
    pub deadline: DateTime<Utc>,
    /// Which reminder.
    pub notice: ReminderKind,
}

impl Thresholds {
    /// When each reminder is due, by the time left on the clock: never in quiet hours or vacation that stop it.
    #[must_use]
    pub fn times(
        &self,
        settings: &ClockSettings,
        clock: &PlayerClock,
        calendar: &Calendar,
    ) -> [Option<(ReminderKind, DateTime<Utc>)>; 2] {
        let (Some(wait), Some(deadline)) = (clock.wait, clock.deadline()) else { return [None, None] };
        let stops = Stops::new(settings, calendar, wait.quiet_hours);
        let all = clock.bank.plus(wait.extension);
        let due = |notice, left: Span| {
            let soon = left < Span::from_seconds(300);
            let due = stops.reached(micros(wait.began_at), all.minus(left)).map(time)?;
            (!soon && due < deadline).then_some((notice, due))
        };
        [
            due(ReminderKind::First, self.first.min(all.part(2))),
            due(ReminderKind::Second, self.second.min(all.part(8))),
        ]
    }

    /// The reminder to send now, if any: the last one due and not sent for this deadline. `None` after the deadline.
    #[must_use]
    pub fn due(
        &self,
        settings: &ClockSettings,
        clock: &PlayerClock,
        calendar: &Calendar,
        sent: Option<&Reminder>,
        at: DateTime<Utc>,
    ) -> Option<Reminder> {
        let deadline = clock.deadline().filter(|deadline| at < *deadline)?;
        let last = sent.filter(|sent| sent.deadline == deadline).map(|sent| sent.notice);
        let times = self.times(settings, clock, calendar);
        let due =
            times.into_iter().flatten().filter(|(_, due)| *due <= at).map(|(notice, _)| notice).max()?;
        (Some(due) > last).then_some(Reminder { deadline, notice: due })
    }
}
