//! When a player's clocks stand, as their owner sees it.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;
use yaniv_app::calendar::queries::{OwnCalendar, OwnVacation};
use yaniv_clock::{DAYS_PER_YEAR, QuietHours};

/// When your clocks stand. Nobody else sees it, but for `on_vacation_until` in your profile.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AccountCalendar)]
pub struct CalendarBody {
    /// The server's time when it answered. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// Hours of each day in which your clocks stand, in turns that begin from now on. Left out if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub quiet_hours: Option<QuietHoursBody>,
    /// Your vacations of this year and later, in the order in which they begin.
    #[schema(max_items = 100)]
    pub vacations: Vec<VacationBody>,
    /// Days that you may still take, in this year and in the next.
    #[schema(max_items = 2)]
    pub allowances: Vec<VacationAllowanceBody>,
}

/// Hours of each day in which your clocks stand.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = QuietHours)]
pub struct QuietHoursBody {
    /// When they begin, by the clock on your wall.
    #[schema(max_length = 5, pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$", examples("22:30"))]
    pub from_time: String,
    /// When they are over, on the next day if that is before they begin.
    #[schema(max_length = 5, pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$", examples("07:30"))]
    pub to_time: String,
    /// Where the wall is: a name of the IANA time zone database.
    #[schema(max_length = 64, examples("Europe/London"))]
    pub time_zone: String,
}

/// Whole days in which your clocks stand.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Vacation)]
pub struct VacationBody {
    /// Identifier of the vacation.
    pub id: Uuid,
    /// The first day.
    #[schema(examples("2026-12-24"))]
    pub first_day: NaiveDate,
    /// The last day.
    #[schema(examples("2027-01-02"))]
    pub last_day: NaiveDate,
    /// Where these days are: a name of the IANA time zone database.
    #[schema(max_length = 64, examples("Europe/London"))]
    pub time_zone: String,
    /// When the first day begins.
    #[serde(serialize_with = "crate::values::time::print")]
    pub begins_at: DateTime<Utc>,
    /// When the last day is over.
    #[serde(serialize_with = "crate::values::time::print")]
    pub ends_at: DateTime<Utc>,
    /// When you announced it.
    #[serde(serialize_with = "crate::values::time::print")]
    pub announced_at: DateTime<Utc>,
    /// When you cancelled what came after the last day. Left out if you have not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub cancelled_at: Option<DateTime<Utc>>,
}

/// Days of vacation that you may take in a calendar year.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = VacationAllowance)]
pub struct VacationAllowanceBody {
    /// The year.
    #[schema(minimum = 2026, maximum = 9999, examples(2026))]
    pub year: i32,
    /// All of them.
    #[schema(minimum = 0, maximum = 366, examples(28))]
    pub days: i32,
    /// Those that you have not taken yet.
    #[schema(minimum = 0, maximum = 366, examples(20))]
    pub days_left: i32,
}

impl CalendarBody {
    /// As the answer of a write, which carries the time of the write.
    pub fn at_its_time(calendar: OwnCalendar) -> Self {
        let at = calendar.at;
        Self { server_time: Some(at), ..calendar.into() }
    }
}

impl From<OwnCalendar> for CalendarBody {
    fn from(calendar: OwnCalendar) -> Self {
        let OwnCalendar { quiet_hours, vacations, days_left, .. } = calendar;
        let days = i32::from(DAYS_PER_YEAR);
        let allowance =
            |(year, left): (i32, u16)| VacationAllowanceBody { year, days, days_left: left.into() };
        Self {
            server_time: None,
            quiet_hours: quiet_hours.map(Into::into),
            vacations: vacations.into_iter().map(Into::into).collect(),
            allowances: days_left.into_iter().map(allowance).collect(),
        }
    }
}

impl From<QuietHours> for QuietHoursBody {
    fn from(hours: QuietHours) -> Self {
        Self {
            from_time: time(hours.from_minute()),
            to_time: time(hours.to_minute()),
            time_zone: hours.time_zone().name().to_owned(),
        }
    }
}

impl From<OwnVacation> for VacationBody {
    fn from(own: OwnVacation) -> Self {
        let OwnVacation { id, vacation, announced_at, cancelled_at } = own;
        Self {
            id,
            first_day: vacation.first_day,
            last_day: vacation.last_day,
            time_zone: vacation.time_zone.name().to_owned(),
            begins_at: vacation.begins_at,
            ends_at: vacation.ends_at,
            announced_at,
            cancelled_at,
        }
    }
}

/// A minute of the day, as clocks show it.
fn time(minute: u16) -> String {
    format!("{:02}:{:02}", minute / 60, minute % 60)
}
