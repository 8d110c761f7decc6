//! Rows of `accounts`: insert, find, lock, suspend. Owner changes are in `account_changes`, lookalike names
//! in `account_names`, deletion in `account_deletions`.
//!
//! Accounts whose deletion has begun are not found here.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use diesel::prelude::*;
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use uuid::Uuid;
use yaniv_model::ids::AccountId;

use crate::error::StoreError;
use crate::schema::accounts;

/// `kind` of an account with a password or a linked identity.
pub const KIND_PERSON: &str = "person";
/// `kind` of an account without a password, which can be claimed.
pub const KIND_GUEST: &str = "guest";
/// `kind` of a program that has an owner.
pub const KIND_BOT: &str = "bot";

/// An account as it is stored.
#[derive(Clone, Queryable, Selectable)]
#[diesel(table_name = accounts)]
pub struct AccountRow {
    /// Identifier.
    pub id: Uuid,
    /// Login name.
    pub username: String,
    /// Argon2id PHC string; empty without a password.
    pub password_hash: String,
    /// When it was registered.
    pub created_at: DateTime<Utc>,
    /// Display name.
    pub display_name: Option<String>,
    /// Tag of the language; none: the default.
    pub language: Option<String>,
    /// IANA time zone name.
    pub time_zone: Option<String>,
    /// `KIND_…`.
    pub kind: String,
    /// Start of the current or last suspension.
    pub suspended_at: Option<DateTime<Utc>>,
    /// When the suspension expires.
    pub suspended_until: Option<DateTime<Utc>>,
    /// Reason shown to the owner.
    pub suspension_reason: Option<String>,
    /// Level of play, for house bots only.
    pub level: Option<String>,
    /// Issuer of the linked identity.
    pub oidc_issuer: Option<String>,
    /// The user at that issuer.
    pub oidc_subject: Option<String>,
}

impl AccountRow {
    /// Whether the account is suspended at this time.
    pub fn is_suspended(&self, now: DateTime<Utc>) -> bool {
        self.suspended_at.is_some() && self.suspended_until.is_none_or(|until| now < until)
    }
}

/// A new account.
#[derive(Clone, Insertable)]
#[diesel(table_name = accounts)]
pub struct NewAccount {
    /// Identifier.
    pub id: Uuid,
    /// Login name.
    pub username: String,
    /// Argon2id PHC string; empty without a password.
    pub password_hash: String,
    /// `KIND_…`.
    pub kind: &'static str,
    /// Owner of the bot.
    pub owner_id: Option<Uuid>,
    /// Display name.
    pub display_name: Option<String>,
    /// Skeleton of the display name, for comparing lookalikes.
    pub display_skeleton: Option<String>,
    /// Tag of the language; none: the default.
    pub language: Option<&'static str>,
    /// Issuer of the linked identity.
    pub oidc_issuer: Option<String>,
    /// The user at that issuer.
    pub oidc_subject: Option<String>,
}

/// Name and kind of an account, as shown in matches and lists.
#[derive(Clone, Debug, PartialEq, Eq, Queryable)]
pub struct AccountName {
    /// The username.
    pub username: String,
    /// The display name.
    pub display_name: Option<String>,
    /// Whether it is a bot; never changes.
    pub bot: bool,
    /// Level of play, for house bots only.
    pub level: Option<String>,
}

impl AccountRow {
    /// Whether it is a bot.
    pub fn is_bot(&self) -> bool {
        self.kind == KIND_BOT
    }

    /// Its username and its display name.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.username.as_str()).chain(self.display_name.as_deref())
    }

    /// Whether it is a guest.
    pub fn is_guest(&self) -> bool {
        self.kind == KIND_GUEST
    }

    /// Whether an identity is linked: its owner can log in by it.
    pub fn has_identity(&self) -> bool {
        self.oidc_subject.is_some()
    }

    /// Argon2id PHC string, if there is a password.
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

/// Finds an account by username.
///
/// # Errors
/// Any database error.
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

/// Accounts with these usernames, by name.
///
/// # Errors
/// Any database error.
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

/// Finds an account by identifier.
///
/// # Errors
/// Any database error.
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

/// Finds an account if its password hash is still this, and locks it against changes until the transaction
/// ends.
///
/// # Errors
/// `Busy` if the lock is not acquired in time.
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

/// Filters out accounts that are being deleted, and prevents deletion of the others until the transaction
/// ends.
///
/// Every write that refers to an account calls this first, so it happens before the deletion or not at all.
///
/// # Errors
/// `Busy` if a lock is not acquired in time.
pub async fn account_keep_in_txn(
    mut connection: &AsyncPgConnection,
    ids: &[Uuid],
) -> Result<Vec<AccountRow>, StoreError> {
    let there = accounts::table.filter(accounts::deletion_asked_at.is_null());
    // For a list the database makes a new plan each time, as the best one depends on its length.
    if let [id] = ids {
        let one = there.filter(accounts::id.eq(id)).for_key_share().select(AccountRow::as_select());
        return Ok(one.load(&mut connection).await?);
    }
    Ok(there
        .filter(accounts::id.eq_any(ids))
        .order(accounts::id)
        .for_key_share()
        .select(AccountRow::as_select())
        .load(&mut connection)
        .await?)
}

/// Locks an account for changes to its row, sessions and tokens.
///
/// # Errors
/// `Busy` if the lock is not acquired in time.
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

/// The names of these accounts, by identifier.
///
/// # Errors
/// Any database error.
pub async fn username_map(
    mut connection: &AsyncPgConnection,
    ids: &[Uuid],
) -> Result<HashMap<Uuid, AccountName>, StoreError> {
    let rows: Vec<(Uuid, AccountName)> = accounts::table
        .filter(accounts::id.eq_any(ids))
        .select((
            accounts::id,
            (accounts::username, accounts::display_name, accounts::kind.eq(KIND_BOT), accounts::level),
        ))
        .load(&mut connection)
        .await?;
    Ok(rows.into_iter().collect())
}

/// Suspends a locked account, until a time or indefinitely; without a reason, restores it.
///
/// # Errors
/// Any database error.
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

/// A page of accounts whose usernames contain the search text, by name.
///
/// # Errors
/// Any database error.
pub async fn account_list(
    mut connection: &AsyncPgConnection,
    search: &str,
    after: &str,
    limit: i64,
) -> Result<Vec<AccountRow>, StoreError> {
    // Escapes the wildcards of LIKE: names may contain an underscore.
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
