//! Rows of `pairing_criteria`: pairing criteria, i.e. the rules and number of players of requests. The row is the lock
//! under which instances pair requests.

use diesel::dsl::{exists, not};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use crate::error::StoreError;
use crate::schema::{pairing_criteria, pairing_groups, pairings};

/// Pairing criteria.
#[derive(Clone, Debug, Queryable, Selectable, Insertable)]
#[diesel(table_name = pairing_criteria)]
pub struct PairingCriteriaRow {
    /// Hash of size and rules.
    pub id: Vec<u8>,
    /// Number of players.
    pub size: i16,
    /// Preset, if the rules equal one exactly.
    pub preset: Option<String>,
    /// Complete rule set in the file form.
    pub rules: serde_json::Value,
    /// Time control and timeouts for absent players; none: no clock.
    pub pace: Option<serde_json::Value>,
    /// Whether the match is to be rated.
    pub rated: bool,
}

/// Inserts the criteria unless they exist, and locks the row until the end of the transaction.
///
/// # Errors
/// `Busy` if the lock is not acquired within three seconds.
pub async fn wish_lock_in_txn(
    mut connection: &AsyncPgConnection,
    wish: &PairingCriteriaRow,
) -> Result<(), StoreError> {
    if wish_lock_if_there(connection, &wish.id).await? {
        return Ok(());
    }
    diesel::insert_into(pairing_criteria::table)
        .values(wish)
        .on_conflict_do_nothing()
        .execute(&mut connection)
        .await?;
    wish_lock_if_there(connection, &wish.id).await?;
    Ok(())
}

/// Locks the criteria until the end of the transaction; returns whether they exist.
///
/// # Errors
/// `Busy` if the lock is not acquired within three seconds.
pub async fn wish_lock_if_there(mut connection: &AsyncPgConnection, id: &[u8]) -> Result<bool, StoreError> {
    let found: Option<i16> = pairing_criteria::table
        .filter(pairing_criteria::id.eq(id))
        .select(pairing_criteria::size)
        .for_no_key_update()
        .first(&mut connection)
        .await
        .optional()?;
    Ok(found.is_some())
}

/// Deletes locked criteria that no request refers to any more.
///
/// # Errors
/// Any database error.
pub async fn wish_forget_unused_in_txn(
    mut connection: &AsyncPgConnection,
    id: &[u8],
) -> Result<(), StoreError> {
    let asked = pairings::table.filter(pairings::wish_id.eq(pairing_criteria::id));
    let groups = pairing_groups::table.filter(pairing_groups::wish_id.eq(pairing_criteria::id));
    let unused = pairing_criteria::table
        .filter(pairing_criteria::id.eq(id))
        .filter(not(exists(asked)))
        .filter(not(exists(groups)));
    diesel::delete(unused).execute(&mut connection).await?;
    Ok(())
}
