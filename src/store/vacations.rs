//! Rows of `vacations`: whole days in which an account's clocks stand. What a cancellation has left of one is in it, too.

use chrono::{DateTime, NaiveDate, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::error::StoreError;
use super::schema::vacations;
use crate::ids::{AccountId, VacationId};

/// A vacation as it is stored.
#[derive(Clone, Debug, Queryable, Selectable, Insertable)]
#[diesel(table_name = vacations)]
pub struct VacationRow {
    /// Its identifier.
    pub id: Uuid,
    /// Whose.
    pub account_id: Uuid,
    /// Whose days they are: a name of the IANA database.
    pub time_zone: String,
    /// The first day.
    pub first_day: NaiveDate,
    /// The last day, as it was announced.
    pub last_day: NaiveDate,
    /// When the first day begins.
    pub begins_at: DateTime<Utc>,
    /// When the last day, as it was announced, is over.
    pub ends_at: DateTime<Utc>,
    /// When it was announced.
    pub announced_at: DateTime<Utc>,
    /// When it was cancelled.
    pub cancelled_at: Option<DateTime<Utc>>,
    /// The last day that is left of a cancelled one.
    pub left_last_day: Option<NaiveDate>,
    /// When that is over.
    pub left_ends_at: Option<DateTime<Utc>>,
    /// Hash of account and key.
    pub key_hash: Option<i64>,
    /// Of operation and body.
    pub fingerprint: Option<i32>,
}

/// Those of several accounts of which something is left, over or not, in the order in which they begin.
///
/// # Errors
/// Only those of the database.
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

/// Those of them that may not be over at a time.
///
/// # Errors
/// Only those of the database.
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

/// Finds a vacation of an account, whatever is left of it.
///
/// # Errors
/// Only those of the database.
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

/// Finds the vacation that a key of this account has announced.
///
/// # Errors
/// Only those of the database.
pub async fn vacation_find_by_key(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    key_hash: i64,
) -> Result<Option<VacationRow>, StoreError> {
    Ok(vacations::table
        .filter(vacations::account_id.eq(account.0))
        .filter(vacations::key_hash.eq(key_hash))
        .select(VacationRow::as_select())
        .first(&mut connection)
        .await
        .optional()?)
}

/// Stores a vacation of a locked account.
///
/// # Errors
/// Only those of the database.
pub async fn vacation_insert_in_txn(
    mut connection: &AsyncPgConnection,
    row: &VacationRow,
) -> Result<(), StoreError> {
    diesel::insert_into(vacations::table).values(row).execute(&mut connection).await?;
    Ok(())
}

/// Notes that a vacation of a locked account was cancelled, and what is left of it.
///
/// # Errors
/// Only those of the database.
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

/// Deletes those of an account of which nothing is left, and that were cancelled before a time.
///
/// # Errors
/// Only those of the database.
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
