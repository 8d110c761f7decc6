//! Rows of `accounts`: finding them and keeping them. What their owners change is in `account_changes`, how they are told
//! apart by their looks in `account_names`, how they end in `account_deletions`.
//!
//! An account whose deletion has begun is not found here any more.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;

use super::error::StoreError;
use super::schema::accounts;
use crate::ids::AccountId;

/// `kind` of somebody with a password.
pub const KIND_PERSON: &str = "person";
/// `kind` of somebody without one, who may claim the account.
pub const KIND_GUEST: &str = "guest";
/// `kind` of a program with an owner.
pub const KIND_BOT: &str = "bot";

/// An account as it is stored.
#[derive(Clone, Queryable, Selectable)]
#[diesel(table_name = accounts)]
pub struct AccountRow {
    /// Its identifier.
    pub id: Uuid,
    /// Name to log in with.
    pub username: String,
    /// PHC string of argon2id; empty where there is no password.
    pub password_hash: String,
    /// When it was registered.
    pub created_at: DateTime<Utc>,
    /// Name as others are shown it.
    pub display_name: Option<String>,
    /// A tag after BCP 47.
    pub language: Option<String>,
    /// A name of the IANA database.
    pub time_zone: Option<String>,
    /// `KIND_…`.
    pub kind: String,
    /// Since when it is, or was, suspended.
    pub suspended_at: Option<DateTime<Utc>>,
    /// When that ends by itself.
    pub suspended_until: Option<DateTime<Utc>>,
    /// What its owner is told.
    pub suspension_reason: Option<String>,
    /// How well it plays, if it is a bot of the house.
    pub level: Option<String>,
}

impl AccountRow {
    /// Whether it is suspended at this time.
    pub fn is_suspended(&self, now: DateTime<Utc>) -> bool {
        self.suspended_at.is_some() && self.suspended_until.is_none_or(|until| now < until)
    }
}

/// An account to be stored.
#[derive(Clone, Insertable)]
#[diesel(table_name = accounts)]
pub struct NewAccount {
    /// Its identifier.
    pub id: Uuid,
    /// Name to log in with.
    pub username: String,
    /// PHC string of argon2id; empty where there is no password.
    pub password_hash: String,
    /// `KIND_…`.
    pub kind: &'static str,
    /// Who made the bot.
    pub owner_id: Option<Uuid>,
    /// Name as others are shown it.
    pub display_name: Option<String>,
    /// What that looks like.
    pub display_skeleton: Option<String>,
}

/// What an account is called wherever it takes part.
#[derive(Clone, Debug, PartialEq, Eq, Queryable)]
pub struct AccountName {
    /// The username.
    pub username: String,
    /// Whether it is a bot, which it stays.
    pub bot: bool,
    /// How well it plays, if it is a bot of the house.
    pub level: Option<String>,
}

impl AccountRow {
    /// Whether it is a bot.
    pub fn is_bot(&self) -> bool {
        self.kind == KIND_BOT
    }

    /// Whether it is a guest.
    pub fn is_guest(&self) -> bool {
        self.kind == KIND_GUEST
    }

    /// PHC string of argon2id, if there is a password.
    pub fn password(&self) -> Option<String> {
        (!self.password_hash.is_empty()).then(|| self.password_hash.clone())
    }
}

/// Stores a new account.
///
/// # Errors
/// `Taken` with the constraint of the name that is in use.
pub async fn account_insert(
    mut connection: &AsyncPgConnection,
    new: &NewAccount,
) -> Result<AccountRow, StoreError> {
    Ok(diesel::insert_into(accounts::table)
        .values(new.clone())
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
        .filter(accounts::deletion_asked_at.is_null())
        .select(AccountRow::as_select())
        .first(&mut connection)
        .await
        .optional()?)
}

/// Accounts of these names, by name.
///
/// # Errors
/// Only those of the database.
pub async fn account_list_by_username(
    mut connection: &AsyncPgConnection,
    usernames: &[String],
) -> Result<Vec<AccountRow>, StoreError> {
    Ok(accounts::table
        .filter(accounts::username.eq_any(usernames))
        .filter(accounts::deletion_asked_at.is_null())
        .order(accounts::username)
        .select(AccountRow::as_select())
        .load(&mut connection)
        .await?)
}

/// Finds an account.
///
/// # Errors
/// Only those of the database.
pub async fn account_find(
    mut connection: &AsyncPgConnection,
    id: AccountId,
) -> Result<Option<AccountRow>, StoreError> {
    Ok(accounts::table
        .find(id.0)
        .filter(accounts::deletion_asked_at.is_null())
        .select(AccountRow::as_select())
        .first(&mut connection)
        .await
        .optional()?)
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
        .filter(accounts::deletion_asked_at.is_null())
        .for_share()
        .select(AccountRow::as_select())
        .first(&mut connection)
        .await
        .optional()?)
}

/// Those of these accounts that are not about to be deleted; none of them will be before the transaction ends.
///
/// Whatever binds an account to something does this first, and so comes before its deletion, or not at all.
///
/// # Errors
/// `Busy` if others hold one for too long.
pub async fn account_keep_in_txn(
    mut connection: &AsyncPgConnection,
    ids: &[Uuid],
) -> Result<Vec<AccountRow>, StoreError> {
    Ok(accounts::table
        .filter(accounts::id.eq_any(ids))
        .filter(accounts::deletion_asked_at.is_null())
        .order(accounts::id)
        .for_key_share()
        .select(AccountRow::as_select())
        .load(&mut connection)
        .await?)
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
        .filter(accounts::deletion_asked_at.is_null())
        .for_no_key_update()
        .select(AccountRow::as_select())
        .first(&mut connection)
        .await
        .optional()?)
}

/// What these accounts are called, by identifier.
///
/// # Errors
/// Only those of the database.
pub async fn username_map(
    mut connection: &AsyncPgConnection,
    ids: &[Uuid],
) -> Result<HashMap<Uuid, AccountName>, StoreError> {
    let rows: Vec<(Uuid, AccountName)> = accounts::table
        .filter(accounts::id.eq_any(ids))
        .select((accounts::id, (accounts::username, accounts::kind.eq(KIND_BOT), accounts::level)))
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
        .filter(accounts::deletion_asked_at.is_null())
        .filter(accounts::username.like(pattern))
        .order(accounts::username)
        .limit(limit)
        .select(AccountRow::as_select())
        .load(&mut connection)
        .await?)
}
