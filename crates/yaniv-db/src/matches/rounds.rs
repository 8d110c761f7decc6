//! Rows of `rounds`: finished rounds, written by `actions_append` and loaded by `match_load`. Also the queue
//! of uncounted rounds, drained by the statistics worker.
//!
//! Rounds of an archived match are in `archived_logs`.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel::sql_types::{Array, BigInt, SmallInt, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::MatchId;

use crate::error::StoreError;
use crate::kernel::prepared::Prepared;
use crate::schema::rounds;

/// A finished round.
#[derive(Clone, Debug, PartialEq, Eq, Queryable, serde::Deserialize)]
pub struct RoundRow {
    /// From 1.
    pub round: i16,
    /// Seat that played first.
    pub starter: i16,
    /// Action that ended it.
    pub last_version: i32,
    /// Result in the form of the record; none if the round ended unscored.
    pub result: Option<serde_json::Value>,
    /// When it ended.
    pub ended_at: DateTime<Utc>,
}

/// State of a match right after a round was dealt.
#[derive(Queryable)]
pub struct RoundStart {
    /// Version of the action that dealt it by ending the round before.
    pub version: i32,
    /// Time of that action.
    pub at: DateTime<Utc>,
    /// Position after it.
    pub state: Option<Vec<u8>>,
    /// Clocks after it.
    pub clocks: Option<String>,
}

/// State of a match at the end of a round, or of the last round before it whose state was stored. None of an archived
/// match: it is replayed from its start.
///
/// # Errors
/// Any database error.
pub async fn round_start_find(
    mut connection: &AsyncPgConnection,
    match_id: MatchId,
    round: i16,
) -> Result<Option<RoundStart>, StoreError> {
    Ok(rounds::table
        .filter(rounds::match_id.eq(match_id.0))
        .filter(rounds::round.le(round))
        .filter(rounds::next_state.is_not_null())
        .order(rounds::round.desc())
        .select((rounds::last_version, rounds::ended_at, rounds::next_state, rounds::next_clocks))
        .first(&mut connection)
        .await
        .optional()?)
}

/// The stored round starts of a match, oldest first.
///
/// # Errors
/// Any database error.
pub async fn round_start_list(
    mut connection: &AsyncPgConnection,
    match_id: MatchId,
) -> Result<Vec<RoundStart>, StoreError> {
    Ok(rounds::table
        .filter(rounds::match_id.eq(match_id.0))
        .filter(rounds::next_state.is_not_null())
        .order(rounds::round)
        .select((rounds::last_version, rounds::ended_at, rounds::next_state, rounds::next_clocks))
        .load(&mut connection)
        .await?)
}

/// A page of matches with uncounted rounds, most recently played first, except the given ones. Old backlog
/// can wait.
///
/// # Errors
/// Any database error.
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
    // Few matches have more than one of the newest rounds.
    let query = diesel::sql_query(
        "SELECT match_id FROM (SELECT match_id, ended_at FROM rounds WHERE counted_at IS NULL AND match_id <> ALL ($1) \
         ORDER BY ended_at DESC LIMIT $2 * 4) r GROUP BY match_id ORDER BY max(ended_at) DESC LIMIT $2",
    );
    let query = query.bind::<Array<SqlUuid>, _>(but).bind::<BigInt, _>(limit);
    let rows: Vec<Uncounted> = Prepared(query).load(&mut connection).await?;
    Ok(rows.into_iter().map(|row| row.match_id).collect())
}

/// Marks rounds of matches as counted, each match up to a given round.
///
/// # Errors
/// Any database error.
pub async fn round_note_counted_in_txn(
    mut connection: &AsyncPgConnection,
    counted: &[(Uuid, i16)],
) -> Result<(), StoreError> {
    let (matches, rounds): (Vec<Uuid>, Vec<i16>) = counted.iter().copied().unzip();
    // Not `counted_at IS NULL`: with outdated statistics the planner would read the index of all uncounted rounds for it,
    // instead of the primary key. Not prepared: a generic plan made while the table was empty would scan it all.
    let update = diesel::sql_query(
        "UPDATE rounds r SET counted_at = clock_timestamp() FROM unnest($1, $2) AS k (match_id, round) \
         WHERE r.match_id = k.match_id AND r.round <= k.round AND COALESCE(r.counted_at, 'infinity') = 'infinity'",
    );
    let update = update.bind::<Array<SqlUuid>, _>(matches).bind::<Array<SmallInt>, _>(rounds);
    update.execute(&mut connection).await?;
    Ok(())
}
