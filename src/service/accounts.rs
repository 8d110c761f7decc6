//! Registering, logging in, and who a token speaks for.

use chrono::{DateTime, Utc};

use super::{ServiceError, Services};
use crate::auth::password;
use crate::auth::token::IssuedToken;
use crate::ids::AccountId;
use crate::store::StoreError;
use crate::store::accounts::{
    AccountRow, NewAccount, account_find, account_find_by_username, account_insert,
};

/// An account, as its owner sees it.
#[derive(Clone, Debug)]
pub struct Account {
    /// Its identifier.
    pub id: AccountId,
    /// Name to log in with.
    pub username: String,
    /// When it was registered.
    pub created_at: DateTime<Utc>,
}

/// A log-in.
pub struct Session {
    /// Who is logged in.
    pub account: Account,
    /// What they show from now on.
    pub token: IssuedToken,
}

impl From<AccountRow> for Account {
    fn from(row: AccountRow) -> Self {
        Self { id: AccountId(row.id), username: row.username, created_at: row.created_at }
    }
}

impl Services {
    /// Creates an account and logs it in.
    ///
    /// # Errors
    /// `InvalidField`, `UsernameTaken`, `Busy`.
    pub async fn register(&self, username: String, password: String) -> Result<Session, ServiceError> {
        check_username(&username)?;
        check_password(&password)?;
        let hash = self.passwords.hash(password).await?;
        let new = NewAccount { id: AccountId::generate().0, username: &username, password_hash: &hash };
        let connection = self.store.connection().await?;
        let row = account_insert(&connection, &new).await.map_err(|error| match error {
            StoreError::Taken(_) => ServiceError::UsernameTaken,
            StoreError::ConnectionLost(_) => ServiceError::OutcomeUnknown,
            other => other.into(),
        })?;
        self.session(row)
    }

    /// Logs in. An unknown name takes as long as a wrong password.
    ///
    /// # Errors
    /// `InvalidCredentials`, `Busy`.
    pub async fn log_in(&self, username: &str, password: String) -> Result<Session, ServiceError> {
        if password.chars().count() > password::MAX_LENGTH {
            return Err(ServiceError::InvalidCredentials);
        }
        // The connection goes back before the hashing: it must not be held for that long.
        let row = match check_username(username) {
            Ok(()) => account_find_by_username(&*self.store.connection().await?, username).await?,
            Err(_) => None,
        };
        let hash = row.as_ref().map(|row| row.password_hash.clone());
        let right = self.passwords.verify(password, hash).await?;
        match row {
            Some(row) if right => self.session(row),
            _ => Err(ServiceError::InvalidCredentials),
        }
    }

    /// The account that an access token speaks for; asks no database.
    ///
    /// # Errors
    /// `InvalidToken`.
    pub fn authenticate(&self, token: &str) -> Result<AccountId, ServiceError> {
        Ok(self.tokens.verify(token)?)
    }

    /// The caller's own account.
    ///
    /// # Errors
    /// `InvalidToken` if it no longer exists.
    pub async fn account(&self, id: AccountId) -> Result<Account, ServiceError> {
        let row = account_find(&*self.store.connection().await?, id).await?;
        row.map(Account::from).ok_or(ServiceError::InvalidToken)
    }

    fn session(&self, row: AccountRow) -> Result<Session, ServiceError> {
        let account = Account::from(row);
        let token = self.tokens.issue(account.id, Utc::now()).map_err(ServiceError::internal)?;
        Ok(Session { account, token })
    }
}

fn check_username(username: &str) -> Result<(), ServiceError> {
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

fn check_password(password: &str) -> Result<(), ServiceError> {
    if (password::MIN_LENGTH..=password::MAX_LENGTH).contains(&password.chars().count()) {
        return Ok(());
    }
    Err(ServiceError::InvalidField { field: "password", detail: "has to be 8 to 128 characters" })
}
