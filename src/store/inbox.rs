//! What an inbox is read from, across the matches of an account. Of `seats`, `match_states` and `actions`.
//!
//! Up to when everything is there, which matches have gone on since a time, and entries of their logs.

use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{Array, BigInt, Integer, Timestamptz, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::actions::ActionRow;
use super::error::StoreError;
use super::schema::actions;
use crate::ids::AccountId;

#[derive(QueryableByName)]
struct Horizon {
    #[diesel(sql_type = Timestamptz)]
    at: DateTime<Utc>,
}

/// A time such that whatever carries an earlier one is there already, or never will be.
///
/// It is now, or when the oldest transaction of a service began that is not over: an entry is stamped after the begin of
/// its transaction, so of those that nobody sees yet each is stamped later. To be asked for before what is read up to
/// it, in a statement of its own: in the same one, what commits between its snapshot and its look at the sessions would
/// be in neither.
///
/// # Errors
/// Only those of the database.
pub async fn inbox_horizon(mut connection: &AsyncPgConnection) -> Result<DateTime<Utc>, StoreError> {
    let row: Horizon = diesel::sql_query(
        "SELECT least(clock_timestamp(), (SELECT min(xact_start) FROM pg_stat_activity \
         WHERE application_name = 'yaniv' AND datname = current_database())) AS at",
    )
    .get_result(&mut connection)
    .await?;
    Ok(row.at)
}

/// A match that has gone on.
#[derive(Clone, Copy, Debug, Queryable)]
pub struct ChangedMatch {
    /// The match.
    pub id: Uuid,
    /// Number of its newest entry.
    pub version: i32,
    /// When that was accepted.
    pub updated_at: DateTime<Utc>,
}

/// Matches of an account whose newest entry is not from before a time.
///
/// # Errors
/// Only those of the database.
pub async fn inbox_match_list(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    from: DateTime<Utc>,
) -> Result<Vec<ChangedMatch>, StoreError> {
    Ok(Changed { account: account.0, from }.get_results(&mut connection).await?)
}

/// Entries of these matches, each after a version of its own, that are not from before a time: oldest first, at most so many.
///
/// # Errors
/// Only those of the database.
pub async fn inbox_entry_list(
    mut connection: &AsyncPgConnection,
    after: &[(Uuid, i32)],
    from: DateTime<Utc>,
    limit: i64,
) -> Result<Vec<ActionRow>, StoreError> {
    let (matches, known) = after.iter().copied().unzip();
    Ok(Entries { matches, known, from, limit }.get_results(&mut connection).await?)
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
