//! Vacation: whole days, announced in advance, with a limit per year.

use chrono::{DateTime, Datelike, NaiveDate, TimeDelta, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

use crate::span::{Span, later};
use crate::zone;

/// Vacation days of a player per calendar year.
pub const DAYS_PER_YEAR: u16 = 28;

/// In every window of this number of days, at most `DAYS_PER_YEAR` are vacation, so that one wait cannot use the days
/// of two years.
///
/// A wait has at most 30 days, which are 52 with quiet hours, and 80 with vacation.
pub const WINDOW_DAYS: u16 = 90;

/// Shortest notice before vacation begins or ends: time to move all deadlines, so that no deadline that has passed is
/// moved.
pub const NOTICE: Span = Span::from_hours(1);

/// How many days ahead the last day of a vacation may be.
pub const MOST_DAYS_AHEAD: u16 = 366;

/// Days on which a player's clock is stopped. The times are computed at the announcement and do not change when the
/// player's time zone, or the zone's data, change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vacation {
    /// The time zone of the days.
    #[serde(with = "zone::name")]
    pub time_zone: Tz,
    /// The first day.
    pub first_day: NaiveDate,
    /// The last day.
    pub last_day: NaiveDate,
    /// When the first day begins.
    pub begins_at: DateTime<Utc>,
    /// When the last day ends.
    pub ends_at: DateTime<Utc>,
}

/// Why a vacation is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VacationError {
    /// It ends before it begins, or has no length.
    #[error("must not be before the first day")]
    Order,
    /// It would begin in less than an hour.
    #[error("the first day must begin an hour from now or later")]
    TooSoon,
    /// It ends more than a year from now.
    #[error("must be within the next 366 days")]
    TooFar,
    /// One of these days is vacation already.
    #[error("one of these days is already vacation")]
    Overlap,
    /// Not enough days are left.
    #[error("only {left} days of vacation are left in {year}")]
    Allowance {
        /// The year.
        year: i32,
        /// Days left.
        left: u16,
    },
    /// Too many days within one window.
    #[error("at most 28 of any 90 consecutive days may be vacation")]
    Crowded,
    /// It has ended, or ends today in any case.
    #[error("this vacation already ends today")]
    Over,
}

/// Days that a player may still take in a year.
#[must_use]
pub fn vacation_days_left(taken: &[Vacation], year: i32) -> u16 {
    let used = taken.iter().flat_map(Vacation::days).filter(|day| day.year() == year).count();
    DAYS_PER_YEAR.saturating_sub(u16::try_from(used).unwrap_or(u16::MAX))
}

/// A vacation that a player announces at a time. `taken` contains all vacations of the player in the years concerned
/// and in the window before, including past ones.
///
/// # Errors
/// The reason for the refusal.
pub fn announce_vacation(
    taken: &[Vacation],
    time_zone: Tz,
    (first_day, last_day): (NaiveDate, NaiveDate),
    at: DateTime<Utc>,
) -> Result<Vacation, VacationError> {
    if first_day > last_day {
        return Err(VacationError::Order);
    }
    let ahead = last_day.signed_duration_since(zone::local_day(time_zone, at));
    if ahead > TimeDelta::days(i64::from(MOST_DAYS_AHEAD)) {
        return Err(VacationError::TooFar);
    }
    let begins_at = zone::day_begins(time_zone, first_day).ok_or(VacationError::Order)?;
    let ends_at = zone::day_ends(time_zone, last_day).ok_or(VacationError::Order)?;
    if begins_at < later(at, NOTICE) {
        return Err(VacationError::TooSoon);
    }
    if begins_at >= ends_at {
        return Err(VacationError::Order);
    }
    let vacation = Vacation { time_zone, first_day, last_day, begins_at, ends_at };
    if taken.iter().any(|other| other.meets(&vacation)) {
        return Err(VacationError::Overlap);
    }
    for year in [first_day.year(), last_day.year()] {
        let left = vacation_days_left(taken, year);
        let asked = vacation.days().filter(|day| day.year() == year).count();
        if asked > usize::from(left) {
            return Err(VacationError::Allowance { year, left });
        }
    }
    if is_crowded(taken, &vacation) {
        return Err(VacationError::Crowded);
    }
    Ok(vacation)
}

/// Whether a new vacation exceeds the limit of a window.
fn is_crowded(taken: &[Vacation], new: &Vacation) -> bool {
    let mut days: Vec<NaiveDate> = taken.iter().flat_map(Vacation::days).chain(new.days()).collect();
    days.sort_unstable();
    let window = TimeDelta::days(i64::from(WINDOW_DAYS));
    // Each window starts at a day of vacation. Vacations announced under an earlier rule stay valid.
    days.windows(usize::from(DAYS_PER_YEAR) + 1).any(|some| match (some.first(), some.last()) {
        (Some(first), Some(last)) => {
            let touched = new.first_day <= *last && new.last_day >= *first;
            touched && last.signed_duration_since(*first) < window
        }
        _ => false,
    })
}

/// The rest of a vacation that is cancelled at a time.
///
/// If it has begun or begins in less than an hour, it ends with the first day that ends at least an hour later, and the
/// days up to it are used; otherwise nothing is left.
///
/// # Errors
/// It ends by then in any case.
pub fn cancel_vacation(vacation: &Vacation, at: DateTime<Utc>) -> Result<Option<Vacation>, VacationError> {
    let free = zone::next_day(vacation.time_zone, later(at, NOTICE)).ok_or(VacationError::Over)?;
    if free > vacation.last_day {
        return Err(VacationError::Over);
    }
    if free <= vacation.first_day {
        return Ok(None);
    }
    let last_day = free.pred_opt().ok_or(VacationError::Over)?;
    let ends_at = zone::day_begins(vacation.time_zone, free).ok_or(VacationError::Over)?;
    Ok(Some(Vacation { last_day, ends_at, ..*vacation }))
}

impl Vacation {
    fn days(&self) -> impl Iterator<Item = NaiveDate> + use<> {
        let last = self.last_day;
        self.first_day.iter_days().take_while(move |day| *day <= last)
    }

    fn meets(&self, other: &Self) -> bool {
        let days = self.first_day <= other.last_day && other.first_day <= self.last_day;
        // The same days in another zone are different times.
        days || (self.begins_at < other.ends_at && other.begins_at < self.ends_at)
    }
}
