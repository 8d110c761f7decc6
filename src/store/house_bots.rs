//! Rows of `accounts` that are bots of the house: nobody owns them, and nobody gets into them.

use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::accounts::{AccountRow, KIND_BOT};
use super::error::StoreError;
use super::schema::accounts;

/// A bot of the house to be stored.
#[derive(Clone, Debug, Insertable)]
#[diesel(table_name = accounts)]
pub struct NewHouseBot {
    /// Its identifier.
    pub id: Uuid,
    /// Its name.
    pub username: String,
    /// How well it plays.
    pub level: &'static str,
    /// Empty: there is no password.
    pub password_hash: &'static str,
    /// `KIND_BOT`.
    pub kind: &'static str,
}

impl NewHouseBot {
    /// One of this name.
    pub fn new(id: Uuid, username: String, level: &'static str) -> Self {
        Self { id, username, level, password_hash: "", kind: KIND_BOT }
    }
}

/// Stores those of them that there are not yet.
///
/// # Errors
/// Only those of the database.
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

/// The bots of a level, by name.
///
/// # Errors
/// Only those of the database.
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
