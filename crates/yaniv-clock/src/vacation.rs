//! Vacation: whole days of a player, announced before they begin, of which there are only so many a year.

use chrono::{DateTime, Datelike, NaiveDate, TimeDelta, Utc};
use chrono_tz::Tz;
use serde::{Deserialize, Serialize};

use crate::span::{Span, later};
use crate::zone;

/// So many days of vacation a player has in each calendar year.
pub const DAYS_PER_YEAR: u16 = 28;

/// In any so many days in a row at most `DAYS_PER_YEAR` are vacation, so that one wait does not get those of two years. A wait has 30
/// days at most, which are 52 with quiet hours, and 80 with vacation.
pub const WINDOW_DAYS: u16 = 90;

/// Vacation begins and ends an hour at least after it is said: time to move all deadlines, and none that has passed comes back.
pub const NOTICE: Span = Span::from_hours(1);

/// The last day of a vacation lies in the next so many days.
pub const DAYS_AHEAD_MOST: u16 = 366;

/// Days on which a player's clock stands. The times are worked out when it is announced and stay, wherever the player
/// moves and whatever becomes of the zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Vacation {
    /// Whose days they are.
    #[serde(with = "zone::name")]
    pub time_zone: Tz,
    /// The first day.
    pub first_day: NaiveDate,
    /// The last day.
    pub last_day: NaiveDate,
    /// When the first day begins.
    pub begins_at: DateTime<Utc>,
    /// When the last day is over.
    pub ends_at: DateTime<Utc>,
}

/// Why a vacation is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VacationError {
    /// It ends before it begins, or has no length.
    #[error("the last day has to be the first day or later")]
    Order,
    /// It would begin in less than an hour.
    #[error("vacation begins on a day that begins in an hour or later")]
    TooSoon,
    /// It ends more than a year from now.
    #[error("vacation ends within the next 366 days")]
    TooFar,
    /// There is vacation on one of these days.
    #[error("there is vacation on one of these days already")]
    Overlap,
    /// Not so many days are left.
    #[error("only {left} days of vacation are left in {year}")]
    Allowance {
        /// In this year.
        year: i32,
        /// So many.
        left: u16,
    },
    /// Too many days close together.
    #[error("of any 90 days in a row at most 28 are vacation")]
    Crowded,
    /// It is over, or ends with this day anyway.
    #[error("this vacation ends with today already")]
    Over,
}

/// How many days a player may still take in a year.
#[must_use]
pub fn vacation_days_left(taken: &[Vacation], year: i32) -> u16 {
    let used = taken.iter().flat_map(Vacation::days).filter(|day| day.year() == year).count();
    DAYS_PER_YEAR.saturating_sub(u16::try_from(used).unwrap_or(u16::MAX))
}

/// A vacation that a player announces at a time. `taken` are all of theirs in the years that it touches and in
/// the window before it, also those that are over.
///
/// # Errors
/// Why it is refused.
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
    if ahead > TimeDelta::days(i64::from(DAYS_AHEAD_MOST)) {
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

/// Whether a new vacation makes too many days in some window.
fn is_crowded(taken: &[Vacation], new: &Vacation) -> bool {
    let mut days: Vec<NaiveDate> = taken.iter().flat_map(Vacation::days).chain(new.days()).collect();
    days.sort_unstable();
    let window = TimeDelta::days(i64::from(WINDOW_DAYS));
    // From each day to the one that would be too many. What was announced before, under another rule, stays.
    days.windows(usize::from(DAYS_PER_YEAR) + 1).any(|some| match (some.first(), some.last()) {
        (Some(first), Some(last)) => {
            let touched = new.first_day <= *last && new.last_day >= *first;
            touched && last.signed_duration_since(*first) < window
        }
        _ => false,
    })
}

/// What is left of a vacation that is cancelled at a time.
///
/// One that begins in less than an hour, or has begun, ends with the
/// first day that ends in an hour or later, and the days up to it are used; otherwise nothing is left of it.
///
/// # Errors
/// It is over by then anyway.
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
        // The same days of other zones are other times.
        days || (self.begins_at < other.ends_at && other.begins_at < self.ends_at)
    }
}
