//! Rows of `quiet_hours`: the daily span in which an account's clocks stand.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::error::StoreError;
use super::schema::quiet_hours;
use crate::ids::AccountId;

/// Quiet hours of an account.
#[derive(Clone, Debug, Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = quiet_hours)]
pub struct QuietHoursRow {
    /// Whose.
    pub account_id: Uuid,
    /// A name of the IANA database.
    pub time_zone: String,
    /// The minute of the day at which they begin.
    pub from_minute: i16,
    /// The minute of the day at which they are over.
    pub to_minute: i16,
}

/// Those of several accounts, as far as they have any.
///
/// # Errors
/// Only those of the database.
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

/// Stores those of a locked account, in the place of others.
///
/// # Errors
/// Only those of the database.
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

/// Takes those of an account away, if it has any.
///
/// # Errors
/// Only those of the database.
pub async fn quiet_hours_delete_in_txn(
    mut connection: &AsyncPgConnection,
    account: AccountId,
) -> Result<(), StoreError> {
    diesel::delete(quiet_hours::table.find(account.0)).execute(&mut connection).await?;
    Ok(())
}
