//! Recently ended `sessions` and `personal_tokens`, polled twice a second by each instance for its revocation
//! list; and deletion of old rows.

use chrono::TimeDelta;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Double, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use crate::error::StoreError;

#[derive(QueryableByName)]
struct Ended {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
}

/// Sessions and tokens that ended within this time.
///
/// # Errors
/// Any database error.
pub async fn revocation_list(
    mut connection: &AsyncPgConnection,
    within: TimeDelta,
) -> Result<Vec<Uuid>, StoreError> {
    // `now()` instead of `clock_timestamp()`: only a stable function can be used with an index.
    let rows: Vec<Ended> = diesel::sql_query(
        "SELECT id FROM sessions WHERE ended_at > now() - make_interval(secs => $1) \
         UNION ALL SELECT id FROM personal_tokens WHERE ended_at > now() - make_interval(secs => $1)",
    )
    .bind::<Double, _>(within.as_seconds_f64())
    .load(&mut connection)
    .await?;
    Ok(rows.into_iter().map(|row| row.id).collect())
}

/// Deletes a batch of sessions and tokens that ended or expired longer ago than this, at most `limit` of each. Returns the
/// number of the more frequent kind.
///
/// # Errors
/// Any database error.
pub async fn revocation_forget(
    mut connection: &AsyncPgConnection,
    ago: TimeDelta,
    limit: i64,
) -> Result<i64, StoreError> {
    let mut most = 0;
    for table in ["sessions", "personal_tokens"] {
        let deleted = diesel::sql_query(format!(
            "DELETE FROM {table} WHERE id IN (SELECT id FROM {table} \
             WHERE COALESCE(ended_at, expires_at) < clock_timestamp() - make_interval(secs => $1) LIMIT $2)"
        ))
        .bind::<Double, _>(ago.as_seconds_f64())
        .bind::<BigInt, _>(limit)
        .execute(&mut connection)
        .await?;
        most = most.max(deleted);
    }
    Ok(i64::try_from(most).unwrap_or(limit))
}
