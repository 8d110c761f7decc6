//! Matches of an account for the home screen, in four parts, from `seats`, `matches` and `match_states`. One statement,
//! hence one snapshot: a match that moves on meanwhile is in one part.

use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{BigInt, Integer, Json, Nullable, SmallInt, Text, Timestamptz, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::AccountId;

use crate::error::StoreError;
use crate::matches::dedications::HIDING;
use crate::matches::full_tables::HOST_OF_FULL;
use crate::matches::my_turns::WaitingRow;
use crate::matches::versions::{VersionColumns, version_of};

/// A match of the home screen.
pub struct HomeRow {
    /// 0 waits for the account, also for its start of a full table; 1 waits for others, 2 has not started, 3 is over.
    pub part: i16,
    /// Number of the matches in this part, listed or not; those that are over are not all counted.
    pub count: i64,
    /// The match.
    pub row: WaitingRow,
}

/// How many matches of the parts are listed.
#[derive(Clone, Copy, Debug)]
pub struct HomeLimits {
    /// Part 0: longest wait first.
    pub turns: i64,
    /// The others: longest without a change first in part 1, newest change first in the other two.
    pub rest: i64,
    /// Matches that ended before are left out.
    pub ended_after: DateTime<Utc>,
}

/// The matches of an account, part by part.
///
/// # Errors
/// Any database error.
pub async fn home_match_list(
    mut connection: &AsyncPgConnection,
    account: AccountId,
    limits: HomeLimits,
) -> Result<Vec<HomeRow>, StoreError> {
    type Loaded = (Uuid, VersionColumns, i16, Option<serde_json::Value>, Option<String>, (i16, i64));
    let rows: Vec<Loaded> = Statement { account: account.0, limits }.get_results(&mut connection).await?;
    let row = |(id, version, seat, pace, clocks, (part, count)): Loaded| {
        let row = WaitingRow { id, stands_at: version_of(version), seat, pace, clocks };
        HomeRow { part, count, row }
    };
    Ok(rows.into_iter().map(row).collect())
}

struct Statement {
    account: Uuid,
    limits: HomeLimits,
}

impl QueryId for Statement {
    type QueryId = Self;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl Query for Statement {
    type SqlType = (
        SqlUuid,
        (Integer, SmallInt, Timestamptz, BigInt),
        SmallInt,
        Nullable<Json>,
        Nullable<Text>,
        (SmallInt, BigInt),
    );
}

impl QueryFragment<Pg> for Statement {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("SELECT s.match_id, s.version, s.gifts, s.updated_at, ");
        out.push_sql(HIDING);
        // Seats of matches that are over are closed a moment later, so the open ones have some of them, too.
        out.push_sql(
            ", r.seat, m.pace, s.clocks, r.part, r.count FROM ( \
             SELECT p.*, count(*) OVER (PARTITION BY p.part) AS count, \
             row_number() OVER (PARTITION BY p.part ORDER BY p.rank, p.match_id) AS place FROM ( \
             SELECT c.match_id, c.seat, c.part, extract(epoch FROM c.at) * CASE WHEN c.part < 2 THEN 1 ELSE -1 END AS rank \
             FROM (SELECT o.match_id, o.seat, t.updated_at AS at, (CASE t.status WHEN 'running' THEN \
             CASE WHEN (t.waiting_on >> o.seat) & 1 = 1 THEN 0 ELSE 1 END WHEN 'waiting' THEN CASE WHEN ",
        );
        out.push_sql(HOST_OF_FULL);
        out.push_sql(
            " THEN 0 ELSE 2 END ELSE 3 END)::smallint AS part FROM seats o JOIN match_states t ON t.match_id = o.match_id \
             WHERE o.closed_at IS NULL AND o.account_id = ",
        );
        out.push_bind_param::<SqlUuid, _>(&self.account)?;
        out.push_sql(
            " UNION ALL (SELECT o.match_id, o.seat, o.closed_at, 3::smallint FROM seats o \
             WHERE o.closed_at IS NOT NULL AND o.account_id = ",
        );
        out.push_bind_param::<SqlUuid, _>(&self.account)?;
        out.push_sql(" AND o.closed_at > ");
        out.push_bind_param::<Timestamptz, _>(&self.limits.ended_after)?;
        out.push_sql(" ORDER BY o.closed_at DESC LIMIT ");
        out.push_bind_param::<BigInt, _>(&self.limits.rest)?;
        out.push_sql(
            ")) c) p) r JOIN match_states s ON s.match_id = r.match_id JOIN matches m ON m.id = r.match_id \
             WHERE r.place <= CASE r.part WHEN 0 THEN ",
        );
        out.push_bind_param::<BigInt, _>(&self.limits.turns)?;
        out.push_sql(" ELSE ");
        out.push_bind_param::<BigInt, _>(&self.limits.rest)?;
        out.push_sql(" END ORDER BY r.part, r.place");
        Ok(())
    }
}
