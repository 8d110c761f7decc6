//! Which matches wait for somebody, of `seats` and `match_states`: asked often, so written out, prepared once, and
//! found among the seats of matches that are not over.

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Integer, Json, Nullable, SmallInt, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::error::StoreError;
use super::match_versions::MatchVersion;
use crate::ids::AccountId;

/// A match that waits for an account.
pub struct WaitingRow {
    /// The match.
    pub id: Uuid,
    /// How it stands.
    pub stands_at: MatchVersion,
    /// The seat of the account.
    pub seat: i16,
    /// Its pace.
    pub pace: Option<serde_json::Value>,
    /// Its clocks.
    pub clocks: Option<String>,
}

/// The matches that wait for an account, those that have waited longest first, at most so many; and how many there are in all.
///
/// # Errors
/// Only those of the database.
pub async fn turn_list(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    limit: i64,
) -> Result<(Vec<WaitingRow>, i64), StoreError> {
    type Loaded = (Uuid, MatchVersion, i16, Option<serde_json::Value>, Option<String>, i64);
    let rows: Vec<Loaded> = Statement { account: account.0, limit }.get_results(&mut connection).await?;
    let count = rows.as_slice().first().map_or(0, |(.., count)| *count);
    let row =
        |(id, stands_at, seat, pace, clocks, _): Loaded| WaitingRow { id, stands_at, seat, pace, clocks };
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
        (SqlUuid, (Integer, SmallInt, Timestamptz), SmallInt, Nullable<Json>, Nullable<Text>, BigInt);
}

impl QueryFragment<Pg> for Statement {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(
            "SELECT m.match_id, m.version, m.gifts, m.updated_at, s.seat, g.pace, m.clocks, count(*) OVER () \
             FROM seats s JOIN match_states m ON m.match_id = s.match_id JOIN matches g ON g.id = m.match_id \
             WHERE s.closed_at IS NULL AND m.status = 'running' AND (m.waiting_on >> s.seat) & 1 = 1 \
             AND s.account_id = ",
        );
        out.push_bind_param::<SqlUuid, _>(&self.account)?;
        out.push_sql(" ORDER BY m.updated_at, m.match_id LIMIT ");
        out.push_bind_param::<BigInt, _>(&self.limit)?;
        Ok(())
    }
}
