//! Rows of `vacations`: whole days in which an account's clocks stop, including what remains of cancelled
//! ones.

use chrono::{DateTime, NaiveDate, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::{AccountId, VacationId};

use crate::error::StoreError;
use crate::schema::vacations;

/// A vacation as it is stored.
#[derive(Clone, Debug, Queryable, Selectable, Insertable)]
#[diesel(table_name = vacations)]
pub struct VacationRow {
    /// Identifier.
    pub id: Uuid,
    /// The owning account.
    pub account_id: Uuid,
    /// IANA time zone of the days.
    pub time_zone: String,
    /// The first day.
    pub first_day: NaiveDate,
    /// The last day, as announced.
    pub last_day: NaiveDate,
    /// When the first day begins.
    pub begins_at: DateTime<Utc>,
    /// When the last day, as announced, ends.
    pub ends_at: DateTime<Utc>,
    /// When it was announced.
    pub announced_at: DateTime<Utc>,
    /// When it was cancelled.
    pub cancelled_at: Option<DateTime<Utc>>,
    /// The last remaining day of a cancelled vacation.
    pub left_last_day: Option<NaiveDate>,
    /// When that day ends.
    pub left_ends_at: Option<DateTime<Utc>>,
}

/// Vacations of these accounts with remaining days, past or future, by beginning.
///
/// # Errors
/// Any database error.
pub async fn vacation_list(
    mut connection: &AsyncPgConnection,
    accounts: &[Uuid],
) -> Result<Vec<VacationRow>, StoreError> {
    Ok(vacations::table
        .filter(vacations::account_id.eq_any(accounts))
        .filter(vacations::cancelled_at.is_null().or(vacations::left_ends_at.is_not_null()))
        .order((vacations::begins_at, vacations::id))
        .select(VacationRow::as_select())
        .load(&mut connection)
        .await?)
}

/// Those of them whose announced end is after a time.
///
/// # Errors
/// Any database error.
pub async fn vacation_list_after(
    mut connection: &AsyncPgConnection,
    accounts: &[Uuid],
    at: DateTime<Utc>,
) -> Result<Vec<VacationRow>, StoreError> {
    Ok(vacations::table
        .filter(vacations::account_id.eq_any(accounts))
        .filter(vacations::cancelled_at.is_null().or(vacations::left_ends_at.is_not_null()))
        .filter(vacations::ends_at.gt(at))
        .order((vacations::begins_at, vacations::id))
        .select(VacationRow::as_select())
        .load(&mut connection)
        .await?)
}

/// Finds a vacation of an account, cancelled or not.
///
/// # Errors
/// Any database error.
pub async fn vacation_find(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    id: VacationId,
) -> Result<Option<VacationRow>, StoreError> {
    Ok(vacations::table
        .find(id.0)
        .filter(vacations::account_id.eq(account.0))
        .select(VacationRow::as_select())
        .first(&mut connection)
        .await
        .optional()?)
}

/// Stores a vacation of a locked account.
///
/// # Errors
/// Any database error.
pub async fn vacation_insert_in_txn(
    mut connection: &AsyncPgConnection,
    row: &VacationRow,
) -> Result<(), StoreError> {
    diesel::insert_into(vacations::table).values(row).execute(&mut connection).await?;
    Ok(())
}

/// Records the cancellation of a vacation of a locked account, and its remaining days.
///
/// # Errors
/// Any database error.
pub async fn vacation_cancel_in_txn(
    mut connection: &AsyncPgConnection,
    id: Uuid,
    at: DateTime<Utc>,
    left: Option<(NaiveDate, DateTime<Utc>)>,
) -> Result<(), StoreError> {
    let (last_day, ends_at) = left.unzip();
    diesel::update(vacations::table.find(id))
        .set((
            vacations::cancelled_at.eq(at),
            vacations::left_last_day.eq(last_day),
            vacations::left_ends_at.eq(ends_at),
        ))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Deletes vacations of an account without remaining days that were cancelled before a time.
///
/// # Errors
/// Any database error.
pub async fn vacation_forget_cancelled_in_txn(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    before: DateTime<Utc>,
) -> Result<(), StoreError> {
    let gone = vacations::table
        .filter(vacations::account_id.eq(account.0))
        .filter(vacations::cancelled_at.lt(before))
        .filter(vacations::left_ends_at.is_null());
    diesel::delete(gone).execute(&mut connection).await?;
    Ok(())
}
