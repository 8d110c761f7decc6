//! Rows of `password_tries`: rate limit for password attempts. The keys that group attempts come from the
//! application layer.
//!
//! Counting is one statement and its own transaction, so a later failure does not undo it.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Bytea, Timestamptz};
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use crate::error::StoreError;
use crate::kernel::clock::clock_read;
use crate::kernel::counters::{CountKey, Counted, count};
use crate::schema::password_tries;

/// The table of the attempts.
const TABLE: &str = "password_tries";

/// Counts an attempt if fewer than the limit were made within the window. Holds under concurrent requests.
///
/// # Errors
/// Any database error.
pub async fn password_try_count(
    connection: &AsyncPgConnection,
    key: &CountKey,
    most: i32,
    within: TimeDelta,
) -> Result<Counted, StoreError> {
    count(connection, TABLE, key, most, within).await
}

/// Deletes a counted attempt.
///
/// # Errors
/// Any database error.
pub async fn password_try_give_back(
    mut connection: &AsyncPgConnection,
    key: &CountKey,
    at: DateTime<Utc>,
) -> Result<(), StoreError> {
    diesel::sql_query("UPDATE password_tries SET tries = array_remove(tries, $2) WHERE key = $1")
        .bind::<Bytea, _>(key.as_slice())
        .bind::<Timestamptz, _>(at)
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Deletes the attempts of a key.
///
/// # Errors
/// Any database error.
pub async fn password_try_forget(
    mut connection: &AsyncPgConnection,
    key: &CountKey,
) -> Result<(), StoreError> {
    diesel::delete(password_tries::table.find(key.as_slice())).execute(&mut connection).await?;
    Ok(())
}

/// Deletes attempts that have left every window.
///
/// # Errors
/// Any database error.
pub async fn password_try_forget_old(
    mut connection: &AsyncPgConnection,
    ago: TimeDelta,
) -> Result<(), StoreError> {
    let before = clock_read(connection).await? - ago;
    diesel::delete(password_tries::table.filter(password_tries::last_at.lt(before)))
        .execute(&mut connection)
        .await?;
    Ok(())
}
