//! Blocks and friendships between accounts. A block is visible only to the account that made it.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use yaniv_db::accounts::account_rows::{AccountRow, account_find_by_username, account_keep_in_txn};
use yaniv_db::accounts::blocks::{apart_list, block_delete, block_list};
use yaniv_db::accounts::friend_requests::{
    FriendRequestRow, friend_wish_delete, friend_wish_insert, friend_wish_list,
};
use yaniv_db::{Connection, StoreError, Transactions};
use yaniv_match::MatchState;
use yaniv_model::ids::AccountId;

use crate::accounts::register::check_username;
use crate::kernel::boxed;
use crate::kernel::page::{CursorKey, PageQuery};
use crate::{Page, ServiceError, Services};

/// An entry in a list of players.
#[derive(Clone, Debug)]
pub struct Person {
    /// The account's name.
    pub username: String,
    /// Whether it is a bot.
    pub bot: bool,
    /// Relation to the caller.
    pub standing: Standing,
    /// When the relation began.
    pub since: DateTime<Utc>,
}

/// Relation of an account to the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Blocked by the caller.
    Blocked,
    /// Friend: both have sent a request.
    Friend,
    /// The caller has sent a friend request.
    AskedByYou,
    /// The account has sent the caller a friend request.
    AsksYou,
}

impl Standing {
    /// The name of the relation on the wire.
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
    /// Removes a block, if there is one.
    ///
    /// # Errors
    /// `AccountNotFound`, `OwnAccount`.
    #[boxed]
    pub async fn unblock(&self, account: AccountId, username: &str) -> Result<(), ServiceError> {
        let other = self.somebody_else(account, username).await?;
        self.durably(true, false, move |connection, _| async move {
            Ok(block_delete(&connection, account, other).await?)
        })
        .await
    }

    /// The accounts that the caller has blocked, by name.
    ///
    /// # Errors
    /// `InvalidParameter` for a cursor that the server did not issue.
    #[boxed]
    pub async fn blocked(
        &self,
        account: AccountId,
        cursor: Option<&str>,
        limit: i64,
    ) -> Result<Page<Person>, ServiceError> {
        let asked = PageQuery::<Name>::new(cursor, limit)?;
        let connection = self.store.connection().await?;
        let rows = block_list(&connection, account, after(&asked), asked.rows()).await?;
        let person = |row: yaniv_db::accounts::blocks::BlockedRow| Person {
            username: row.username,
            bot: row.bot,
            standing: Standing::Blocked,
            since: row.created_at,
        };
        Ok(asked.page(rows.into_iter().map(person).collect(), Name::of))
    }

    /// Sends a friend request, or accepts the other account's request; idempotent.
    ///
    /// If one of the two has blocked the other, it has no effect that the other account would see.
    ///
    /// # Errors
    /// `AccountNotFound`, `OwnAccount`, `HouseBotNotAllowed`.
    #[boxed]
    pub async fn befriend(&self, account: AccountId, username: &str) -> Result<(), ServiceError> {
        let other = self.somebody_else(account, username).await?;
        self.durably(true, false, move |mut connection, _| async move {
            connection
                .transaction(async |connection| {
                    let kept = keep_both(connection, account, other).await?;
                    if kept.iter().any(|row| row.level.is_some()) {
                        return Err(ServiceError::HouseBotNotAllowed);
                    }
                    Ok(friend_wish_insert(connection, account, other).await?)
                })
                .await
        })
        .await
    }

    /// Ends a friendship, withdraws a request, or declines one.
    ///
    /// # Errors
    /// `AccountNotFound`, `OwnAccount`.
    #[boxed]
    pub async fn unfriend(&self, account: AccountId, username: &str) -> Result<(), ServiceError> {
        let other = self.somebody_else(account, username).await?;
        self.durably(true, false, move |connection, _| async move {
            Ok(friend_wish_delete(&connection, account, other).await?)
        })
        .await
    }

    /// The caller's friends and friend requests, sent and received, by name.
    ///
    /// # Errors
    /// `InvalidParameter` for a cursor that the server did not issue.
    #[boxed]
    pub async fn friends(
        &self,
        account: AccountId,
        cursor: Option<&str>,
        limit: i64,
    ) -> Result<Page<Person>, ServiceError> {
        let asked = PageQuery::<Name>::new(cursor, limit)?;
        let connection = self.store.connection().await?;
        // A friend has two rows.
        let most = asked.rows().saturating_mul(2);
        let rows = friend_wish_list(&connection, account, after(&asked), most).await?;
        let mut items: Vec<Person> = Vec::new();
        for row in rows {
            let standing = if row.wisher_id == account.0 { Standing::AskedByYou } else { Standing::AsksYou };
            match items.last_mut().filter(|last| last.username == row.username) {
                Some(last) => (last.standing, last.since) = (Standing::Friend, row.created_at),
                None => {
                    let FriendRequestRow { username, bot, created_at, .. } = row;
                    items.push(Person { username, bot, standing, since: created_at });
                }
            }
        }
        Ok(asked.page(items, Name::of))
    }

    pub(crate) async fn somebody_else(
        &self,
        account: AccountId,
        username: &str,
    ) -> Result<AccountId, ServiceError> {
        let connection = self.store.connection().await?;
        let row = account_find_by_username(&connection, username).await?;
        let other = AccountId(row.ok_or(ServiceError::AccountNotFound)?.id);
        if other == account { Err(ServiceError::OwnAccount) } else { Ok(other) }
    }
}

/// Locks both accounts against deletion until the transaction ends.
pub(crate) async fn keep_both(
    connection: &Connection,
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

/// Whether a block separates the account from one of the players of a match.
///
/// # Errors
/// Those of the database.
pub(crate) async fn are_apart(
    connection: &Connection,
    account: AccountId,
    state: &MatchState,
) -> Result<bool, StoreError> {
    let seated: Vec<_> = state.players().iter().map(|player| player.account.0).collect();
    Ok(!apart_list(connection, account, &seated).await?.is_empty())
}

/// Those of the given accounts that a block separates from the account.
///
/// # Errors
/// Those of the database.
pub(crate) async fn kept_apart(
    connection: &Connection,
    account: AccountId,
    others: impl Iterator<Item = uuid::Uuid>,
) -> Result<HashSet<uuid::Uuid>, ServiceError> {
    let others: Vec<_> = others.collect();
    Ok(apart_list(connection, account, &others).await?.into_iter().collect())
}

/// The name of an account, by which lists of people are sorted.
struct Name(String);

impl Name {
    fn of(person: &Person) -> Self {
        Self(person.username.clone())
    }
}

impl CursorKey for Name {
    fn print(&self) -> String {
        self.0.clone()
    }

    fn parse(cursor: &str) -> Option<Self> {
        check_username(cursor).ok().map(|()| Self(cursor.to_owned()))
    }
}

/// The name after which a page begins.
fn after(asked: &PageQuery<Name>) -> &str {
    asked.after.as_ref().map_or("", |name| &name.0)
}
