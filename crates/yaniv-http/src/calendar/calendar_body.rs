//! A player's quiet hours and vacations, as the player sees them.

use chrono::{DateTime, NaiveDate, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;
use yaniv_app::calendar::queries::{OwnCalendar, OwnVacation};
use yaniv_clock::{DAYS_PER_YEAR, QuietHours};

/// Your quiet hours and vacations, in which your clocks are paused. Others see only `on_vacation_until` in your
/// profile.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AccountCalendar)]
pub struct CalendarBody {
    /// The server's time when it answered. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// Your quiet hours, for turns that begin from now on. Left out if not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub quiet_hours: Option<QuietHoursBody>,
    /// Your vacations of this year and later, by first day.
    #[schema(max_items = 100)]
    pub vacations: Vec<VacationBody>,
    /// Vacation days of this year and the next.
    #[schema(max_items = 2)]
    pub allowances: Vec<VacationAllowanceBody>,
}

/// Hours of each day in which your clocks are paused.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = QuietHours)]
pub struct QuietHoursBody {
    /// When they begin, as local time `HH:MM`.
    #[schema(max_length = 5, pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$", examples("22:30"))]
    pub from_time: String,
    /// When they end, as local time `HH:MM`; on the next day if it is before `from_time`.
    #[schema(max_length = 5, pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$", examples("07:30"))]
    pub to_time: String,
    /// Time zone of these times: an IANA name.
    #[schema(max_length = 64, examples("Europe/London"))]
    pub time_zone: String,
}

/// Whole days in which your clocks are paused.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Vacation)]
pub struct VacationBody {
    /// Identifier of the vacation.
    pub vacation_id: Uuid,
    /// The first day.
    #[schema(examples("2026-12-24"))]
    pub first_day: NaiveDate,
    /// The last day.
    #[schema(examples("2027-01-02"))]
    pub last_day: NaiveDate,
    /// Time zone of these days: an IANA name.
    #[schema(max_length = 64, examples("Europe/London"))]
    pub time_zone: String,
    /// When the first day begins.
    #[serde(serialize_with = "crate::values::time::print")]
    pub begins_at: DateTime<Utc>,
    /// When the last day ends.
    #[serde(serialize_with = "crate::values::time::print")]
    pub ends_at: DateTime<Utc>,
    /// When you announced it.
    #[serde(serialize_with = "crate::values::time::print")]
    pub announced_at: DateTime<Utc>,
    /// When you cancelled the days after `last_day`. Left out if you have not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub cancelled_at: Option<DateTime<Utc>>,
}

/// Vacation days of a calendar year.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = VacationAllowance)]
pub struct VacationAllowanceBody {
    /// The calendar year.
    #[schema(minimum = 2026, maximum = 9999, examples(2026))]
    pub year: i32,
    /// Days that you may take in this year.
    #[schema(minimum = 0, maximum = 366, examples(28))]
    pub days: i32,
    /// Days that are left.
    #[schema(minimum = 0, maximum = 366, examples(20))]
    pub days_left: i32,
}

impl CalendarBody {
    /// The answer to a write, with the time of the write.
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
            vacation_id: id,
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

/// A minute of the day as `HH:MM`.
fn time(minute: u16) -> String {
    format!("{:02}:{:02}", minute / 60, minute % 60)
}
