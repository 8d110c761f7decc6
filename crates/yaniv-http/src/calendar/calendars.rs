//! Operations on quiet hours and vacations.

use actix_web::web::Data;
use actix_web::{delete, get, post, put};
use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_app::calendar::queries::{WantedQuietHours, WantedVacation};
use yaniv_http_macros::operation;

use crate::calendar::calendar_body::{CalendarBody, VacationBody};
use crate::kernel::error::ApiError;
use crate::kernel::extract::{Account, Auth, CalendarChanges, KeyHeader, Read, Reads};
use crate::kernel::json::{JsonBody, NoBody, NoQuery};
use crate::kernel::params::VacationPath;
use crate::kernel::problem::ProblemCode;
use crate::kernel::responses::{ApiResult, Created, NoContent, Reply, Tagged};

/// Quiet hours: hours of each day in which your clocks are paused.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SetQuietHoursRequest {
    /// When they begin, as local time `HH:MM`.
    #[schema(max_length = 5, pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$", examples("22:30"))]
    from_time: String,
    /// When they end, as local time `HH:MM`, at most ten hours after `from_time`; on the next day if it is before
    /// `from_time`.
    #[schema(max_length = 5, pattern = "^([01][0-9]|2[0-3]):[0-5][0-9]$", examples("07:30"))]
    to_time: String,
    /// Time zone of these times: an IANA name. If left out, the time zone of your account.
    #[serde(default)]
    #[schema(nullable = false, max_length = 64, examples("Europe/London"))]
    time_zone: Option<String>,
}

/// A vacation: whole days in which your clocks are paused.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnnounceVacationRequest {
    /// The first day; it must begin in an hour or later.
    #[schema(examples("2026-12-24"))]
    #[serde(deserialize_with = "crate::values::time::read_day")]
    first_day: NaiveDate,
    /// The last day, within the next 366 days.
    #[schema(examples("2027-01-02"))]
    #[serde(deserialize_with = "crate::values::time::read_day")]
    last_day: NaiveDate,
    /// Time zone of these days: an IANA name. If left out, the time zone of your account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 64, examples("Europe/London"))]
    time_zone: Option<String>,
}

/// Show your calendar.
///
/// Your quiet hours and vacations, which pause your clocks in matches that honour them.
#[operation(
    get "/v1/account/calendar",
    tag = "calendar",
    answer = "Your calendar.",
)]
pub(crate) async fn get_calendar(
    services: Data<Services>,
    caller: Auth<Read, Reads>,
    _: NoQuery,
) -> ApiResult<Tagged<CalendarBody>> {
    let calendar = services.calendar(caller.account).await?;
    Ok(Tagged::new(CalendarBody::from(calendar), services.now()))
}

/// Set your quiet hours.
///
/// Replaces your quiet hours: your clocks are paused in these hours of each day, at most ten, in local time. They apply
/// to turns that begin from now on; a turn keeps the quiet hours that it began with. A repeated request changes
/// nothing.
#[operation(
    put "/v1/account/quiet-hours",
    tag = "calendar",
    example = json!({"from_time": "22:30", "to_time": "07:30", "time_zone": "Europe/London"}),
    answer = "Your calendar.",
)]
pub(crate) async fn set_quiet_hours(
    services: Data<Services>,
    caller: Auth<Account, CalendarChanges>,
    body: JsonBody<SetQuietHoursRequest>,
) -> ApiResult<Reply<CalendarBody>> {
    let SetQuietHoursRequest { from_time, to_time, time_zone } = body.0;
    let (from_minute, to_minute) = (minute("from_time", &from_time)?, minute("to_time", &to_time)?);
    let wanted = WantedQuietHours { from_minute, to_minute, time_zone };
    let calendar = services.set_quiet_hours(caller.account, wanted).await?;
    Ok(Reply::new(CalendarBody::at_its_time(calendar)))
}

/// Remove your quiet hours.
///
/// Applies to turns that begin from now on. Changes nothing if you have none.
#[operation(
    delete "/v1/account/quiet-hours",
    tag = "calendar",
    answer = "You have no quiet hours.",
)]
pub(crate) async fn remove_quiet_hours(
    services: Data<Services>,
    caller: Auth<Account, CalendarChanges>,
    _: NoBody,
) -> ApiResult<NoContent> {
    services.remove_quiet_hours(caller.account).await?;
    Ok(NoContent::default())
}

/// Announce a vacation.
///
/// Your clocks are paused on these days, also in the middle of a turn. You have 28 days per calendar year, and 28 in
/// any 90 consecutive days. The first day must begin in an hour or later. Vacations never begin automatically.
#[operation(
    post "/v1/account/vacations",
    tag = "calendar",
    example = json!({"first_day": "2026-12-24", "last_day": "2027-01-02", "time_zone": "Europe/London"}),
    answer = "The vacation.",
    problems(VacationTooSoon, VacationOverlap, VacationDaysUsed),
)]
pub(crate) async fn announce_vacation(
    services: Data<Services>,
    caller: Auth<Account, CalendarChanges>,
    key: KeyHeader,
    body: JsonBody<AnnounceVacationRequest>,
) -> ApiResult<Created<VacationBody>> {
    let key = key.of("announceVacation", "", &body.0)?;
    let AnnounceVacationRequest { first_day, last_day, time_zone } = body.0;
    let wanted = WantedVacation { first_day, last_day, time_zone };
    let answer = services.announce_vacation(caller.account, wanted, key).await?;
    Ok(Created::of_write(answer.replayed, VacationBody::from(answer.vacation)))
}

/// Cancel a vacation.
///
/// Days that have not begun are returned to your allowance. A vacation that has begun, or begins in less than an hour,
/// ends with the first day that ends in an hour or later. A repeated request changes nothing.
#[operation(
    post "/v1/account/vacations/{vacation_id}/cancel",
    tag = "calendar",
    answer = "Your calendar.",
    problems(VacationNotFound, VacationOver),
)]
pub(crate) async fn cancel_vacation(
    services: Data<Services>,
    caller: Auth<Account, CalendarChanges>,
    path: VacationPath,
    _: NoBody,
) -> ApiResult<Reply<CalendarBody>> {
    let calendar = services.cancel_vacation(caller.account, path.vacation_id).await?;
    Ok(Reply::new(CalendarBody::at_its_time(calendar)))
}

/// Parses `HH:MM` as a minute of the day.
fn minute(field: &str, time: &str) -> Result<u16, ApiError> {
    let refused = || ApiError::field(ProblemCode::InvalidBody, field, "must be a time of day, such as 22:30");
    let (hours, minutes) = time.split_once(':').ok_or_else(refused)?;
    let number = |text: &str, most: u16| {
        let digits = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|number: &u16| digits && *number <= most).ok_or_else(refused)
    };
    Ok(number(hours, 23)?.saturating_mul(60).saturating_add(number(minutes, 59)?))
}
