//! Rows of `daily_counts`: how many of a kind an account has made today.

use diesel::prelude::*;
use diesel::sql_types::{Integer, Text, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use yaniv_model::ids::AccountId;

use crate::error::StoreError;

#[derive(QueryableByName)]
struct Counted {
    #[diesel(sql_type = Integer)]
    made: i32,
}

/// Counts one more; returns the number of today (UTC). Others of the same account and kind wait for the end of the
/// transaction.
///
/// # Errors
/// `Busy` if the lock is not acquired within three seconds.
pub async fn daily_count_add_in_txn(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    kind: &str,
) -> Result<i32, StoreError> {
    let added: Counted = diesel::sql_query(
        "INSERT INTO daily_counts AS d (account_id, kind, day, made) \
         VALUES ($1, $2, (clock_timestamp() AT TIME ZONE 'UTC')::date, 1) \
         ON CONFLICT (account_id, kind) DO UPDATE SET day = EXCLUDED.day, \
             made = CASE WHEN d.day = EXCLUDED.day THEN d.made + 1 ELSE 1 END RETURNING made",
    )
    .bind::<SqlUuid, _>(account.0)
    .bind::<Text, _>(kind)
    .get_result(&mut connection)
    .await?;
    Ok(added.made)
}
