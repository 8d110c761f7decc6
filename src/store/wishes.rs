//! Rows of `wishes`: rules and numbers of players that somebody has asked to be paired for. The row is the lock under
//! which all instances decide who is seated with whom.

use diesel::dsl::{exists, not};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};

use super::error::StoreError;
use super::schema::{pairing_groups, pairings, wishes};

/// A wish.
#[derive(Clone, Debug, Queryable, Selectable, Insertable)]
#[diesel(table_name = wishes)]
pub struct WishRow {
    /// Made of size and rules.
    pub id: Vec<u8>,
    /// Players.
    pub size: i16,
    /// Preset, if the rules are exactly one.
    pub preset: Option<String>,
    /// Complete rule set in the file form.
    pub rules: serde_json::Value,
    /// Clock, and what is done for absent players; none: no clock.
    pub pace: Option<serde_json::Value>,
    /// Whether the match is to be rated.
    pub rated: bool,
}

/// Stores a wish unless it is there, and locks it until the end of the transaction.
///
/// # Errors
/// `Busy` after three seconds.
pub async fn wish_lock_in_txn(mut connection: &AsyncPgConnection, wish: &WishRow) -> Result<(), StoreError> {
    if wish_lock_if_there(connection, &wish.id).await? {
        return Ok(());
    }
    diesel::insert_into(wishes::table).values(wish).on_conflict_do_nothing().execute(&mut connection).await?;
    wish_lock_if_there(connection, &wish.id).await?;
    Ok(())
}

/// Locks a wish until the end of the transaction; says whether it is there.
///
/// # Errors
/// `Busy` after three seconds.
pub async fn wish_lock_if_there(mut connection: &AsyncPgConnection, id: &[u8]) -> Result<bool, StoreError> {
    let found: Option<i16> = wishes::table
        .filter(wishes::id.eq(id))
        .select(wishes::size)
        .for_no_key_update()
        .first(&mut connection)
        .await
        .optional()?;
    Ok(found.is_some())
}

/// Deletes a locked wish that nobody has any more.
///
/// # Errors
/// Only those of the database.
pub async fn wish_forget_unused_in_txn(
    mut connection: &AsyncPgConnection,
    id: &[u8],
) -> Result<(), StoreError> {
    let asked = pairings::table.filter(pairings::wish_id.eq(wishes::id));
    let groups = pairing_groups::table.filter(pairing_groups::wish_id.eq(wishes::id));
    let unused =
        wishes::table.filter(wishes::id.eq(id)).filter(not(exists(asked))).filter(not(exists(groups)));
    diesel::delete(unused).execute(&mut connection).await?;
    Ok(())
}
