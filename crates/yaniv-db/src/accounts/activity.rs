//! Rows of `activity`: the last day on which each account played.

use chrono::NaiveDate;
use diesel::prelude::*;
use diesel::sql_types::{Array, Date, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use crate::error::StoreError;
use crate::kernel::prepared::Prepared;
use crate::schema::activity;

/// Records the days on which accounts played; a later recorded day stays. Each account may appear once, in
/// sorted order, which is the lock order.
///
/// # Errors
/// Any database error.
pub async fn activity_note_in_txn(
    mut connection: &AsyncPgConnection,
    days: impl Iterator<Item = (Uuid, NaiveDate)>,
) -> Result<(), StoreError> {
    let (accounts, days): (Vec<Uuid>, Vec<NaiveDate>) = days.unzip();
    let insert = diesel::sql_query(
        "INSERT INTO activity AS a (account_id, last_day) \
         SELECT * FROM unnest($1, $2) AS r (account_id, last_day) ORDER BY account_id \
         ON CONFLICT (account_id) DO UPDATE SET last_day = EXCLUDED.last_day WHERE a.last_day < EXCLUDED.last_day",
    );
    let insert = insert.bind::<Array<SqlUuid>, _>(accounts).bind::<Array<Date>, _>(days);
    Prepared(insert).execute(&mut connection).await?;
    Ok(())
}

/// The number of accounts that played on this day or later.
///
/// # Errors
/// Any database error.
pub async fn activity_count_since(
    mut connection: &AsyncPgConnection,
    day: NaiveDate,
) -> Result<i64, StoreError> {
    Ok(activity::table.filter(activity::last_day.ge(day)).count().get_result(&mut connection).await?)
}
