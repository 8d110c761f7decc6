//! The clock that decides: the database's. Read it after the lock, in a statement of its own: a clock read in the
//! statement that waits for the lock may be as old as the wait.

use chrono::{DateTime, Utc};
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use super::error::StoreError;

diesel::define_sql_function! {
    /// The time now, not that of the transaction's begin.
    fn clock_timestamp() -> diesel::sql_types::Timestamptz;
}

/// The time now.
///
/// # Errors
/// Only those of the database.
pub async fn clock_read(mut connection: &AsyncPgConnection) -> Result<DateTime<Utc>, StoreError> {
    Ok(diesel::select(clock_timestamp()).get_result(&mut connection).await?)
}
