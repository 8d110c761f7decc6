//! Rows of `activity`: on which day people have last played.

use chrono::NaiveDate;
use diesel::prelude::*;
use diesel::sql_types::{Array, Date, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::error::StoreError;
use super::schema::activity;

/// Notes on which day people have played; later days that are known stay. Each may be named once; in their order, as locks are
/// taken in it.
///
/// # Errors
/// Only those of the database.
pub async fn activity_note_in_txn(
    mut connection: &AsyncPgConnection,
    days: impl Iterator<Item = (Uuid, NaiveDate)>,
) -> Result<(), StoreError> {
    let (accounts, days): (Vec<Uuid>, Vec<NaiveDate>) = days.unzip();
    diesel::sql_query(
        "INSERT INTO activity AS a (account_id, last_day) \
         SELECT * FROM unnest($1, $2) AS r (account_id, last_day) ORDER BY account_id \
         ON CONFLICT (account_id) DO UPDATE SET last_day = EXCLUDED.last_day WHERE a.last_day < EXCLUDED.last_day",
    )
    .bind::<Array<SqlUuid>, _>(accounts)
    .bind::<Array<Date>, _>(days)
    .execute(&mut connection)
    .await?;
    Ok(())
}

/// How many people have played on this day or later.
///
/// # Errors
/// Only those of the database.
pub async fn activity_count_since(
    mut connection: &AsyncPgConnection,
    day: NaiveDate,
) -> Result<i64, StoreError> {
    Ok(activity::table.filter(activity::last_day.ge(day)).count().get_result(&mut connection).await?)
}
