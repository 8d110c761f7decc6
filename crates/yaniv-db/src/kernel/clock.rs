//! The database clock, which is authoritative. Read it after taking the lock, in a separate statement: a time
//! read by the statement that waits for the lock may be as old as the wait.

use chrono::{DateTime, Utc};
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use crate::error::StoreError;

diesel::define_sql_function! {
    /// The current time, not the start of the transaction.
    fn clock_timestamp() -> diesel::sql_types::Timestamptz;
}

diesel::define_sql_function! {
    /// The time, rounded down to this unit.
    fn date_trunc(unit: diesel::sql_types::Text, at: diesel::sql_types::Timestamptz) -> diesel::sql_types::Timestamptz;
}

/// The current time of the database, rounded down to the millisecond, as are all times of the log: finer ones would take
/// half as much again in the archive.
///
/// # Errors
/// Any database error.
pub async fn clock_read(mut connection: &AsyncPgConnection) -> Result<DateTime<Utc>, StoreError> {
    let now = date_trunc("milliseconds", clock_timestamp());
    Ok(diesel::select(now).get_result(&mut connection).await?)
}
