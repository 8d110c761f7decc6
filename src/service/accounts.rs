//! Registering, logging in, and changing the password. What a log-in lasts by is in `sessions`.

use chrono::{DateTime, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use uuid::Uuid;

use super::name_keeping::store_account;
use super::names::check_not_reserved;
use super::sessions::{LogIn, NewSession};
use super::sign_up::Admission;
use super::{ServiceError, Services};
use crate::auth::access::Access;
use crate::auth::password;
use crate::ids::AccountId;
use crate::store::account_changes::account_password_update_in_txn;
use crate::store::accounts::{
    AccountRow, KIND_PERSON, NewAccount, account_find, account_find_by_username, account_lock,
};
use crate::store::personal_tokens::personal_token_end_others;
use crate::store::sessions::session_end_others;

/// An account, as its owner sees it.
#[derive(Clone, Debug)]
pub struct Account {
    /// Its identifier.
    pub id: AccountId,
    /// Name to log in with.
    pub username: String,
    /// When it was registered.
    pub created_at: DateTime<Utc>,
    /// Name as others are shown it.
    pub display_name: Option<String>,
    /// Language that they prefer.
    pub language: Option<String>,
    /// Where they live.
    pub time_zone: Option<String>,
    /// Whether it has no password yet.
    pub guest: bool,
    /// Whether it is a bot.
    pub bot: bool,
}

/// Another password in the place of one.
#[derive(Clone)]
pub struct PasswordChange {
    /// The one until now.
    pub current: String,
    /// The one from now on.
    pub new: String,
    /// Whether personal tokens stay good.
    pub keep_tokens: bool,
}

impl From<AccountRow> for Account {
    fn from(row: AccountRow) -> Self {
        Self {
            id: AccountId(row.id),
            guest: row.is_guest(),
            bot: row.is_bot(),
            username: row.username,
            created_at: row.created_at,
            display_name: row.display_name,
            language: row.language,
            time_zone: row.time_zone,
        }
    }
}

impl Services {
    /// Creates an account and logs it in.
    ///
    /// # Errors
    /// `InvalidField`, `UsernameReserved`, `UsernameTaken`, `Busy`, and those of `admit`.
    pub async fn register(
        &self,
        username: String,
        password: String,
        device: Option<String>,
        invitation: Option<&str>,
    ) -> Result<LogIn, ServiceError> {
        check_username(&username)?;
        check_not_reserved(&username)?;
        check_password("password", &password)?;
        let session = NewSession::new(device)?;
        let admission = self.admit(invitation).await?;
        let hash = self.keeper.passwords.hash(password).await?;
        let (row, expires_at) = self.sign_up(person(username, hash), &session, admission).await?;
        self.log_in_of(row, &session, expires_at)
    }

    /// Stores a new account with its first session; says when that ends by itself.
    ///
    /// # Errors
    /// `UsernameTaken`, `DisplayNameTaken`, `InvitationInvalid`.
    pub(super) async fn sign_up(
        &self,
        new: NewAccount,
        session: &NewSession,
        admission: Admission,
    ) -> Result<(AccountRow, DateTime<Utc>), ServiceError> {
        let begun = session.clone();
        self.durably(false, false, move |mut connection, _| {
            let (new, begun) = (new.clone(), begun.clone());
            async move {
                connection
                    .transaction(async |connection| {
                        admission.use_up_in_txn(connection).await?;
                        let row = store_account(connection, &new).await?;
                        let (expires_at, _) = begun.begin(connection, row.id).await?;
                        Ok::<_, ServiceError>((row, expires_at))
                    })
                    .await
            }
        })
        .await
    }

    /// Logs in. An unknown name takes as long as a wrong password, and counts like one.
    ///
    /// # Errors
    /// `InvalidCredentials`, `TooManyAttempts`, `AccountSuspended`, `InvalidField`, `Busy`.
    pub async fn log_in(
        &self,
        username: &str,
        password: String,
        device: Option<String>,
        device_token: Option<&str>,
    ) -> Result<LogIn, ServiceError> {
        let session = NewSession::new(device)?;
        if password.chars().count() > password::MAX_LENGTH {
            return Err(ServiceError::InvalidCredentials);
        }
        let place = self.keeper.passwords.enter()?;
        let row = match check_username(username) {
            Ok(()) => account_find_by_username(&*self.store.connection().await?, username).await?,
            Err(_) => None,
        };
        let hash = row.as_ref().and_then(AccountRow::password);
        let by = self.tried_by(username, row.as_ref(), device_token);
        let right = self.is_password(place, by, password, hash).await?;
        match row {
            Some(row) if right => self.begin_session(row, session).await,
            _ => Err(ServiceError::InvalidCredentials),
        }
    }

    /// Changes the caller's password, and ends everything that others may have got in by: all other sessions and, if it
    /// is not said otherwise, all other personal tokens.
    ///
    /// # Errors
    /// `InvalidField`, `WrongPassword`, `TooManyAttempts`, `Busy`.
    pub async fn change_password(&self, access: Access, change: PasswordChange) -> Result<(), ServiceError> {
        check_password("new_password", &change.new)?;
        let before = self.check_password_of(access, change.current).await?.password_hash;
        let after = self.keeper.passwords.hash(change.new).await?;
        let keep_tokens = change.keep_tokens;
        let ended = self
            .durably(true, false, move |mut connection, _| {
                let (before, after) = (before.clone(), after.clone());
                async move {
                    connection
                        .transaction(async |connection| {
                            replace_password(connection, access, &before, &after).await?;
                            end_others(connection, access, keep_tokens).await
                        })
                        .await
                }
            })
            .await?;
        self.ended.add(ended);
        Ok(())
    }

    /// The caller's own account.
    ///
    /// # Errors
    /// `InvalidToken` if it no longer exists.
    pub async fn account(&self, id: AccountId) -> Result<Account, ServiceError> {
        let row = account_find(&*self.store.connection().await?, id).await?;
        row.map(Account::from).ok_or(ServiceError::InvalidToken)
    }
}

/// A new account of somebody with a password.
pub(super) fn person(username: String, password_hash: String) -> NewAccount {
    NewAccount {
        id: AccountId::generate().0,
        username,
        password_hash,
        kind: KIND_PERSON,
        owner_id: None,
        display_name: None,
        display_skeleton: None,
    }
}

/// Changes the password if it is the one that was looked at, or if this has been done already.
async fn replace_password(
    connection: &AsyncPgConnection,
    access: Access,
    before: &str,
    after: &str,
) -> Result<(), ServiceError> {
    let row = account_lock(connection, access.account).await?.ok_or(ServiceError::InvalidToken)?;
    if row.password_hash != before && row.password_hash != after {
        return Err(ServiceError::WrongPassword);
    }
    Ok(account_password_update_in_txn(connection, access.account, after).await?)
}

async fn end_others(
    connection: &AsyncPgConnection,
    access: Access,
    keep_tokens: bool,
) -> Result<Vec<Uuid>, ServiceError> {
    let mut ended = session_end_others(connection, access.account, access.session()).await?;
    if !keep_tokens {
        ended.extend(personal_token_end_others(connection, access.account, access.token()).await?);
    }
    Ok(ended)
}

/// Whether an account may be called so.
///
/// # Errors
/// `InvalidField`.
pub(super) fn check_username(username: &str) -> Result<(), ServiceError> {
    let right = (3..=20).contains(&username.len())
        && username.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    if right {
        return Ok(());
    }
    Err(ServiceError::InvalidField {
        field: "username",
        detail: "has to be 3 to 20 of the characters a-z, 0-9 and _",
    })
}

/// Whether this may be a password.
///
/// # Errors
/// `InvalidField`.
pub(super) fn check_password(field: &'static str, password: &str) -> Result<(), ServiceError> {
    if (password::MIN_LENGTH..=password::MAX_LENGTH).contains(&password.chars().count()) {
        return Ok(());
    }
    Err(ServiceError::InvalidField { field, detail: "has to be 8 to 128 characters" })
}
