//! House bots in `accounts`: bots without an owner or any means to log in.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use crate::accounts::account_rows::{AccountRow, KIND_BOT};
use crate::error::StoreError;
use crate::schema::accounts;

/// A new house bot.
#[derive(Clone, Debug, Insertable)]
#[diesel(table_name = accounts)]
pub struct NewHouseBot {
    /// Identifier.
    pub id: Uuid,
    /// Its name.
    pub username: String,
    /// How well it plays.
    pub level: &'static str,
    /// Empty: no password.
    pub password_hash: &'static str,
    /// `KIND_BOT`.
    pub kind: &'static str,
}

impl NewHouseBot {
    /// Builds a house bot.
    pub fn new(id: Uuid, username: String, level: &'static str) -> Self {
        Self { id, username, level, password_hash: "", kind: KIND_BOT }
    }
}

/// Inserts the house bots that are missing.
///
/// # Errors
/// Any database error.
pub async fn house_bot_insert_missing(
    mut connection: &AsyncPgConnection,
    bots: &[NewHouseBot],
) -> Result<(), StoreError> {
    diesel::insert_into(accounts::table)
        .values(bots)
        .on_conflict_do_nothing()
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// The house bots of a level, by name.
///
/// # Errors
/// Any database error.
pub async fn house_bot_list(
    mut connection: &AsyncPgConnection,
    level: &str,
) -> Result<Vec<AccountRow>, StoreError> {
    Ok(accounts::table
        .filter(accounts::level.eq(level))
        .filter(accounts::deletion_asked_at.is_null())
        .order(accounts::username)
        .select(AccountRow::as_select())
        .load(&mut connection)
        .await?)
}
