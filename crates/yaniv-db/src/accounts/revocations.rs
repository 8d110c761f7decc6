//! Recently ended `sessions` and `personal_tokens`, polled twice a second by each instance for its revocation
//! list; and deletion of old rows.

use chrono::TimeDelta;
use diesel::prelude::*;
use diesel::sql_types::{Double, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use crate::error::StoreError;
use crate::kernel::clock::clock_read;
use crate::schema::{personal_tokens, sessions};

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

/// Deletes sessions and tokens that ended or expired longer ago than this.
///
/// # Errors
/// Any database error.
pub async fn revocation_forget(mut connection: &AsyncPgConnection, ago: TimeDelta) -> Result<(), StoreError> {
    let before = clock_read(connection).await? - ago;
    let expired = sessions::ended_at.is_null().and(sessions::expires_at.lt(before));
    diesel::delete(sessions::table.filter(sessions::ended_at.lt(before).or(expired.nullable())))
        .execute(&mut connection)
        .await?;
    let expired = personal_tokens::ended_at.is_null().and(personal_tokens::expires_at.lt(before));
    diesel::delete(
        personal_tokens::table.filter(personal_tokens::ended_at.lt(before).or(expired.nullable())),
    )
    .execute(&mut connection)
    .await?;
    Ok(())
}
