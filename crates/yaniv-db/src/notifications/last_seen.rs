//! Rows of `match_last_seen`: when players last viewed a match, and its version then.

use chrono::TimeDelta;
use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, Bool, Double, Integer, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use crate::error::StoreError;

/// A view of a match.
#[derive(Clone, Copy, Debug)]
pub struct LookRow {
    /// The viewer.
    pub account_id: Uuid,
    /// The match.
    pub match_id: Uuid,
    /// Version of the match that was viewed.
    pub version: i32,
    /// Seconds since the view.
    pub ago: f64,
    /// Whether the match was read. If not, the player has only played: the log has the player's own entries, so the
    /// view is recorded for players with channels only.
    pub read: bool,
}

/// Records views of existing accounts.
///
/// # Errors
/// Any database error.
pub async fn look_note(mut connection: &AsyncPgConnection, looks: &[LookRow]) -> Result<(), StoreError> {
    let accounts: Vec<Uuid> = looks.iter().map(|look| look.account_id).collect();
    let matches: Vec<Uuid> = looks.iter().map(|look| look.match_id).collect();
    let versions: Vec<i32> = looks.iter().map(|look| look.version).collect();
    let ago: Vec<f64> = looks.iter().map(|look| look.ago).collect();
    let read: Vec<bool> = looks.iter().map(|look| look.read).collect();
    let insert = diesel::sql_query(
        "INSERT INTO match_last_seen (account_id, match_id, version, at) \
         SELECT l.account_id, l.match_id, max(l.version), max(now() - make_interval(secs => l.ago)) \
         FROM unnest($1, $2, $3, $4, $5) AS l (account_id, match_id, version, ago, read) \
         WHERE (l.read OR EXISTS (SELECT 1 FROM channels c WHERE c.account_id = l.account_id)) \
         AND EXISTS (SELECT 1 FROM accounts a WHERE a.id = l.account_id AND a.deletion_asked_at IS NULL) \
         AND EXISTS (SELECT 1 FROM matches m WHERE m.id = l.match_id) GROUP BY 1, 2 ORDER BY 1, 2 \
         ON CONFLICT (account_id, match_id) DO UPDATE SET at = greatest(match_last_seen.at, excluded.at), \
         version = greatest(match_last_seen.version, excluded.version)",
    );
    // Not prepared: a generic plan made while the tables were empty would scan them all.
    let insert = insert
        .bind::<Array<SqlUuid>, _>(accounts)
        .bind::<Array<SqlUuid>, _>(matches)
        .bind::<Array<Integer>, _>(versions)
        .bind::<Array<Double>, _>(ago)
        .bind::<Array<Bool>, _>(read);
    insert.execute(&mut connection).await?;
    Ok(())
}

/// Whether any account has a channel.
///
/// # Errors
/// Any database error.
pub async fn look_is_asked_for(mut connection: &AsyncPgConnection) -> Result<bool, StoreError> {
    use crate::schema::channels;
    let any = diesel::dsl::exists(channels::table.select(channels::id));
    Ok(diesel::select(any).get_result(&mut connection).await?)
}

/// Deletes a batch of views older than this; returns their number.
///
/// # Errors
/// Any database error.
pub async fn look_forget(
    mut connection: &AsyncPgConnection,
    kept: TimeDelta,
    limit: i64,
) -> Result<i64, StoreError> {
    let deleted = diesel::sql_query(
        "DELETE FROM match_last_seen WHERE ctid IN (SELECT ctid FROM match_last_seen \
         WHERE at < now() - make_interval(secs => $1) LIMIT $2)",
    )
    .bind::<Double, _>(kept.as_seconds_f64())
    .bind::<BigInt, _>(limit)
    .execute(&mut connection)
    .await?;
    Ok(i64::try_from(deleted).unwrap_or(limit))
}
