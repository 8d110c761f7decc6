//! Rows of `match_looks`: when players who have channels last looked at a match.

use chrono::TimeDelta;
use diesel::prelude::*;
use diesel::sql_types::{Array, Double, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::error::StoreError;
use super::schema::match_looks;

/// A look at a match, so long ago.
#[derive(Clone, Copy, Debug)]
pub struct LookRow {
    /// Who looked.
    pub account_id: Uuid,
    /// At which match.
    pub match_id: Uuid,
    /// How many seconds ago.
    pub ago: f64,
}

/// Notes looks, of those who have channels; others need not be known.
///
/// # Errors
/// Only those of the database.
pub async fn look_note(mut connection: &AsyncPgConnection, looks: &[LookRow]) -> Result<(), StoreError> {
    let accounts: Vec<Uuid> = looks.iter().map(|look| look.account_id).collect();
    let matches: Vec<Uuid> = looks.iter().map(|look| look.match_id).collect();
    let ago: Vec<f64> = looks.iter().map(|look| look.ago).collect();
    diesel::sql_query(
        "INSERT INTO match_looks (account_id, match_id, at) \
         SELECT l.account_id, l.match_id, max(now() - make_interval(secs => l.ago)) \
         FROM unnest($1, $2, $3) AS l (account_id, match_id, ago) \
         WHERE EXISTS (SELECT 1 FROM channels c WHERE c.account_id = l.account_id) \
         AND EXISTS (SELECT 1 FROM matches m WHERE m.id = l.match_id) GROUP BY 1, 2 ORDER BY 1, 2 \
         ON CONFLICT (account_id, match_id) DO UPDATE SET at = greatest(match_looks.at, excluded.at)",
    )
    .bind::<Array<SqlUuid>, _>(accounts)
    .bind::<Array<SqlUuid>, _>(matches)
    .bind::<Array<Double>, _>(ago)
    .execute(&mut connection)
    .await?;
    Ok(())
}

/// Whether anybody has a channel.
///
/// # Errors
/// Only those of the database.
pub async fn look_is_asked_for(mut connection: &AsyncPgConnection) -> Result<bool, StoreError> {
    use super::schema::channels;
    let any = diesel::dsl::exists(channels::table.select(channels::id));
    Ok(diesel::select(any).get_result(&mut connection).await?)
}

/// Deletes looks that were so long ago.
///
/// # Errors
/// Only those of the database.
pub async fn look_forget(mut connection: &AsyncPgConnection, kept: TimeDelta) -> Result<(), StoreError> {
    diesel::sql_query("DELETE FROM match_looks WHERE at < now() - make_interval(secs => $1)")
        .bind::<Double, _>(kept.as_seconds_f64())
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Forgets the looks of an account.
///
/// # Errors
/// Only those of the database.
pub async fn look_delete_all_in_txn(
    mut connection: &AsyncPgConnection,
    account: Uuid,
) -> Result<(), StoreError> {
    diesel::delete(match_looks::table.filter(match_looks::account_id.eq(account)))
        .execute(&mut connection)
        .await?;
    Ok(())
}
