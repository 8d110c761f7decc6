//! Whom somebody does not want to meet, and whom somebody wants to find again. Who is blocked is never told.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};

use super::accounts::check_username;
use super::challenge_answers::give_up_all;
use super::table::Table;
use super::{ServiceError, Services};
use crate::ids::AccountId;
use crate::store::accounts::{AccountRow, account_find_by_username, account_keep_in_txn};
use crate::store::blocks::{apart_list, block_delete, block_insert_in_txn, block_list};
use crate::store::friend_wishes::{FriendWishRow, friend_wish_delete, friend_wish_insert, friend_wish_list};

/// Somebody in a list of people.
#[derive(Clone, Debug)]
pub struct Person {
    /// The account's name.
    pub username: String,
    /// Whether it is a bot.
    pub bot: bool,
    /// What they are to the caller.
    pub standing: Standing,
    /// Since when.
    pub since: DateTime<Utc>,
}

/// What somebody is to the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// The caller has blocked them.
    Blocked,
    /// Each has asked the other.
    Friend,
    /// The caller has asked them.
    AskedByYou,
    /// They have asked the caller.
    AsksYou,
}

/// A page of people, by name.
pub struct PeoplePage {
    /// By name.
    pub items: Vec<Person>,
    /// Where the next page begins, if there is one.
    pub next_cursor: Option<String>,
}

impl Standing {
    /// As it is printed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Blocked => "blocked",
            Self::Friend => "friend",
            Self::AskedByYou => "asked_by_you",
            Self::AsksYou => "asks_you",
        }
    }
}

impl Services {
    /// Blocks somebody, and ends what friendship there is, and the open challenges of both that the caller has made or
    /// accepted. Blocked again, nothing changes.
    ///
    /// # Errors
    /// `AccountNotFound`, `Yourself`.
    pub async fn block(&self, account: AccountId, username: &str) -> Result<(), ServiceError> {
        let other = self.somebody_else(account, username).await?;
        self.durably(true, false, move |mut connection, _| async move {
            connection
                .transaction(async |connection| {
                    keep_both(connection, account, other).await?;
                    block_insert_in_txn(connection, account, other).await?;
                    friend_wish_delete(connection, account, other).await?;
                    give_up_all(connection, account, Some(other)).await
                })
                .await
        })
        .await
    }

    /// Takes a block back, if there is one.
    ///
    /// # Errors
    /// `AccountNotFound`, `Yourself`.
    pub async fn unblock(&self, account: AccountId, username: &str) -> Result<(), ServiceError> {
        let other = self.somebody_else(account, username).await?;
        self.durably(true, false, move |connection, _| async move {
            Ok(block_delete(&connection, account, other).await?)
        })
        .await
    }

    /// Whom the caller has blocked.
    ///
    /// # Errors
    /// `InvalidParameter` for a cursor that no answer gave.
    pub async fn blocked(
        &self,
        account: AccountId,
        cursor: Option<&str>,
        limit: i64,
    ) -> Result<PeoplePage, ServiceError> {
        let after = behind(cursor)?;
        let connection = self.store.connection().await?;
        let rows = block_list(&connection, account, after, limit.saturating_add(1)).await?;
        let person = |row: crate::store::blocks::BlockedRow| Person {
            username: row.username,
            bot: row.bot,
            standing: Standing::Blocked,
            since: row.created_at,
        };
        Ok(page(rows.into_iter().map(person).collect(), limit))
    }

    /// Asks somebody to be friends, or accepts what they have asked. Asked again, nothing changes. Between people of whom
    /// one has blocked the other it has no effect that the other would see.
    ///
    /// # Errors
    /// `AccountNotFound`, `Yourself`, `HouseBot`.
    pub async fn befriend(&self, account: AccountId, username: &str) -> Result<(), ServiceError> {
        let other = self.somebody_else(account, username).await?;
        self.durably(true, false, move |mut connection, _| async move {
            connection
                .transaction(async |connection| {
                    let kept = keep_both(connection, account, other).await?;
                    if kept.iter().any(|row| row.level.is_some()) {
                        return Err(ServiceError::HouseBot);
                    }
                    Ok(friend_wish_insert(connection, account, other).await?)
                })
                .await
        })
        .await
    }

    /// Ends a friendship, takes a request back, or declines one.
    ///
    /// # Errors
    /// `AccountNotFound`, `Yourself`.
    pub async fn unfriend(&self, account: AccountId, username: &str) -> Result<(), ServiceError> {
        let other = self.somebody_else(account, username).await?;
        self.durably(true, false, move |connection, _| async move {
            Ok(friend_wish_delete(&connection, account, other).await?)
        })
        .await
    }

    /// The caller's friends, whom the caller has asked, and who asks the caller.
    ///
    /// # Errors
    /// `InvalidParameter` for a cursor that no answer gave.
    pub async fn friends(
        &self,
        account: AccountId,
        cursor: Option<&str>,
        limit: i64,
    ) -> Result<PeoplePage, ServiceError> {
        let after = behind(cursor)?;
        let connection = self.store.connection().await?;
        // A friend has two rows.
        let most = limit.saturating_add(1).saturating_mul(2);
        let rows = friend_wish_list(&connection, account, after, most).await?;
        let mut items: Vec<Person> = Vec::new();
        for row in rows {
            let standing = if row.wisher_id == account.0 { Standing::AskedByYou } else { Standing::AsksYou };
            match items.last_mut().filter(|last| last.username == row.username) {
                Some(last) => (last.standing, last.since) = (Standing::Friend, row.created_at),
                None => {
                    let FriendWishRow { username, bot, created_at, .. } = row;
                    items.push(Person { username, bot, standing, since: created_at });
                }
            }
        }
        Ok(page(items, limit))
    }

    async fn somebody_else(&self, account: AccountId, username: &str) -> Result<AccountId, ServiceError> {
        let connection = self.store.connection().await?;
        let row = account_find_by_username(&connection, username).await?;
        let other = AccountId(row.ok_or(ServiceError::AccountNotFound)?.id);
        if other == account { Err(ServiceError::Yourself) } else { Ok(other) }
    }
}

/// Keeps both from being deleted until the transaction ends.
async fn keep_both(
    connection: &AsyncPgConnection,
    account: AccountId,
    other: AccountId,
) -> Result<Vec<AccountRow>, ServiceError> {
    let kept = account_keep_in_txn(connection, &[account.0, other.0]).await?;
    let has = |id: AccountId| kept.iter().any(|row| row.id == id.0);
    if !has(account) {
        return Err(ServiceError::InvalidToken);
    }
    if has(other) { Ok(kept) } else { Err(ServiceError::AccountNotFound) }
}

/// Whether somebody at a table and an account must not meet.
///
/// # Errors
/// Those of the database.
pub(super) async fn are_apart(
    connection: &AsyncPgConnection,
    account: AccountId,
    table: &Table,
) -> Result<bool, ServiceError> {
    let seated: Vec<_> = table.players.iter().map(|player| player.account.0).collect();
    Ok(!apart_list(connection, account, &seated).await?.is_empty())
}

/// Those of some accounts that one must not meet.
///
/// # Errors
/// Those of the database.
pub(super) async fn kept_apart(
    connection: &AsyncPgConnection,
    account: AccountId,
    others: impl Iterator<Item = uuid::Uuid>,
) -> Result<HashSet<uuid::Uuid>, ServiceError> {
    let others: Vec<_> = others.collect();
    Ok(apart_list(connection, account, &others).await?.into_iter().collect())
}

/// The name that a page begins behind.
fn behind(cursor: Option<&str>) -> Result<&str, ServiceError> {
    match cursor {
        Some(name) => {
            check_username(name).map(|()| name).map_err(|_| ServiceError::InvalidParameter("cursor"))
        }
        None => Ok(""),
    }
}

fn page(mut items: Vec<Person>, limit: i64) -> PeoplePage {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = items.len() > limit;
    items.truncate(limit);
    let next_cursor = items.last().filter(|_| more).map(|last| last.username.clone());
    PeoplePage { items, next_cursor }
}
