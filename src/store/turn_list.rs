//! Which matches wait for somebody, of `seats` and `match_states`: asked often, so written out, prepared once, and
//! found among the seats of matches that are not over.

use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Integer, SmallInt, Timestamptz, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::error::StoreError;
use super::match_versions::MatchVersion;
use crate::ids::AccountId;

/// The matches that wait for an account, and how they stand: those that have waited longest first, at most so many; and how
/// many there are in all.
///
/// # Errors
/// Only those of the database.
pub async fn turn_list(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    limit: i64,
) -> Result<(Vec<(Uuid, MatchVersion)>, i64), StoreError> {
    let rows: Vec<(Uuid, MatchVersion, i64)> =
        Statement { account: account.0, limit }.get_results(&mut connection).await?;
    let count = rows.as_slice().first().map_or(0, |(_, _, count)| *count);
    Ok((rows.into_iter().map(|(id, version, _)| (id, version)).collect(), count))
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
    type SqlType = (SqlUuid, (Integer, SmallInt, Timestamptz), BigInt);
}

impl QueryFragment<Pg> for Statement {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(
            "SELECT m.match_id, m.version, m.gifts, m.updated_at, count(*) OVER () \
             FROM seats s JOIN match_states m ON m.match_id = s.match_id \
             WHERE s.closed_at IS NULL AND m.status = 'running' AND (m.waiting_on >> s.seat) & 1 = 1 \
             AND s.account_id = ",
        );
        out.push_bind_param::<SqlUuid, _>(&self.account)?;
        out.push_sql(" ORDER BY m.updated_at, m.match_id LIMIT ");
        out.push_bind_param::<BigInt, _>(&self.limit)?;
        Ok(())
    }
}
