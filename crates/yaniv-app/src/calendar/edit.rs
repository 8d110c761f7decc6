//! Changes to a calendar: in one transaction, under the lock of the account, with their effects on running
//! matches.

use chrono::{DateTime, Datelike, TimeDelta, Utc};
use chrono_tz::Tz;
use yaniv_clock::{Calendar, QuietHours, QuietHoursError, VacationError, announce_vacation, cancel_vacation};
use yaniv_db::Connection;
use yaniv_db::accounts::account_rows::{AccountRow, account_lock};
use yaniv_db::calendar::quiet_hours::{QuietHoursRow, quiet_hours_delete_in_txn, quiet_hours_save_in_txn};
use yaniv_db::calendar::vacations::{
    VacationRow, vacation_cancel_in_txn, vacation_find, vacation_forget_cancelled_in_txn,
    vacation_insert_in_txn,
};
use yaniv_db::kernel::clock::clock_read;
use yaniv_db::kernel::idempotency_keys::KeyKind;
use yaniv_model::idempotency::IdempotencyKey;
use yaniv_model::ids::{AccountId, VacationId};

use crate::ServiceError;
use crate::calendar::matches::{ChangedCalendar, calendar_changed_in_txn};
use crate::calendar::queries::{OwnVacation, VacationAnswer, WantedQuietHours, WantedVacation};
use crate::kernel::calendars::{announced, calendar_of_in_txn, check_time_zone};
use crate::kernel::idempotency::{store_key, stored_write};

/// Retention of a vacation of which nothing is left, for its idempotency key.
const FORGOTTEN_AFTER: TimeDelta = TimeDelta::days(30);

/// A change to a calendar.
#[derive(Clone)]
pub(crate) enum CalendarEdit {
    /// New quiet hours, or none.
    QuietHours(Option<WantedQuietHours>),
    /// Cancellation of a vacation.
    Cancel(VacationId),
}

/// Changes a calendar; returns the time of the change.
///
/// # Errors
/// `InvalidField`, `VacationNotFound`, `Vacation`.
pub(crate) async fn edit(
    connection: &Connection,
    account: AccountId,
    wanted: CalendarEdit,
) -> Result<DateTime<Utc>, ServiceError> {
    let held = Held::hold(connection, account).await?;
    match wanted {
        CalendarEdit::QuietHours(wanted) => held.set_quiet_hours(connection, wanted).await?,
        CalendarEdit::Cancel(id) => held.cancel(connection, id).await?,
    }
    held.tell(connection).await?;
    Ok(held.at)
}

/// Announces a vacation, unless its idempotency key has announced one before.
///
/// # Errors
/// `InvalidField`, `Vacation`, `KeyReused`.
pub(crate) async fn announce(
    connection: &Connection,
    account: AccountId,
    wanted: &WantedVacation,
    key: Option<&IdempotencyKey>,
) -> Result<VacationAnswer, ServiceError> {
    let held = Held::hold(connection, account).await?;
    if let Some(known) = stored_write(connection, account, KeyKind::Vacation, key).await? {
        let row = vacation_find(connection, account, VacationId(known.target)).await?;
        let row = row.ok_or(ServiceError::VacationNotFound)?;
        return Ok(VacationAnswer { vacation: OwnVacation::announced(&row)?, replayed: true });
    }
    let zone = held.zone(wanted.time_zone.as_deref())?;
    if wanted.first_day.year() < held.at.year().saturating_sub(1) {
        // Too early regardless of the time zone.
        return Err(VacationError::TooSoon.into());
    }
    let days = (wanted.first_day, wanted.last_day);
    let vacation = announce_vacation(&held.before.vacations, zone, days, held.at)?;
    let row = VacationRow {
        id: VacationId::generate().0,
        account_id: account.0,
        time_zone: zone.name().to_owned(),
        first_day: vacation.first_day,
        last_day: vacation.last_day,
        begins_at: vacation.begins_at,
        ends_at: vacation.ends_at,
        announced_at: held.at,
        cancelled_at: None,
        left_last_day: None,
        left_ends_at: None,
    };
    vacation_forget_cancelled_in_txn(connection, account, held.at - FORGOTTEN_AFTER).await?;
    vacation_insert_in_txn(connection, &row).await?;
    store_key(connection, account, KeyKind::Vacation, key, (row.id, 0, held.at)).await?;
    held.tell(connection).await?;
    Ok(VacationAnswer { vacation: OwnVacation::announced(&row)?, replayed: false })
}

/// A calendar under change, with its account locked against concurrent changes.
struct Held {
    row: AccountRow,
    before: Calendar,
    at: DateTime<Utc>,
}

impl Held {
    async fn hold(connection: &Connection, account: AccountId) -> Result<Self, ServiceError> {
        let row = account_lock(connection, account).await?.ok_or(ServiceError::InvalidToken)?;
        let at = clock_read(connection).await?;
        Ok(Self { row, before: calendar_of_in_txn(connection, account).await?, at })
    }

    fn account(&self) -> AccountId {
        AccountId(self.row.id)
    }

    /// The named time zone; by default, that of the account.
    fn zone(&self, named: Option<&str>) -> Result<Tz, ServiceError> {
        let detail = "must be given, as your account has none";
        let missing = ServiceError::InvalidField { field: "time_zone", detail };
        let name = named.or(self.row.time_zone.as_deref()).ok_or(missing)?;
        check_time_zone(name)
    }

    async fn set_quiet_hours(
        &self,
        connection: &Connection,
        wanted: Option<WantedQuietHours>,
    ) -> Result<(), ServiceError> {
        let Some(wanted) = wanted else {
            return Ok(quiet_hours_delete_in_txn(connection, self.account()).await?);
        };
        let zone = self.zone(wanted.time_zone.as_deref())?;
        let hours = QuietHours::new(zone, wanted.from_minute, wanted.to_minute).map_err(refused)?;
        let minute = |minute| i16::try_from(minute).map_err(ServiceError::internal);
        let row = QuietHoursRow {
            account_id: self.row.id,
            time_zone: zone.name().to_owned(),
            from_minute: minute(hours.from_minute())?,
            to_minute: minute(hours.to_minute())?,
        };
        Ok(quiet_hours_save_in_txn(connection, &row).await?)
    }

    async fn cancel(&self, connection: &Connection, id: VacationId) -> Result<(), ServiceError> {
        let row = vacation_find(connection, self.account(), id).await?;
        let row = row.ok_or(ServiceError::VacationNotFound)?;
        if row.cancelled_at.is_some() {
            return Ok(());
        }
        let left = cancel_vacation(&announced(&row)?, self.at)?;
        let left = left.map(|vacation| (vacation.last_day, vacation.ends_at));
        Ok(vacation_cancel_in_txn(connection, row.id, self.at, left).await?)
    }

    /// Applies the change to the running matches.
    async fn tell(&self, connection: &Connection) -> Result<(), ServiceError> {
        let (account, before) = (self.account(), self.before.clone());
        let after = calendar_of_in_txn(connection, account).await?;
        calendar_changed_in_txn(connection, &ChangedCalendar { account, before, after }).await
    }
}

fn refused(error: QuietHoursError) -> ServiceError {
    let (field, detail) = match error {
        QuietHoursError::Minute => ("from_time", "must be a time of the day"),
        QuietHoursError::Length => ("to_time", "must be from 1 minute to 10 hours after from_time"),
    };
    ServiceError::InvalidField { field, detail }
}
