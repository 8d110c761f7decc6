//! Rows of `notice_settings`: when accounts do not want to be told.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::error::StoreError;
use super::schema::notice_settings;
use crate::ids::AccountId;

/// When an account does not want to be told.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = notice_settings)]
pub struct NoticeSettingsRow {
    /// Whose.
    pub account_id: Uuid,
    /// A name of the IANA time zone database.
    pub time_zone: String,
    /// Minute of the day at which it becomes quiet.
    pub quiet_from: i16,
    /// Minute of the day at which that ends.
    pub quiet_to: i16,
}

/// The settings of an account, if it has any.
///
/// # Errors
/// Only those of the database.
pub async fn notice_settings_find(
    mut connection: &AsyncPgConnection,
    account: AccountId,
) -> Result<Option<NoticeSettingsRow>, StoreError> {
    Ok(notice_settings::table
        .find(account.0)
        .select(NoticeSettingsRow::as_select())
        .first(&mut connection)
        .await
        .optional()?)
}

/// Stores settings in the place of those before.
///
/// # Errors
/// Only those of the database.
pub async fn notice_settings_save(
    mut connection: &AsyncPgConnection,
    row: &NoticeSettingsRow,
) -> Result<(), StoreError> {
    diesel::insert_into(notice_settings::table)
        .values(row)
        .on_conflict(notice_settings::account_id)
        .do_update()
        .set(row)
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Takes the settings of an account away.
///
/// # Errors
/// Only those of the database.
pub async fn notice_settings_delete(
    mut connection: &AsyncPgConnection,
    account: AccountId,
) -> Result<(), StoreError> {
    diesel::delete(notice_settings::table.find(account.0)).execute(&mut connection).await?;
    Ok(())
}
