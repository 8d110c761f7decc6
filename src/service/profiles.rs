//! What people say of themselves, and what others are shown of it. Never part of a match: what a match shows depends on
//! usernames alone.

use chrono::{NaiveDate, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use uuid::Uuid;

use super::accounts::{Account, check_username};
use super::calendar_rows::on_vacation;
use super::name_keeping::{hold_display_name, taken};
use super::names::{check_display_name, check_language, check_time_zone};
use super::{ServiceError, Services};
use crate::ids::AccountId;
use crate::store::account_changes::{AccountChange, account_update_in_txn};
use crate::store::accounts::{
    AccountRow, account_find, account_find_by_username, account_list_by_username, account_lock,
};

/// Profiles that may be asked for at once.
pub const MOST_PROFILES: usize = 20;

/// What is to be changed of an account: what is none stays as it is, what is empty is taken away.
#[derive(Clone, Debug, Default)]
pub struct ProfileChange {
    /// Name as others are shown it.
    pub display_name: Option<String>,
    /// Language that they prefer.
    pub language: Option<String>,
    /// Where they live.
    pub time_zone: Option<String>,
}

/// An account, as everybody may see it.
#[derive(Clone, Debug)]
pub struct Profile {
    /// The account's name.
    pub username: String,
    /// Name to show beside it.
    pub display_name: Option<String>,
    /// Whether it has no password yet.
    pub guest: bool,
    /// Whether it is a bot.
    pub bot: bool,
    /// The last day of the vacation on which it is, if it is.
    pub on_vacation_until: Option<NaiveDate>,
    /// How well it plays, if it is a bot of the house.
    pub level: Option<String>,
}

impl Services {
    /// Changes what the caller says of themselves.
    ///
    /// # Errors
    /// `InvalidField`, `DisplayNameTaken`; `InvalidToken` if the account no longer exists.
    pub async fn update_account(
        &self,
        account: AccountId,
        change: ProfileChange,
    ) -> Result<Account, ServiceError> {
        let change = checked(change)?;
        let row = self
            .durably(true, false, move |mut connection, _| {
                let change = change.clone();
                async move {
                    connection
                        .transaction(async |connection| update(connection, account, &change).await)
                        .await
                }
            })
            .await?;
        Ok(row.into())
    }

    /// What everybody may see of an account; also whom its owner has blocked.
    ///
    /// # Errors
    /// `AccountNotFound`.
    pub async fn profile(&self, username: &str) -> Result<Profile, ServiceError> {
        let connection = self.store.connection().await?;
        let row = account_find_by_username(&connection, username).await?;
        shown(&connection, row.into_iter().collect()).await?.pop().ok_or(ServiceError::AccountNotFound)
    }

    /// What everybody may see of the caller.
    ///
    /// # Errors
    /// `InvalidToken` if the account no longer exists.
    pub(super) async fn own_profile(&self, account: AccountId) -> Result<Profile, ServiceError> {
        let connection = self.store.connection().await?;
        let row = account_find(&connection, account).await?;
        shown(&connection, row.into_iter().collect()).await?.pop().ok_or(ServiceError::InvalidToken)
    }

    /// The same of several, by name; those that there are not are left out.
    ///
    /// # Errors
    /// `InvalidParameter` for what can be no name, or too many.
    pub async fn profiles(&self, usernames: &str) -> Result<Vec<Profile>, ServiceError> {
        let usernames: Vec<String> = usernames.split(',').map(str::to_owned).collect();
        let right = usernames.len() <= MOST_PROFILES
            && usernames.iter().all(|username| check_username(username).is_ok());
        if !right {
            return Err(ServiceError::InvalidParameter("usernames"));
        }
        let connection = self.store.connection().await?;
        let rows = account_list_by_username(&connection, &usernames).await?;
        shown(&connection, rows).await
    }
}

/// Accounts, as everybody may see them now.
async fn shown(connection: &AsyncPgConnection, rows: Vec<AccountRow>) -> Result<Vec<Profile>, ServiceError> {
    let ids: Vec<Uuid> = rows.iter().map(|row| row.id).collect();
    let away = on_vacation(connection, &ids, Utc::now()).await?;
    let profile = |row: AccountRow| Profile {
        guest: row.is_guest(),
        bot: row.is_bot(),
        on_vacation_until: away.get(&row.id).copied(),
        username: row.username,
        display_name: row.display_name,
        level: row.level,
    };
    Ok(rows.into_iter().map(profile).collect())
}

fn checked(change: ProfileChange) -> Result<AccountChange, ServiceError> {
    let mut checked = AccountChange::default();
    if let Some(name) = change.display_name {
        let name = Some(name).filter(|name| !name.is_empty());
        checked.display_skeleton = Some(name.as_deref().map(check_display_name).transpose()?);
        checked.display_name = Some(name);
    }
    if let Some(tag) = change.language {
        let tag = Some(tag).filter(|tag| !tag.is_empty());
        tag.as_deref().map(check_language).transpose()?;
        checked.language = Some(tag);
    }
    if let Some(zone) = change.time_zone {
        let zone = Some(zone).filter(|zone| !zone.is_empty());
        zone.as_deref().map(check_time_zone).transpose()?;
        checked.time_zone = Some(zone);
    }
    Ok(checked)
}

async fn update(
    connection: &AsyncPgConnection,
    account: AccountId,
    change: &AccountChange,
) -> Result<AccountRow, ServiceError> {
    let row = account_lock(connection, account).await?.ok_or(ServiceError::InvalidToken)?;
    let nothing = change.display_name.is_none() && change.language.is_none() && change.time_zone.is_none();
    if nothing {
        return Ok(row);
    }
    if let Some(Some(seen)) = &change.display_skeleton {
        hold_display_name(connection, seen, account.0).await?;
    }
    account_update_in_txn(connection, account, change).await.map_err(taken)
}
