//! Counters: how often something happened under a key within a period. Their keys come from the application layer.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Bytea, Double, Integer, Timestamptz};
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use crate::error::StoreError;

/// Key under which is counted.
pub type CountKey = [u8; 32];

/// Result of counting.
pub enum Counted {
    /// Counted; the time identifies it under its key.
    Yes(DateTime<Utc>),
    /// Limit reached; the next is allowed after this time.
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

/// Counts in a table with the columns `key`, `tries` and `last_at`, if fewer than the limit were counted within the
/// period. Holds under concurrent requests.
///
/// # Errors
/// Any database error.
pub(crate) async fn count(
    mut connection: &AsyncPgConnection,
    table: &'static str,
    key: &CountKey,
    most: i32,
    within: TimeDelta,
) -> Result<Counted, StoreError> {
    let counted: Option<At> = diesel::sql_query(format!(
        "INSERT INTO {table} AS t (key, tries, last_at) \
         SELECT $1, ARRAY[at], at FROM (SELECT clock_timestamp() AS at) AS clock \
         ON CONFLICT (key) DO UPDATE SET \
             tries = ARRAY(SELECT at FROM unnest(t.tries) AS at \
                 WHERE at > excluded.last_at - make_interval(secs => $3)) \
                 || greatest(excluded.last_at, t.last_at + interval '1 microsecond'), \
             last_at = greatest(excluded.last_at, t.last_at + interval '1 microsecond') \
         WHERE (SELECT count(*) FROM unnest(t.tries) AS at \
             WHERE at > excluded.last_at - make_interval(secs => $3)) < $2 \
         RETURNING last_at AS at"
    ))
    .bind::<Bytea, _>(key.as_slice())
    .bind::<Integer, _>(most)
    .bind::<Double, _>(within.as_seconds_f64())
    .get_result(&mut connection)
    .await
    .optional()?;
    match counted {
        Some(At { at }) => Ok(Counted::Yes(at)),
        None => Ok(Counted::No(wait(connection, table, key, most, within).await?)),
    }
}

/// Time until the oldest leaves the period.
async fn wait(
    mut connection: &AsyncPgConnection,
    table: &'static str,
    key: &CountKey,
    most: i32,
    within: TimeDelta,
) -> Result<TimeDelta, StoreError> {
    let left: Option<Wait> = diesel::sql_query(format!(
        "SELECT extract(epoch FROM at - clock_timestamp())::float8 + $3 AS seconds FROM \
         (SELECT unnest(tries) AS at FROM {table} WHERE key = $1) AS all_tries \
         ORDER BY at DESC OFFSET $2 - 1 LIMIT 1"
    ))
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
