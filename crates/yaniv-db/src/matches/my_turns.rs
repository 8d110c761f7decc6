//! Matches waiting for an account, from `seats` and `match_states`. The query is frequent, hence written by
//! hand, prepared once, and limited to seats of matches that are not over.

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Integer, Json, Nullable, SmallInt, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::AccountId;
use yaniv_model::match_version::MatchVersion;

use crate::error::StoreError;
use crate::matches::dedications::HIDING;
use crate::matches::versions::{VersionColumns, version_of};

/// A match that waits for an account.
pub struct WaitingRow {
    /// The match.
    pub id: Uuid,
    /// Its version.
    pub stands_at: MatchVersion,
    /// The seat of the account.
    pub seat: i16,
    /// Its time control.
    pub pace: Option<serde_json::Value>,
    /// Its clocks.
    pub clocks: Option<String>,
}

/// The matches waiting for an account, longest wait first, at most `limit`; and their total number.
///
/// # Errors
/// Any database error.
pub async fn turn_list(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    limit: i64,
) -> Result<(Vec<WaitingRow>, i64), StoreError> {
    type Loaded = (Uuid, VersionColumns, i16, Option<serde_json::Value>, Option<String>, i64);
    let rows: Vec<Loaded> = Statement { account: account.0, limit }.get_results(&mut connection).await?;
    let count = rows.as_slice().first().map_or(0, |(.., count)| *count);
    let row = |(id, version, seat, pace, clocks, _): Loaded| WaitingRow {
        id,
        stands_at: version_of(version),
        seat,
        pace,
        clocks,
    };
    Ok((rows.into_iter().map(row).collect(), count))
}

struct Statement {
    account: Uuid,
    limit: i64,
}

impl QueryId for Statement {
    type QueryId = Self;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl Query for Statement {
    type SqlType =
        (SqlUuid, (Integer, SmallInt, Timestamptz, BigInt), SmallInt, Nullable<Json>, Nullable<Text>, BigInt);
}

impl QueryFragment<Pg> for Statement {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("SELECT s.match_id, s.version, s.gifts, s.updated_at, ");
        out.push_sql(HIDING);
        out.push_sql(
            ", o.seat, m.pace, s.clocks, count(*) OVER () \
             FROM seats o JOIN match_states s ON s.match_id = o.match_id JOIN matches m ON m.id = s.match_id \
             WHERE o.closed_at IS NULL AND s.status = 'running' AND (s.waiting_on >> o.seat) & 1 = 1 \
             AND o.account_id = ",
        );
        out.push_bind_param::<SqlUuid, _>(&self.account)?;
        out.push_sql(" ORDER BY s.updated_at, s.match_id LIMIT ");
        out.push_bind_param::<BigInt, _>(&self.limit)?;
        Ok(())
    }
}
