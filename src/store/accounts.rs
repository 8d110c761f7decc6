//! Rows of `accounts`.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::error::StoreError;
use super::schema::accounts;
use crate::ids::AccountId;

/// An account as it is stored.
#[derive(Clone, Queryable, Selectable)]
#[diesel(table_name = accounts)]
pub struct AccountRow {
    /// Its identifier.
    pub id: Uuid,
    /// Name to log in with.
    pub username: String,
    /// PHC string of argon2id.
    pub password_hash: String,
    /// When it was registered.
    pub created_at: DateTime<Utc>,
    /// Since when it is, or was, suspended.
    pub suspended_at: Option<DateTime<Utc>>,
    /// When that ends by itself.
    pub suspended_until: Option<DateTime<Utc>>,
    /// What its owner is told.
    pub suspension_reason: Option<String>,
}

impl AccountRow {
    /// Whether it is suspended at this time.
    pub fn is_suspended(&self, now: DateTime<Utc>) -> bool {
        self.suspended_at.is_some() && self.suspended_until.is_none_or(|until| now < until)
    }
}

/// An account to be stored.
#[derive(Insertable)]
#[diesel(table_name = accounts)]
pub struct NewAccount<'a> {
    /// Its identifier.
    pub id: Uuid,
    /// Name to log in with.
    pub username: &'a str,
    /// PHC string of argon2id.
    pub password_hash: &'a str,
}

/// Stores a new account.
///
/// # Errors
/// `Taken("accounts_username_key")` if the name is in use.
pub async fn account_insert(
    mut connection: &AsyncPgConnection,
    new: &NewAccount<'_>,
) -> Result<AccountRow, StoreError> {
    Ok(diesel::insert_into(accounts::table)
        .values(new)
        .returning(AccountRow::as_returning())
        .get_result(&mut connection)
        .await?)
}

/// Finds an account by its name.
///
/// # Errors
/// Only those of the database.
pub async fn account_find_by_username(
    mut connection: &AsyncPgConnection,
    username: &str,
) -> Result<Option<AccountRow>, StoreError> {
    Ok(accounts::table
        .filter(accounts::username.eq(username))
        .select(AccountRow::as_select())
        .first(&mut connection)
        .await
        .optional()?)
}

/// Finds an account.
///
/// # Errors
/// Only those of the database.
pub async fn account_find(
    mut connection: &AsyncPgConnection,
    id: AccountId,
) -> Result<Option<AccountRow>, StoreError> {
    Ok(accounts::table.find(id.0).select(AccountRow::as_select()).first(&mut connection).await.optional()?)
}

/// Finds an account whose password is still this, and keeps it from being changed until the transaction ends.
///
/// # Errors
/// `Busy` if others hold it for too long.
pub async fn account_hold_in_txn(
    mut connection: &AsyncPgConnection,
    id: AccountId,
    password_hash: &str,
) -> Result<Option<AccountRow>, StoreError> {
    Ok(accounts::table
        .find(id.0)
        .filter(accounts::password_hash.eq(password_hash))
        .for_share()
        .select(AccountRow::as_select())
        .first(&mut connection)
        .await
        .optional()?)
}

/// Locks an account for changes to it and what it may be used by.
///
/// # Errors
/// `Busy` if others hold it for too long.
pub async fn account_lock(
    mut connection: &AsyncPgConnection,
    id: AccountId,
) -> Result<Option<AccountRow>, StoreError> {
    Ok(accounts::table
        .find(id.0)
        .for_no_key_update()
        .select(AccountRow::as_select())
        .first(&mut connection)
        .await
        .optional()?)
}

/// Gives a locked account another password.
///
/// # Errors
/// Only those of the database.
pub async fn account_password_update_in_txn(
    mut connection: &AsyncPgConnection,
    id: AccountId,
    password_hash: &str,
) -> Result<(), StoreError> {
    diesel::update(accounts::table.find(id.0))
        .set(accounts::password_hash.eq(password_hash))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Accounts that have these names, by name.
///
/// # Errors
/// Only those of the database.
pub async fn account_id_map(
    mut connection: &AsyncPgConnection,
    usernames: &[String],
) -> Result<HashMap<String, AccountId>, StoreError> {
    let rows: Vec<(String, Uuid)> = accounts::table
        .filter(accounts::username.eq_any(usernames))
        .select((accounts::username, accounts::id))
        .load(&mut connection)
        .await?;
    Ok(rows.into_iter().map(|(username, id)| (username, AccountId(id))).collect())
}

/// Names of these accounts, by identifier.
///
/// # Errors
/// Only those of the database.
pub async fn username_map(
    mut connection: &AsyncPgConnection,
    ids: &[Uuid],
) -> Result<HashMap<Uuid, String>, StoreError> {
    let rows: Vec<(Uuid, String)> = accounts::table
        .filter(accounts::id.eq_any(ids))
        .select((accounts::id, accounts::username))
        .load(&mut connection)
        .await?;
    Ok(rows.into_iter().collect())
}

/// Suspends a locked account, until a time or until it is restored; or, without a reason, restores it.
///
/// # Errors
/// Only those of the database.
pub async fn account_suspension_update_in_txn(
    mut connection: &AsyncPgConnection,
    id: AccountId,
    since: Option<DateTime<Utc>>,
    until: Option<DateTime<Utc>>,
    reason: Option<&str>,
) -> Result<(), StoreError> {
    diesel::update(accounts::table.find(id.0))
        .set((
            accounts::suspended_at.eq(since),
            accounts::suspended_until.eq(until),
            accounts::suspension_reason.eq(reason),
        ))
        .execute(&mut connection)
        .await?;
    Ok(())
}

/// Accounts by name, after this one, whose names have this in them.
///
/// # Errors
/// Only those of the database.
pub async fn account_list(
    mut connection: &AsyncPgConnection,
    search: &str,
    after: &str,
    limit: i64,
) -> Result<Vec<AccountRow>, StoreError> {
    // The underscore, which names may have, means anything to LIKE.
    let pattern = format!("%{}%", search.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_"));
    Ok(accounts::table
        .filter(accounts::username.gt(after))
        .filter(accounts::username.like(pattern))
        .order(accounts::username)
        .limit(limit)
        .select(AccountRow::as_select())
        .load(&mut connection)
        .await?)
}
