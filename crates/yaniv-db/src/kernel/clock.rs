//! The database clock, which is authoritative. Read it after taking the lock, in a separate statement: a time
//! read by the statement that waits for the lock may be as old as the wait.

use chrono::{DateTime, Utc};
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use crate::error::StoreError;

diesel::define_sql_function! {
    /// The current time, not the start of the transaction.
    fn clock_timestamp() -> diesel::sql_types::Timestamptz;
}

/// The current time of the database.
///
/// # Errors
/// Any database error.
pub async fn clock_read(mut connection: &AsyncPgConnection) -> Result<DateTime<Utc>, StoreError> {
    Ok(diesel::select(clock_timestamp()).get_result(&mut connection).await?)
}
