//! The reference implementation: decides for each minute whether the clock is stopped. Slow, and too simple to be
//! wrong. It knows zones only by the local time that chrono shows for each minute, and vacation only by its days.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use chrono::{DateTime, NaiveDate, Timelike, Utc};
use chrono_tz::Tz;
use yaniv_clock::{Calendar, ClockSettings, QuietHours, Span};

pub(crate) const MINUTE: i64 = 60_000_000;

/// Local time for each minute since the epoch that was requested, a day at a time.
type Wall = HashMap<i64, Rc<Vec<(u16, NaiveDate)>>>;

thread_local! {
    static WALLS: RefCell<HashMap<Tz, Wall>> = RefCell::new(HashMap::new());
}

fn wall(zone: Tz, minute: i64) -> (u16, NaiveDate) {
    WALLS.with_borrow_mut(|walls| {
        let day = minute.div_euclid(1440);
        let shown = walls.entry(zone).or_default().entry(day).or_insert_with(|| {
            let show = |minute: i64| {
                let local = DateTime::from_timestamp(minute * 60, 0).unwrap().with_timezone(&zone);
                (u16::try_from(local.hour() * 60 + local.minute()).unwrap(), local.date_naive())
            };
            Rc::new((day * 1440..(day + 1) * 1440).map(show).collect())
        });
        shown[usize::try_from(minute.rem_euclid(1440)).unwrap()]
    })
}

pub(crate) struct Reference<'a> {
    pub(crate) settings: &'a ClockSettings,
    pub(crate) calendar: &'a Calendar,
    pub(crate) quiet: Option<QuietHours>,
}

impl Reference<'_> {
    fn stands(&self, minute: i64) -> bool {
        let at = minute * MINUTE;
        let paused = self.calendar.pauses.iter().any(|pause| {
            pause.begins_at.timestamp_micros() <= at
                && pause.ends_at.is_none_or(|end| at < end.timestamp_micros())
        });
        let away = self.settings.vacation
            && self.calendar.vacations.iter().any(|vacation| {
                let (_, day) = wall(vacation.time_zone, minute);
                (vacation.first_day..=vacation.last_day).contains(&day)
            });
        let quiet = self.settings.quiet_hours
            && self.quiet.is_some_and(|quiet| {
                let (now, _) = wall(quiet.time_zone(), minute);
                if quiet.from_minute() < quiet.to_minute() {
                    (quiet.from_minute()..quiet.to_minute()).contains(&now)
                } else {
                    now >= quiet.from_minute() || now < quiet.to_minute()
                }
            });
        paused || away || quiet
    }

    /// When a clock has run for a span; `None` if that takes more than half a year.
    pub(crate) fn deadline(&self, from: DateTime<Utc>, time: Span) -> Option<DateTime<Utc>> {
        let (mut at, mut left) = (from.timestamp_micros(), time.microseconds());
        for _ in 0..180 * 1440 {
            let minute = at.div_euclid(MINUTE);
            let length = (minute + 1) * MINUTE - at;
            if !self.stands(minute) {
                if left <= length {
                    return DateTime::from_timestamp_micros(at + left);
                }
                left -= length;
            }
            at += length;
        }
        None
    }

    /// How long a clock runs from one time to another.
    pub(crate) fn running(&self, from: DateTime<Utc>, to: DateTime<Utc>) -> Span {
        let (mut at, end, mut sum) = (from.timestamp_micros(), to.timestamp_micros(), 0);
        while at < end {
            let minute = at.div_euclid(MINUTE);
            let next = ((minute + 1) * MINUTE).min(end);
            if !self.stands(minute) {
                sum += next - at;
            }
            at = next;
        }
        Span::from_microseconds(sum)
    }
}
