//! Use cases of an account's calendar: quiet hours and vacations, during which its clocks stop.
//!
//! The effect on deadlines is computed in `yaniv_clock`; changes are made in `calendar::edit`; stored rows
//! are decoded in `kernel::calendars`.

use chrono::{DateTime, Datelike, NaiveDate, Utc};
use uuid::Uuid;
use yaniv_clock::{Calendar, QuietHours, Vacation, vacation_days_left};
use yaniv_db::calendar::vacations::{VacationRow, vacation_list};
use yaniv_db::{Connection, Transactions};
use yaniv_model::idempotency::IdempotencyKey;
use yaniv_model::ids::{AccountId, VacationId};

use crate::calendar::edit::{CalendarEdit, announce, edit};
use crate::kernel::boxed;
use crate::kernel::calendars::{announced, calendar_of_in_txn, standing};
use crate::{ServiceError, Services};

/// An account's calendar as its owner sees it.
#[derive(Clone, Debug)]
pub struct OwnCalendar {
    /// Time for which it was computed.
    pub at: DateTime<Utc>,
    /// Quiet hours for turns that begin from now on.
    pub quiet_hours: Option<QuietHours>,
    /// Vacations of this year and later, by their first day.
    pub vacations: Vec<OwnVacation>,
    /// Days of vacation left in this year and in the next.
    pub days_left: [(i32, u16); 2],
}

/// A vacation as its owner sees it.
#[derive(Clone, Debug)]
pub struct OwnVacation {
    /// Its identifier.
    pub id: Uuid,
    /// The effective part of it.
    pub vacation: Vacation,
    /// When it was announced.
    pub announced_at: DateTime<Utc>,
    /// When it was cancelled, if part of it remains.
    pub cancelled_at: Option<DateTime<Utc>>,
}

/// Request to set quiet hours.
#[derive(Clone, Debug)]
pub struct WantedQuietHours {
    /// Minute of the day at which they begin.
    pub from_minute: u16,
    /// Minute of the day at which they end.
    pub to_minute: u16,
    /// Time zone; by default, that of the account.
    pub time_zone: Option<String>,
}

/// Request for a vacation.
#[derive(Clone, Debug)]
pub struct WantedVacation {
    /// The first day.
    pub first_day: NaiveDate,
    /// The last day.
    pub last_day: NaiveDate,
    /// Time zone of the days; by default, that of the account.
    pub time_zone: Option<String>,
}

/// Response to the announcement of a vacation.
#[derive(Clone, Debug)]
pub struct VacationAnswer {
    /// The vacation as announced.
    pub vacation: OwnVacation,
    /// Whether an earlier request with the same key had announced it.
    pub replayed: bool,
}

impl Services {
    /// The caller's calendar.
    ///
    /// # Errors
    /// Those of the database.
    #[boxed]
    pub async fn calendar(&self, account: AccountId) -> Result<OwnCalendar, ServiceError> {
        own_calendar(&*self.store.connection().await?, account, Utc::now()).await
    }

    /// Sets the caller's quiet hours, replacing earlier ones.
    ///
    /// # Errors
    /// `InvalidField`.
    #[boxed]
    pub async fn set_quiet_hours(
        &self,
        account: AccountId,
        wanted: WantedQuietHours,
    ) -> Result<OwnCalendar, ServiceError> {
        self.edit_calendar(account, CalendarEdit::QuietHours(Some(wanted))).await
    }

    /// Removes the caller's quiet hours; idempotent.
    ///
    /// # Errors
    /// Those of the database.
    #[boxed]
    pub async fn remove_quiet_hours(&self, account: AccountId) -> Result<(), ServiceError> {
        self.edit_calendar(account, CalendarEdit::QuietHours(None)).await.map(drop)
    }

    /// Cancels a vacation of the caller; idempotent.
    ///
    /// # Errors
    /// `VacationNotFound`; `Vacation(Over)` if there is nothing left to cancel.
    #[boxed]
    pub async fn cancel_vacation(
        &self,
        account: AccountId,
        id: VacationId,
    ) -> Result<OwnCalendar, ServiceError> {
        self.edit_calendar(account, CalendarEdit::Cancel(id)).await
    }

    /// Announces a vacation of the caller.
    ///
    /// # Errors
    /// `InvalidField`, `Vacation`, `KeyReused`.
    #[boxed]
    pub async fn announce_vacation(
        &self,
        account: AccountId,
        wanted: WantedVacation,
        key: Option<IdempotencyKey>,
    ) -> Result<VacationAnswer, ServiceError> {
        self.durably(key.is_some(), false, move |mut connection, _| {
            let (wanted, key) = (wanted.clone(), key.clone());
            async move {
                connection
                    .transaction(async |connection| {
                        announce(connection, account, &wanted, key.as_ref()).await
                    })
                    .await
            }
        })
        .await
    }

    async fn edit_calendar(
        &self,
        account: AccountId,
        wanted: CalendarEdit,
    ) -> Result<OwnCalendar, ServiceError> {
        self.durably(true, false, move |mut connection, _| {
            let wanted = wanted.clone();
            async move {
                connection
                    .transaction(async |connection| {
                        let at = edit(connection, account, wanted).await?;
                        own_calendar(connection, account, at).await
                    })
                    .await
            }
        })
        .await
    }
}

impl OwnVacation {
    /// The vacation as announced, without its cancellation.
    pub(crate) fn announced(row: &VacationRow) -> Result<Self, ServiceError> {
        let vacation = announced(row)?;
        Ok(Self { id: row.id, vacation, announced_at: row.announced_at, cancelled_at: None })
    }
}

async fn own_calendar(
    connection: &Connection,
    account: AccountId,
    at: DateTime<Utc>,
) -> Result<OwnCalendar, ServiceError> {
    let Calendar { vacations: taken, quiet_hours, .. } = calendar_of_in_txn(connection, account).await?;
    let mut vacations = Vec::new();
    for row in vacation_list(connection, &[account.0]).await? {
        let left = standing(&row)?.filter(|vacation| vacation.last_day.year() >= at.year());
        if let Some(vacation) = left {
            let VacationRow { id, announced_at, cancelled_at, .. } = row;
            vacations.push(OwnVacation { id, vacation, announced_at, cancelled_at });
        }
    }
    let days_left =
        [at.year(), at.year().saturating_add(1)].map(|year| (year, vacation_days_left(&taken, year)));
    Ok(OwnCalendar { at, quiet_hours, vacations, days_left })
}
