//! Builds the calendars for clock computation from stored rows. The operations on calendars are in
//! `calendar`.

use std::collections::HashMap;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use chrono_tz::Tz;
use uuid::Uuid;
use yaniv_clock::{Calendar, QuietHours, Vacation};
use yaniv_db::calendar::quiet_hours::{QuietHoursRow, quiet_hours_list};
use yaniv_db::calendar::vacations::{VacationRow, vacation_list, vacation_list_after};
use yaniv_db::kernel::pipeline::both;
use yaniv_db::{Connection, StoreError};
use yaniv_model::ids::AccountId;

use crate::ServiceError;

/// The account's current calendar, without pauses of the service, which belong to no account.
///
/// # Errors
/// Those of the database.
pub(crate) async fn calendar_of_in_txn(
    connection: &Connection,
    account: AccountId,
) -> Result<Calendar, ServiceError> {
    let calendars = calendars_of_in_txn(connection, &[account.0]).await?;
    Ok(calendars.into_values().next().unwrap_or_default())
}

/// The calendars of several accounts; an account whose clocks nothing stops is left out.
///
/// # Errors
/// Those of the database.
async fn calendars_of_in_txn(
    connection: &Connection,
    accounts: &[Uuid],
) -> Result<HashMap<Uuid, Calendar>, ServiceError> {
    let mut calendars: HashMap<Uuid, Calendar> = HashMap::new();
    let (vacations, hours) =
        both(vacation_list(connection, accounts), quiet_hours_list(connection, accounts)).await?;
    for row in vacations {
        if let Some(vacation) = standing(&row)? {
            calendars.entry(row.account_id).or_default().vacations.push(vacation);
        }
    }
    for row in hours {
        calendars.entry(row.account_id).or_default().quiet_hours = Some(quiet_hours(&row)?);
    }
    Ok(calendars)
}

/// The calendars that a match gets at its start; an account whose clocks nothing stops is left out.
///
/// # Errors
/// Those of the database.
pub(crate) async fn calendars_for_start_in_txn(
    connection: &Connection,
    accounts: &[Uuid],
    at: DateTime<Utc>,
) -> Result<HashMap<Uuid, Calendar>, ServiceError> {
    let mut calendars = calendars_of_in_txn(connection, accounts).await?;
    calendars.values_mut().for_each(|calendar| *calendar = of_late(calendar, at));
    calendars.retain(|_, calendar| *calendar != Calendar::default());
    Ok(calendars)
}

/// Vacations that ended longer ago stop no clock: no turn has lasted that long since.
const KEPT: TimeDelta = TimeDelta::days(60);

/// The part of a calendar that may still stop a clock at a time. Matches store it with their clocks.
pub(crate) fn of_late(calendar: &Calendar, at: DateTime<Utc>) -> Calendar {
    let mut calendar = calendar.clone();
    calendar.vacations.retain(|vacation| vacation.ends_at > at - KEPT);
    calendar
}

/// The accounts that are on vacation at a time, with the end of the vacation.
///
/// # Errors
/// Those of the database.
pub(crate) async fn on_vacation(
    connection: &Connection,
    accounts: &[Uuid],
    at: DateTime<Utc>,
) -> Result<HashMap<Uuid, NaiveDate>, ServiceError> {
    let mut until: HashMap<Uuid, (DateTime<Utc>, NaiveDate)> = HashMap::new();
    for row in vacation_list_after(connection, accounts, at).await? {
        let Some(vacation) = standing(&row)? else { continue };
        // A vacation that begins when another ends extends it.
        let end = until.get(&row.account_id).map_or(at, |(end, _)| *end);
        if vacation.begins_at <= end && end < vacation.ends_at {
            until.insert(row.account_id, (vacation.ends_at, vacation.last_day));
        }
    }
    Ok(until.into_iter().map(|(account, (_, last_day))| (account, last_day)).collect())
}

/// The effective part of a vacation: all of it unless it was cancelled.
///
/// # Errors
/// `Internal` if the row is damaged.
pub(crate) fn standing(row: &VacationRow) -> Result<Option<Vacation>, ServiceError> {
    let announced = announced(row)?;
    Ok(match (row.cancelled_at, row.left_last_day, row.left_ends_at) {
        (None, ..) => Some(announced),
        (Some(_), Some(last_day), Some(ends_at)) => Some(Vacation { last_day, ends_at, ..announced }),
        (Some(_), ..) => None,
    })
}

/// A vacation as announced, without a cancellation.
///
/// # Errors
/// `Internal` if the row is damaged.
pub(crate) fn announced(row: &VacationRow) -> Result<Vacation, ServiceError> {
    Ok(Vacation {
        time_zone: zone(&row.time_zone)?,
        first_day: row.first_day,
        last_day: row.last_day,
        begins_at: row.begins_at,
        ends_at: row.ends_at,
    })
}

fn quiet_hours(row: &QuietHoursRow) -> Result<QuietHours, ServiceError> {
    let minute = |minute| u16::try_from(minute).unwrap_or(u16::MAX);
    QuietHours::new(zone(&row.time_zone)?, minute(row.from_minute), minute(row.to_minute))
        .map_err(|error| StoreError::Damaged(format!("quiet hours of {}: {error}", row.account_id)).into())
}

fn zone(name: &str) -> Result<Tz, ServiceError> {
    name.parse().map_err(|_| StoreError::Damaged(format!("{name} is no time zone")).into())
}

/// Parses the name of a time zone.
///
/// # Errors
/// `InvalidField`.
pub(crate) fn check_time_zone(name: &str) -> Result<Tz, ServiceError> {
    let detail = "must be a name of the IANA time zone database, as Europe/Berlin";
    name.parse().map_err(|_| ServiceError::InvalidField { field: "time_zone", detail })
}
