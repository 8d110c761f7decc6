//! Reads for the account feed. From `seats`, `match_states` and
//! `actions`.
//!
//! The time up to which all entries are visible, the matches changed since a time, and their log entries.

use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{Array, BigInt, Integer, Timestamptz, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::AccountId;

use crate::error::StoreError;
use crate::matches::archived_logs::{absent, archived_log_list};
use crate::matches::log::ActionRow;
use crate::schema::actions;

/// Archived logs that are unpacked at a time, so that memory stays bounded for a cursor of long ago.
const ARCHIVED_AT_A_TIME: usize = 20;

#[derive(QueryableByName)]
struct Horizon {
    #[diesel(sql_type = Timestamptz)]
    at: DateTime<Utc>,
}

/// A horizon: no entry with an earlier time can become visible any more.
///
/// It is now, or the start of the oldest open transaction of the service: an entry is stamped after its
/// transaction begins, so entries not yet visible are stamped later. Read it before the entries, in a
/// separate statement: within one statement, a commit between its snapshot and its read of the sessions would
/// be in neither.
///
/// # Errors
/// Any database error.
pub async fn feed_horizon(mut connection: &AsyncPgConnection) -> Result<DateTime<Utc>, StoreError> {
    let row: Horizon = diesel::sql_query(
        "SELECT least(clock_timestamp(), (SELECT min(xact_start) FROM pg_stat_activity \
         WHERE application_name = 'yaniv' AND datname = current_database())) AS at",
    )
    .get_result(&mut connection)
    .await?;
    Ok(row.at)
}

/// A match changed since a time.
#[derive(Clone, Copy, Debug, Queryable)]
pub struct ChangedMatch {
    /// The match.
    pub id: Uuid,
    /// Version of its newest entry.
    pub version: i32,
    /// When that entry was accepted.
    pub updated_at: DateTime<Utc>,
}

/// Matches of an account whose newest entry is at or after a time.
///
/// # Errors
/// Any database error.
pub async fn feed_match_list(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    from: DateTime<Utc>,
) -> Result<Vec<ChangedMatch>, StoreError> {
    Ok(Changed { account: account.0, from }.get_results(&mut connection).await?)
}

/// Entries of these matches at or after a time, each match after its own version: oldest first, at most
/// `limit`.
///
/// # Errors
/// Any database error.
pub async fn feed_entry_list(
    mut connection: &AsyncPgConnection,
    after: &[(Uuid, i32)],
    from: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<ActionRow>, StoreError> {
    let (matches, known) = after.iter().copied().unzip();
    let mut entries: Vec<ActionRow> =
        Entries { matches, known, from, limit }.get_results(&mut connection).await?;
    // Each match has such an entry: one without is archived, or its entries do not fit.
    let absent = absent(&entries, after);
    let ids: Vec<Uuid> = absent.keys().copied().collect();
    for some in ids.chunks(ARCHIVED_AT_A_TIME) {
        for (id, log) in archived_log_list(connection, some).await? {
            let Ok(log) = log.inspect_err(|error| tracing::error!(%error, "a match is left out of a feed"))
            else {
                continue;
            };
            let known = absent.get(&id).copied().unwrap_or_default();
            entries.extend(log.entries.into_iter().filter(|entry| entry.version > known && entry.at >= from));
        }
        entries.sort_by_key(|entry| (entry.at, entry.match_id, entry.version));
        entries.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    }
    Ok(entries)
}

struct Changed {
    account: Uuid,
    from: DateTime<Utc>,
}

impl QueryId for Changed {
    type QueryId = Self;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl Query for Changed {
    type SqlType = (SqlUuid, Integer, Timestamptz);
}

impl QueryFragment<Pg> for Changed {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        let from = "SELECT s.match_id, m.version, m.updated_at \
                    FROM seats s JOIN match_states m ON m.match_id = s.match_id WHERE s.account_id = ";
        out.push_sql(from);
        out.push_bind_param::<SqlUuid, _>(&self.account)?;
        out.push_sql(" AND s.closed_at IS NULL AND m.updated_at >= ");
        out.push_bind_param::<Timestamptz, _>(&self.from)?;
        out.push_sql(" UNION ALL ");
        out.push_sql(from);
        out.push_bind_param::<SqlUuid, _>(&self.account)?;
        out.push_sql(" AND s.closed_at >= ");
        out.push_bind_param::<Timestamptz, _>(&self.from)?;
        out.push_sql(" AND m.updated_at >= ");
        out.push_bind_param::<Timestamptz, _>(&self.from)?;
        Ok(())
    }
}

struct Entries {
    matches: Vec<Uuid>,
    known: Vec<i32>,
    from: DateTime<Utc>,
    limit: i64,
}

impl QueryId for Entries {
    type QueryId = Self;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl Query for Entries {
    type SqlType = actions::SqlType;
}

impl QueryFragment<Pg> for Entries {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        // In the order of the table in `schema`.
        out.push_sql(
            "SELECT a.match_id, a.at, a.key_hash, a.fingerprint, a.version, a.round, a.flags, a.seat, a.kind, \
             a.account_id, a.detail, a.drew FROM unnest(",
        );
        out.push_bind_param::<Array<SqlUuid>, _>(&self.matches)?;
        out.push_sql(", ");
        out.push_bind_param::<Array<Integer>, _>(&self.known)?;
        out.push_sql(
            ") AS k (match_id, known) CROSS JOIN LATERAL (SELECT * FROM actions l WHERE l.match_id = k.match_id \
             AND l.version > k.known AND l.at >= ",
        );
        out.push_bind_param::<Timestamptz, _>(&self.from)?;
        out.push_sql(" ORDER BY l.version LIMIT ");
        out.push_bind_param::<BigInt, _>(&self.limit)?;
        out.push_sql(") a ORDER BY a.at, a.match_id, a.version LIMIT ");
        out.push_bind_param::<BigInt, _>(&self.limit)?;
        Ok(())
    }
}
