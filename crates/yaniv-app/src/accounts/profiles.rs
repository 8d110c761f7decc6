//! Profiles: what owners state about themselves, and what others see of an account. Of these, matches show
//! the display name only.

use chrono::{NaiveDate, Utc};
use uuid::Uuid;
use yaniv_db::accounts::account_changes::{AccountChange, account_update_in_txn};
use yaniv_db::accounts::account_names::CurrentNames;
use yaniv_db::accounts::account_rows::{
    AccountRow, account_find, account_find_by_username, account_list_by_username, account_lock,
};
use yaniv_db::{Connection, Transactions};
use yaniv_model::ids::AccountId;
use yaniv_texts::Language;

use crate::accounts::name_registry::{hold_display_name, taken};
use crate::accounts::names::check_display_name;
use crate::accounts::register::{Account, check_username};
use crate::kernel::boxed;
use crate::kernel::calendars::{check_time_zone, on_vacation};
use crate::kernel::mutes::check_not_muted;
use crate::{ServiceError, Services};

/// Maximum number of profiles in one request.
pub const MOST_PROFILES: usize = 20;

/// Changes to an account: `None` leaves a field unchanged, an empty text removes it.
#[derive(Clone, Debug, Default)]
pub struct ProfileChange {
    /// Display name.
    pub display_name: Option<String>,
    /// Language of the notifications.
    pub language: Option<Language>,
    /// Time zone of the owner.
    pub time_zone: Option<String>,
}

/// The public view of an account.
#[derive(Clone, Debug)]
pub struct Profile {
    /// The account's name.
    pub username: String,
    /// Display name.
    pub display_name: Option<String>,
    /// Whether it has no password yet.
    pub guest: bool,
    /// Whether it is a bot.
    pub bot: bool,
    /// The last day of the current vacation, if any.
    pub on_vacation_until: Option<NaiveDate>,
    /// Level of a house bot.
    pub level: Option<String>,
}

impl Services {
    /// Changes the caller's profile.
    ///
    /// # Errors
    /// `InvalidField`, `DisplayNameTaken`, `Muted`; `InvalidToken` if the account no longer exists.
    #[boxed]
    pub async fn update_account(
        &self,
        account: AccountId,
        change: ProfileChange,
    ) -> Result<Account, ServiceError> {
        let change = checked(change)?;
        let renamed = change.display_name.is_some();
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
        if renamed {
            self.match_cache.hear(vec![current_names(&row)]);
        }
        Ok(row.into())
    }

    /// The public profile of an account, including one that the caller has blocked or is blocked by.
    ///
    /// # Errors
    /// `AccountNotFound`.
    #[boxed]
    pub async fn profile(&self, username: &str) -> Result<Profile, ServiceError> {
        let connection = self.store.connection().await?;
        let row = account_find_by_username(&connection, username).await?;
        shown(&connection, row.into_iter().collect()).await?.pop().ok_or(ServiceError::AccountNotFound)
    }

    /// The caller's public profile.
    ///
    /// # Errors
    /// `InvalidToken` if the account no longer exists.
    pub(crate) async fn own_profile(&self, account: AccountId) -> Result<Profile, ServiceError> {
        let connection = self.store.connection().await?;
        let row = account_find(&connection, account).await?;
        shown(&connection, row.into_iter().collect()).await?.pop().ok_or(ServiceError::InvalidToken)
    }

    /// The profiles of several accounts, by name; unknown names are left out.
    ///
    /// # Errors
    /// `InvalidParameter` for an invalid name, or too many names.
    #[boxed]
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

/// The names of an account, for the match cache.
pub(crate) fn current_names(row: &AccountRow) -> CurrentNames {
    let (username, display_name) = (row.username.clone(), row.display_name.clone());
    CurrentNames { id: row.id, username, display_name }
}

/// The public views of accounts, with their vacations.
async fn shown(connection: &Connection, rows: Vec<AccountRow>) -> Result<Vec<Profile>, ServiceError> {
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
    let mut checked =
        AccountChange { language: change.language.map(Language::tag), ..AccountChange::default() };
    if let Some(name) = change.display_name {
        let name = Some(name).filter(|name| !name.is_empty());
        checked.display_skeleton = Some(name.as_deref().map(check_display_name).transpose()?);
        checked.display_name = Some(name);
    }
    if let Some(zone) = change.time_zone {
        let zone = Some(zone).filter(|zone| !zone.is_empty());
        zone.as_deref().map(check_time_zone).transpose()?;
        checked.time_zone = Some(zone);
    }
    Ok(checked)
}

async fn update(
    connection: &Connection,
    account: AccountId,
    change: &AccountChange,
) -> Result<AccountRow, ServiceError> {
    let row = account_lock(connection, account).await?.ok_or(ServiceError::InvalidToken)?;
    let nothing = change.display_name.is_none() && change.language.is_none() && change.time_zone.is_none();
    if nothing {
        return Ok(row);
    }
    if let Some(Some(seen)) = &change.display_skeleton {
        // The name that it has may be sent again.
        if change.display_name.as_ref() != Some(&row.display_name) {
            check_not_muted(connection, account).await?;
        }
        hold_display_name(connection, seen, account.0).await?;
    }
    account_update_in_txn(connection, account, change).await.map_err(taken)
}
