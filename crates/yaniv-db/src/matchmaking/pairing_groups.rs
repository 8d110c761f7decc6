//! Rows of `pairing_groups`: future matches with their secrets. Read and changed only under the lock of their
//! criteria.

use chrono::{DateTime, TimeDelta, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use crate::error::StoreError;
use crate::schema::{pairing_groups, pairings};

/// A future match.
#[derive(Clone, Queryable, Selectable, Insertable)]
#[diesel(table_name = pairing_groups)]
pub struct GroupRow {
    /// Identifier that the match will have.
    pub match_id: Uuid,
    /// Pairing criteria of its requests.
    pub wish_id: Vec<u8>,
    /// `s[1000]` of the seed chain.
    pub secret: Vec<u8>,
    /// `s[0]` of the seed chain, in hexadecimal.
    pub commitment: String,
    /// When it was created.
    pub created_at: DateTime<Utc>,
}

/// The groups of some criteria, oldest first.
///
/// # Errors
/// Any database error.
pub async fn group_list_in_txn(
    mut connection: &AsyncPgConnection,
    wish: &[u8],
) -> Result<Vec<GroupRow>, StoreError> {
    Ok(pairing_groups::table
        .filter(pairing_groups::wish_id.eq(wish))
        .order(pairing_groups::match_id)
        .select(GroupRow::as_select())
        .load(&mut connection)
        .await?)
}

/// Stores a new group.
///
/// # Errors
/// Any database error.
pub async fn group_insert_in_txn(
    mut connection: &AsyncPgConnection,
    row: &GroupRow,
) -> Result<(), StoreError> {
    diesel::insert_into(pairing_groups::table).values(row).execute(&mut connection).await?;
    Ok(())
}

/// Deletes a group whose match has been created.
///
/// # Errors
/// Any database error.
pub async fn group_delete_in_txn(
    mut connection: &AsyncPgConnection,
    match_id: Uuid,
) -> Result<(), StoreError> {
    diesel::delete(pairing_groups::table.find(match_id)).execute(&mut connection).await?;
    Ok(())
}

/// Criteria with groups older than this that have no requests, now or recently.
///
/// # Errors
/// Any database error.
pub async fn group_list_empty(
    mut connection: &AsyncPgConnection,
    ago: TimeDelta,
    limit: i64,
) -> Result<Vec<Vec<u8>>, StoreError> {
    Ok(pairing_groups::table
        .filter(empty(ago))
        .select(pairing_groups::wish_id)
        .distinct()
        .limit(limit)
        .load(&mut connection)
        .await?)
}

/// Deletes such groups of some criteria.
///
/// # Errors
/// Any database error.
pub async fn group_forget_empty_in_txn(
    mut connection: &AsyncPgConnection,
    wish: &[u8],
    ago: TimeDelta,
) -> Result<(), StoreError> {
    let of_wish = pairing_groups::table.filter(pairing_groups::wish_id.eq(wish)).filter(empty(ago));
    diesel::delete(of_wish).execute(&mut connection).await?;
    Ok(())
}

#[diesel::dsl::auto_type(no_type_alias)]
fn empty(ago: TimeDelta) -> _ {
    let before: DateTime<Utc> = Utc::now() - ago;
    let inside = pairings::table.filter(pairings::match_id.eq(pairing_groups::match_id));
    pairing_groups::created_at.lt(before).and(diesel::dsl::not(diesel::dsl::exists(inside)))
}
