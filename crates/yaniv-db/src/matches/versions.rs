//! Versions of matches, which the match cache compares its entries with: read in a batch, or with the lock of a match.

use chrono::{DateTime, Utc};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_types::{Array, BigInt, Integer, SmallInt, Timestamptz, Uuid as SqlUuid};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::MatchId;
use yaniv_model::match_version::MatchVersion;

use crate::error::StoreError;
use crate::matches::dedications::HIDING;

/// The columns of a version: version, dedications, `updated_at`, hiding.
pub(crate) type VersionColumns = (i32, i16, DateTime<Utc>, i64);

/// Builds the version from its columns.
pub(crate) fn version_of((version, dedications, updated_at, hiding): VersionColumns) -> MatchVersion {
    MatchVersion { version, dedications, updated_at, hiding }
}

/// The versions of these matches, in the order requested; none where the match does not exist.
///
/// # Errors
/// Any database error.
pub async fn match_version_list(
    mut connection: &AsyncPgConnection,
    ids: &[Uuid],
) -> Result<Vec<Option<MatchVersion>>, StoreError> {
    type Loaded = (Uuid, VersionColumns);
    let found: Vec<Loaded> = Statement { ids: ids.to_vec() }.get_results(&mut connection).await?;
    let version =
        |id: &Uuid| found.iter().find(|(found, _)| found == id).map(|(_, version)| version_of(*version));
    Ok(ids.iter().map(version).collect())
}

/// Locks a match until the end of the transaction, and reads its version; none if it does not exist.
///
/// Without what hides dedications (0), as matches that wait for players have none. A copy with dedications has another
/// value there, so its match is loaded again.
///
/// # Errors
/// `Busy` if the lock is not acquired within three seconds.
pub async fn match_version_lock(
    mut connection: &AsyncPgConnection,
    id: MatchId,
) -> Result<Option<MatchVersion>, StoreError> {
    let locked: Option<VersionColumns> = Lock { id: id.0 }.get_result(&mut connection).await.optional()?;
    Ok(locked.map(version_of))
}

struct Statement {
    ids: Vec<Uuid>,
}

impl QueryId for Statement {
    type QueryId = Self;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl Query for Statement {
    type SqlType = (SqlUuid, (Integer, SmallInt, Timestamptz, BigInt));
}

impl QueryFragment<Pg> for Statement {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("SELECT s.match_id, s.version, s.gifts, s.updated_at, ");
        out.push_sql(HIDING);
        out.push_sql(" FROM match_states s WHERE s.match_id = ANY(");
        out.push_bind_param::<Array<SqlUuid>, _>(&self.ids)?;
        out.push_sql(")");
        Ok(())
    }
}

struct Lock {
    id: Uuid,
}

impl QueryId for Lock {
    type QueryId = Self;
    const HAS_STATIC_QUERY_ID: bool = true;
}

impl Query for Lock {
    type SqlType = (Integer, SmallInt, Timestamptz, BigInt);
}

impl QueryFragment<Pg> for Lock {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql(
            "SELECT s.version, s.gifts, s.updated_at, 0::bigint FROM match_states s WHERE s.match_id = ",
        );
        out.push_bind_param::<SqlUuid, _>(&self.id)?;
        out.push_sql(" FOR UPDATE");
        Ok(())
    }
}
