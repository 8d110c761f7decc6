//! Sizes of tables and numbers of matches, for `yaniv admin storage`.

use diesel::prelude::*;
use diesel::sql_types::{BigInt, Integer, Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use crate::error::StoreError;

/// Size of a table.
#[derive(Clone, Debug, QueryableByName)]
pub struct TableSize {
    /// Its name.
    #[diesel(sql_type = Text)]
    pub name: String,
    /// Bytes, with indexes and out-of-line values.
    #[diesel(sql_type = BigInt)]
    pub bytes: i64,
}

/// Numbers of matches.
#[derive(Clone, Copy, Debug, QueryableByName)]
pub struct MatchCounts {
    /// All matches.
    #[diesel(sql_type = BigInt)]
    pub all: i64,
    /// Archived matches.
    #[diesel(sql_type = BigInt)]
    pub archived: i64,
    /// Matches that ended within the last days.
    #[diesel(sql_type = BigInt)]
    pub ended: i64,
}

/// The sizes of all tables of the service.
///
/// # Errors
/// Any database error.
pub async fn table_size_list(mut connection: &AsyncPgConnection) -> Result<Vec<TableSize>, StoreError> {
    let query = "SELECT relname::text AS name, pg_total_relation_size(oid) AS bytes FROM pg_class \
                 WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace ORDER BY relname";
    Ok(diesel::sql_query(query).load(&mut connection).await?)
}

/// The numbers of matches; of those that ended, within this many days.
///
/// # Errors
/// Any database error.
pub async fn match_counts(mut connection: &AsyncPgConnection, days: i32) -> Result<MatchCounts, StoreError> {
    let query = "SELECT count(*) AS all, count(archived_at) AS archived, \
                 count(*) FILTER (WHERE finished_at > now() - make_interval(days => $1)) AS ended FROM matches";
    Ok(diesel::sql_query(query).bind::<Integer, _>(days).get_result(&mut connection).await?)
}
