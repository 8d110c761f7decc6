//! Rows of `quiet_hours`: the daily span in which an account's clocks stop.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::AccountId;

use crate::error::StoreError;
use crate::schema::quiet_hours;

/// Quiet hours of an account.
#[derive(Clone, Debug, Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = quiet_hours)]
pub struct QuietHoursRow {
    /// The owning account.
    pub account_id: Uuid,
    /// IANA time zone name.
    pub time_zone: String,
    /// Minute of the day at which they begin.
    pub from_minute: i16,
    /// Minute of the day at which they end.
    pub to_minute: i16,
}

/// The quiet hours of these accounts, where set.
///
/// # Errors
/// Any database error.
pub async fn quiet_hours_list(
    mut connection: &AsyncPgConnection,
    accounts: &[Uuid],
) -> Result<Vec<QuietHoursRow>, StoreError> {
    Ok(quiet_hours::table
        .filter(quiet_hours::account_id.eq_any(accounts))
        .select(QuietHoursRow::as_select())
        .load(&mut connection)
        .await?)
}

/// Stores the quiet hours of a locked account, replacing others.
///
/// # Errors
/// Any database error.
pub async fn quiet_hours_save_in_txn(
    mut connection: &AsyncPgConnection,
    row: &QuietHoursRow,
) -> Result<(), StoreError> {
    diesel::insert_into(quiet_hours::table)
        .values(row)
        .on_conflict(quiet_hours::account_id)
        .do_update()
        .set(row)
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Deletes the quiet hours of an account, if any.
///
/// # Errors
/// Any database error.
pub async fn quiet_hours_delete_in_txn(
    mut connection: &AsyncPgConnection,
    account: AccountId,
) -> Result<(), StoreError> {
    diesel::delete(quiet_hours::table.find(account.0)).execute(&mut connection).await?;
    Ok(())
}
