//! When an account's clocks stand: quiet hours and vacation, as their owner says.
//!
//! What that does to a deadline is `yaniv_clock`'s to say; what a change takes is in `calendar_edit`, what rows mean in
//! `calendar_rows`.

use chrono::{DateTime, Datelike, NaiveDate, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use uuid::Uuid;
use yaniv_clock::{Calendar, QuietHours, Vacation, vacation_days_left};

use super::calendar_edit::{CalendarEdit, announce, edit};
use super::calendar_rows::{announced, calendar_of_in_txn, standing};
use super::replay::IdempotencyKey;
use super::{ServiceError, Services};
use crate::ids::{AccountId, VacationId};
use crate::store::vacations::{VacationRow, vacation_list};

/// An account's calendar, as its owner sees it.
#[derive(Clone, Debug)]
pub struct OwnCalendar {
    /// The time for which it holds.
    pub at: DateTime<Utc>,
    /// Quiet hours for waits that begin from now on.
    pub quiet_hours: Option<QuietHours>,
    /// Vacations of this year and later, in the order in which they begin.
    pub vacations: Vec<OwnVacation>,
    /// Days of vacation that are left in this year and in the next.
    pub days_left: [(i32, u16); 2],
}

/// A vacation, as its owner sees it.
#[derive(Clone, Debug)]
pub struct OwnVacation {
    /// Its identifier.
    pub id: Uuid,
    /// What is left of it.
    pub vacation: Vacation,
    /// When it was announced.
    pub announced_at: DateTime<Utc>,
    /// When it was cancelled, if some of it is left.
    pub cancelled_at: Option<DateTime<Utc>>,
}

/// Quiet hours that somebody wants.
#[derive(Clone, Debug)]
pub struct WantedQuietHours {
    /// The minute of the day at which they begin.
    pub from_minute: u16,
    /// The minute of the day at which they are over.
    pub to_minute: u16,
    /// Whose wall is looked at; left out, that of the account.
    pub time_zone: Option<String>,
}

/// A vacation that somebody wants.
#[derive(Clone, Debug)]
pub struct WantedVacation {
    /// The first day.
    pub first_day: NaiveDate,
    /// The last day.
    pub last_day: NaiveDate,
    /// Whose days they are; left out, those of the account.
    pub time_zone: Option<String>,
}

/// A vacation that was announced, or found to be announced.
#[derive(Clone, Debug)]
pub struct VacationAnswer {
    /// The vacation, as it was announced.
    pub vacation: OwnVacation,
    /// Whether it had been announced before, by the same key.
    pub replayed: bool,
}

impl Services {
    /// The caller's calendar.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn calendar(&self, account: AccountId) -> Result<OwnCalendar, ServiceError> {
        own_calendar(&*self.store.connection().await?, account, Utc::now()).await
    }

    /// Sets the caller's quiet hours, in the place of others.
    ///
    /// # Errors
    /// `InvalidField`.
    pub async fn set_quiet_hours(
        &self,
        account: AccountId,
        wanted: WantedQuietHours,
    ) -> Result<OwnCalendar, ServiceError> {
        self.edit_calendar(account, CalendarEdit::QuietHours(Some(wanted))).await
    }

    /// Takes the caller's quiet hours away; if there are none, nothing changes.
    ///
    /// # Errors
    /// Those of the database.
    pub async fn remove_quiet_hours(&self, account: AccountId) -> Result<(), ServiceError> {
        self.edit_calendar(account, CalendarEdit::QuietHours(None)).await.map(drop)
    }

    /// Cancels a vacation of the caller's; cancelled again, nothing changes.
    ///
    /// # Errors
    /// `VacationNotFound`; `Vacation(Over)` if there is nothing left to cancel.
    pub async fn cancel_vacation(
        &self,
        account: AccountId,
        id: VacationId,
    ) -> Result<OwnCalendar, ServiceError> {
        self.edit_calendar(account, CalendarEdit::Cancel(id)).await
    }

    /// Announces a vacation of the caller's.
    ///
    /// # Errors
    /// `InvalidField`, `Vacation`, `KeyReused`.
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
    /// As it was announced, whatever became of it.
    pub(super) fn announced(row: &VacationRow) -> Result<Self, ServiceError> {
        let vacation = announced(row)?;
        Ok(Self { id: row.id, vacation, announced_at: row.announced_at, cancelled_at: None })
    }
}

async fn own_calendar(
    connection: &AsyncPgConnection,
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
