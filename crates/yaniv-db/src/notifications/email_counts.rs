//! Rows of `email_counts`: how many codes were sent by e-mail, whatever has become of the channels. The keys that group
//! them come from the application layer.

use chrono::TimeDelta;
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use crate::error::StoreError;
use crate::kernel::clock::clock_read;
use crate::kernel::counters::{CountKey, Counted, count};
use crate::schema::email_counts;

/// Counts if fewer than the limit were counted within the period.
///
/// # Errors
/// Any database error.
pub async fn email_count_in_txn(
    connection: &AsyncPgConnection,
    key: &CountKey,
    most: i32,
    within: TimeDelta,
) -> Result<Counted, StoreError> {
    count(connection, "email_counts", key, most, within).await
}

/// Deletes counts that have left every period.
///
/// # Errors
/// Any database error.
pub async fn email_count_forget(
    mut connection: &AsyncPgConnection,
    ago: TimeDelta,
) -> Result<(), StoreError> {
    let before = clock_read(connection).await? - ago;
    diesel::delete(email_counts::table.filter(email_counts::last_at.lt(before)))
        .execute(&mut connection)
        .await?;
    Ok(())
}
