//! Rows of `notice_settings`: quiet hours for notifications.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::AccountId;

use crate::error::StoreError;
use crate::schema::notice_settings;

/// Quiet hours of an account for notifications.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = notice_settings)]
pub struct NoticeSettingsRow {
    /// The owning account.
    pub account_id: Uuid,
    /// IANA time zone name.
    pub time_zone: String,
    /// Minute of the day at which they begin.
    pub quiet_from: i16,
    /// Minute of the day at which they end.
    pub quiet_to: i16,
}

/// The settings of an account, if it has any.
///
/// # Errors
/// Any database error.
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

/// Stores settings, replacing earlier ones.
///
/// # Errors
/// Any database error.
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

/// Deletes the settings of an account.
///
/// # Errors
/// Any database error.
pub async fn notice_settings_delete(
    mut connection: &AsyncPgConnection,
    account: AccountId,
) -> Result<(), StoreError> {
    diesel::delete(notice_settings::table.find(account.0)).execute(&mut connection).await?;
    Ok(())
}
