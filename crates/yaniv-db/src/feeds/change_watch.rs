//! Batched reads for the change notifier: one statement for all watched matches, one for all watched accounts
//! of an instance.

use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use crate::error::StoreError;
use crate::schema::match_states;

/// Versions of these matches; none where the match does not exist.
///
/// # Errors
/// Any database error.
pub async fn watched_version_list(
    mut connection: &AsyncPgConnection,
    matches: &[Uuid],
) -> Result<Vec<(Uuid, i32)>, StoreError> {
    Ok(match_states::table
        .filter(match_states::match_id.eq_any(matches))
        .select((match_states::match_id, match_states::version))
        .load(&mut connection)
        .await?)
}

#[derive(QueryableByName)]
struct Mark {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = BigInt)]
    mark: i64,
}

/// A change mark for each of these accounts.
///
/// The mark changes when one of the account's matches changes, when the account gains or loses a seat, or
/// when a challenge changes. The mark is a hash: equal marks mean no change, except for rare collisions.
///
/// # Errors
/// Any database error.
pub async fn watched_mark_list(
    mut connection: &AsyncPgConnection,
    accounts: &[Uuid],
) -> Result<Vec<(Uuid, i64)>, StoreError> {
    let rows: Vec<Mark> = diesel::sql_query(
        "SELECT a.id, hashtextextended(concat_ws(' ', \
             (SELECT concat_ws(' ', count(*), sum(m.version), max(m.updated_at)) FROM seats s \
              JOIN match_states m ON m.match_id = s.match_id WHERE s.account_id = a.id AND s.closed_at IS NULL), \
             (SELECT concat_ws(' ', count(*), sum(extract(epoch FROM e.at)), max(e.at)) FROM \
              (SELECT at FROM challenge_events WHERE account_id = a.id ORDER BY at DESC LIMIT 50) e)), 0) \
         AS mark FROM unnest($1) AS a (id)",
    )
    .bind::<Array<SqlUuid>, _>(accounts)
    .load(&mut connection)
    .await?;
    Ok(rows.into_iter().map(|row| (row.id, row.mark)).collect())
}
