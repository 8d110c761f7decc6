//! Rows of `password_tries`: rate limit for password attempts. The keys that group attempts come from the
//! application layer.
//!
//! Counting is one statement and its own transaction, so a later failure does not undo it.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Bytea, Double, Integer, Timestamptz};
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use crate::error::StoreError;
use crate::kernel::clock::clock_read;
use crate::schema::password_tries;

/// Key under which attempts are counted.
pub type TryKey = [u8; 32];

/// Result of counting an attempt.
pub enum Counted {
    /// Counted; the time identifies the attempt under its key.
    Yes(DateTime<Utc>),
    /// Limit reached; the next attempt is allowed after this time.
    No(TimeDelta),
}

#[derive(QueryableByName)]
struct At {
    #[diesel(sql_type = Timestamptz)]
    at: DateTime<Utc>,
}

#[derive(QueryableByName)]
struct Wait {
    #[diesel(sql_type = Double)]
    seconds: f64,
}

/// Counts an attempt if fewer than the limit were made within the window. Holds under concurrent requests.
///
/// # Errors
/// Any database error.
pub async fn password_try_count(
    mut connection: &AsyncPgConnection,
    key: &TryKey,
    most: i32,
    within: TimeDelta,
) -> Result<Counted, StoreError> {
    let counted: Option<At> = diesel::sql_query(
        "INSERT INTO password_tries AS t (key, tries, last_at) \
         SELECT $1, ARRAY[at], at FROM (SELECT clock_timestamp() AS at) AS clock \
         ON CONFLICT (key) DO UPDATE SET \
             tries = ARRAY(SELECT at FROM unnest(t.tries) AS at \
                 WHERE at > excluded.last_at - make_interval(secs => $3)) \
                 || greatest(excluded.last_at, t.last_at + interval '1 microsecond'), \
             last_at = greatest(excluded.last_at, t.last_at + interval '1 microsecond') \
         WHERE (SELECT count(*) FROM unnest(t.tries) AS at \
             WHERE at > excluded.last_at - make_interval(secs => $3)) < $2 \
         RETURNING last_at AS at",
    )
    .bind::<Bytea, _>(key.as_slice())
    .bind::<Integer, _>(most)
    .bind::<Double, _>(within.as_seconds_f64())
    .get_result(&mut connection)
    .await
    .optional()?;
    match counted {
        Some(At { at }) => Ok(Counted::Yes(at)),
        None => Ok(Counted::No(wait(connection, key, most, within).await?)),
    }
}

/// Time until the oldest attempt leaves the window.
async fn wait(
    mut connection: &AsyncPgConnection,
    key: &TryKey,
    most: i32,
    within: TimeDelta,
) -> Result<TimeDelta, StoreError> {
    let left: Option<Wait> = diesel::sql_query(
        "SELECT extract(epoch FROM at - clock_timestamp())::float8 + $3 AS seconds FROM \
         (SELECT unnest(tries) AS at FROM password_tries WHERE key = $1) AS all_tries \
         ORDER BY at DESC OFFSET $2 - 1 LIMIT 1",
    )
    .bind::<Bytea, _>(key.as_slice())
    .bind::<Integer, _>(most)
    .bind::<Double, _>(within.as_seconds_f64())
    .get_result(&mut connection)
    .await
    .optional()?;
    let seconds = left.map_or(0.0, |left| left.seconds);
    Ok(std::time::Duration::try_from_secs_f64(seconds)
        .ok()
        .and_then(|wait| TimeDelta::from_std(wait).ok())
        .unwrap_or_default())
}

/// Deletes a counted attempt.
///
/// # Errors
/// Any database error.
pub async fn password_try_give_back(
    mut connection: &AsyncPgConnection,
    key: &TryKey,
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
pub async fn password_try_forget(mut connection: &AsyncPgConnection, key: &TryKey) -> Result<(), StoreError> {
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
