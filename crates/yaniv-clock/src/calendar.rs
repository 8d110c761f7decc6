//! When a player's clock is stopped: vacation, quiet hours, pauses of the service.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::quiet::QuietHours;
use crate::settings::ClockSettings;
use crate::span::{Span, micros};
use crate::vacation::Vacation;

/// Known reasons that stop a player's clock. Vacations that ended before the wait began may be omitted; later ones must
/// be present.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calendar {
    /// The player's vacations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub vacations: Vec<Vacation>,
    /// The player's quiet hours, for waits that begin now. A running wait keeps the ones with which it began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet_hours: Option<QuietHours>,
    /// Pauses of the service.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pauses: Vec<Pause>,
}

/// A pause of the service; all clocks are stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pause {
    /// The beginning.
    pub begins_at: DateTime<Utc>,
    /// The end, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ends_at: Option<DateTime<Utc>>,
}

/// The stops of a clock, as numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stops {
    blocks: Vec<(i64, i64)>,
    quiet: Option<QuietHours>,
}

impl Stops {
    /// All stops of a clock in a match with these settings.
    pub(crate) fn new(settings: &ClockSettings, calendar: &Calendar, quiet: Option<QuietHours>) -> Self {
        let mut stops = Self::default();
        stops.add_pauses(calendar);
        stops.add_vacations(settings, calendar);
        stops.add_quiet(settings, quiet);
        stops
    }

    pub(crate) fn add_pauses(&mut self, calendar: &Calendar) {
        let end = |pause: &Pause| pause.ends_at.map_or(i64::MAX, micros);
        self.blocks.extend(calendar.pauses.iter().map(|pause| (micros(pause.begins_at), end(pause))));
    }

    pub(crate) fn add_vacations(&mut self, settings: &ClockSettings, calendar: &Calendar) {
        if settings.vacation {
            let span = |vacation: &Vacation| (micros(vacation.begins_at), micros(vacation.ends_at));
            self.blocks.extend(calendar.vacations.iter().map(span));
        }
    }

    pub(crate) fn add_quiet(&mut self, settings: &ClockSettings, quiet: Option<QuietHours>) {
        self.quiet = quiet.filter(|_| settings.quiet_hours);
    }

    /// When a clock that runs from a time has run for a span; `None` if a stop has no end.
    pub(crate) fn reached(&self, from: i64, time: Span) -> Option<i64> {
        let mut left = time.microseconds();
        let mut at = from;
        loop {
            let (begin, end) = self.next_run(at)?;
            let length = end.saturating_sub(begin);
            if left <= length {
                return Some(begin.saturating_add(left));
            }
            left = left.saturating_sub(length);
            at = end;
        }
    }

    /// How long a clock has run between two times; zero if they are in the wrong order.
    pub(crate) fn running(&self, from: i64, to: i64) -> Span {
        let mut sum = Span::ZERO;
        let mut at = from;
        while at < to {
            let Some((begin, end)) = self.next_run(at).filter(|(begin, _)| *begin < to) else { break };
            sum = sum.plus(Span::from_microseconds(end.min(to).saturating_sub(begin)));
            at = end;
        }
        sum
    }

    /// The next interval in which the clock runs, from a time on; the interval right after it may run as well.
    fn next_run(&self, from: i64) -> Option<(i64, i64)> {
        let mut at = from;
        loop {
            let block =
                self.blocks.iter().filter(|(begin, end)| (*begin..*end).contains(&at)).map(|(_, end)| *end);
            if let Some(end) = block.max() {
                if end == i64::MAX {
                    return None;
                }
                at = end;
                continue;
            }
            let (quiet, until) = self.quiet.map_or((false, i64::MAX), |quiet| quiet.state(at));
            if quiet {
                at = until;
                continue;
            }
            let block =
                self.blocks.iter().filter(|(begin, end)| *begin > at && end > begin).map(|(begin, _)| *begin);
            return Some((at, until.min(block.min().unwrap_or(i64::MAX))));
        }
    }
}
