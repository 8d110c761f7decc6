//! Rows of `rounds`: rounds that are over. Written by `action_save`, read by `table_load`; and the queue of those that are to be
//! counted, which the bookkeeper takes them out of.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, SmallInt, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::error::StoreError;

/// A round that is over.
#[derive(Clone, Debug, serde::Deserialize)]
pub struct RoundRow {
    /// From 1.
    pub round: i16,
    /// Seat that played first.
    pub starter: i16,
    /// Action that ended it.
    pub last_version: i32,
    /// Result in the form of the record; none if it ended unscored.
    pub result: Option<serde_json::Value>,
    /// When it ended.
    pub ended_at: DateTime<Utc>,
}

/// Matches with rounds that are to be counted, at most so many, those that were played last first: what has waited for long can wait
/// for longer. But for some.
///
/// # Errors
/// Only those of the database.
pub async fn round_list_uncounted(
    mut connection: &AsyncPgConnection,
    but: &[Uuid],
    limit: i64,
) -> Result<Vec<Uuid>, StoreError> {
    #[derive(QueryableByName)]
    struct Uncounted {
        #[diesel(sql_type = SqlUuid)]
        match_id: Uuid,
    }
    let rows: Vec<Uncounted> = diesel::sql_query(
        "SELECT match_id FROM (SELECT match_id, ended_at FROM rounds WHERE counted_at IS NULL AND match_id <> ALL ($1) \
         ORDER BY ended_at DESC LIMIT $2 * 20) r GROUP BY match_id ORDER BY max(ended_at) DESC LIMIT $2",
    )
    .bind::<Array<SqlUuid>, _>(but)
    .bind::<BigInt, _>(limit)
    .load(&mut connection)
    .await?;
    Ok(rows.into_iter().map(|row| row.match_id).collect())
}

/// Notes that the rounds of matches are counted, up to one of each.
///
/// # Errors
/// Only those of the database.
pub async fn round_note_counted_in_txn(
    mut connection: &AsyncPgConnection,
    counted: &[(Uuid, i16)],
) -> Result<(), StoreError> {
    let (matches, rounds): (Vec<Uuid>, Vec<i16>) = counted.iter().copied().unzip();
    diesel::sql_query(
        "UPDATE rounds r SET counted_at = clock_timestamp() FROM unnest($1, $2) AS k (match_id, round) \
         WHERE r.match_id = k.match_id AND r.round <= k.round AND r.counted_at IS NULL",
    )
    .bind::<Array<SqlUuid>, _>(matches)
    .bind::<Array<SmallInt>, _>(rounds)
    .execute(&mut connection)
    .await?;
    Ok(())
}
