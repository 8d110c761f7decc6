//! Rows of `join_codes`: join codes that replaced the first code of a match. The newest of a match is loaded
//! by `match_load`.

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::MatchId;

use crate::error::StoreError;
use crate::schema::{join_codes, matches};

/// A join code after the first.
#[derive(Clone, Debug, Queryable, Selectable, Insertable, serde::Deserialize)]
#[diesel(table_name = join_codes)]
pub struct JoinCodeRow {
    /// The match.
    pub match_id: Uuid,
    /// Version of the match after the change.
    pub version: i32,
    /// The code.
    pub code: String,
    /// When the code expires.
    pub expires_at: Option<DateTime<Utc>>,
}

/// Finds the match that has or once had a code. The match itself says whether the code is still valid.
///
/// # Errors
/// Any database error.
pub async fn match_id_find_by_code(
    mut connection: &AsyncPgConnection,
    code: &str,
) -> Result<Option<MatchId>, StoreError> {
    let first = matches::table.filter(matches::code.eq(code)).select(matches::id);
    let found: Option<Uuid> = first.first(&mut connection).await.optional()?;
    if let Some(id) = found {
        return Ok(Some(MatchId(id)));
    }
    let later = join_codes::table.filter(join_codes::code.eq(code)).select(join_codes::match_id);
    let found: Option<Uuid> = later.first(&mut connection).await.optional()?;
    Ok(found.map(MatchId))
}

/// Stores a new code, in a transaction that has locked the match.
///
/// # Errors
/// Any database error.
pub async fn join_code_insert_in_txn(
    mut connection: &AsyncPgConnection,
    row: &JoinCodeRow,
) -> Result<(), StoreError> {
    diesel::insert_into(join_codes::table).values(row).execute(&mut connection).await?;
    Ok(())
}

/// Join codes of these matches after the first, oldest first.
///
/// # Errors
/// Any database error.
pub async fn join_code_list(
    mut connection: &AsyncPgConnection,
    matches: &[Uuid],
) -> Result<Vec<JoinCodeRow>, StoreError> {
    Ok(join_codes::table
        .filter(join_codes::match_id.eq_any(matches))
        .order((join_codes::match_id, join_codes::version))
        .select(JoinCodeRow::as_select())
        .load(&mut connection)
        .await?)
}
