//! What an administrator does to accounts.

use chrono::{DateTime, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};
use uuid::Uuid;

use super::ServiceError;
use super::accounts::{check_password, check_username, person};
use super::admin::{Admin, drawn, named};
use super::deletion::leave_waiting;
use super::name_keeping::store_account;
use super::password_checks::TriedBy;
use super::sessions::MOST_SESSIONS;
use crate::ids::AccountId;
use crate::store::account_changes::account_password_update_in_txn;
use crate::store::accounts::{
    AccountRow, KIND_PERSON, account_list, account_lock, account_suspension_update_in_txn,
};
use crate::store::clock::clock_read;
use crate::store::password_tries::password_try_forget;
use crate::store::personal_tokens::{personal_token_end_others, personal_token_list};
use crate::store::sessions::{session_end_others, session_list};

/// An account, as an administrator sees it.
pub struct AdminAccount {
    /// Its identifier.
    pub id: Uuid,
    /// Name to log in with.
    pub username: String,
    /// `person`, `guest` or `bot`.
    pub kind: String,
    /// When it was registered.
    pub created_at: DateTime<Utc>,
    /// The suspension, while it lasts.
    pub suspension: Option<Suspension>,
}

/// Why somebody cannot log in.
pub struct Suspension {
    /// Since when.
    pub since: DateTime<Utc>,
    /// When it ends by itself.
    pub until: Option<DateTime<Utc>>,
    /// What the owner is told.
    pub reason: Option<String>,
}

/// An account with what it is used by.
pub struct AdminDetails {
    /// The account.
    pub account: AdminAccount,
    /// Sessions that are open.
    pub sessions: usize,
    /// Personal tokens that are good.
    pub personal_tokens: usize,
    /// The newest use of a session or of a token, as finely as it is noted.
    pub last_used_at: Option<DateTime<Utc>>,
}

/// What was ended.
pub struct Revoked {
    /// Sessions.
    pub sessions: usize,
    /// Personal tokens.
    pub personal_tokens: usize,
}

impl AdminAccount {
    fn at(row: AccountRow, now: DateTime<Utc>) -> Self {
        let suspended = row.suspended_at.filter(|_| row.is_suspended(now));
        let suspension = suspended.map(|since| Suspension {
            since,
            until: row.suspended_until,
            reason: row.suspension_reason,
        });
        Self { id: row.id, username: row.username, kind: row.kind, created_at: row.created_at, suspension }
    }
}

impl Admin {
    /// Accounts by name, after this one, whose names have this in them.
    ///
    /// # Errors
    /// Only those of the database.
    pub async fn accounts(
        &self,
        search: &str,
        after: &str,
        limit: i64,
    ) -> Result<Vec<AdminAccount>, ServiceError> {
        let (rows, now) = self
            .connection()
            .await?
            .transaction(async |connection| {
                let rows = account_list(connection, search, after, limit).await?;
                self.note(connection, "accounts.list", None).await?;
                Ok::<_, ServiceError>((rows, clock_read(connection).await?))
            })
            .await?;
        Ok(rows.into_iter().map(|row| AdminAccount::at(row, now)).collect())
    }

    /// An account, and what it is used by.
    ///
    /// # Errors
    /// `AccountNotFound`.
    pub async fn account(&self, username: &str) -> Result<AdminDetails, ServiceError> {
        self.connection()
            .await?
            .transaction(async |connection| {
                let row = named(connection, username).await?;
                let id = AccountId(row.id);
                let sessions = session_list(connection, id, MOST_SESSIONS).await?;
                let tokens = personal_token_list(connection, id).await?;
                let used = sessions.iter().map(|session| Some(session.last_used_at));
                let last_used_at = used.chain(tokens.iter().map(|token| token.last_used_at)).max().flatten();
                self.note(connection, "accounts.show", Some(row.id)).await?;
                let account = AdminAccount::at(row, clock_read(connection).await?);
                let (sessions, personal_tokens) = (sessions.len(), tokens.len());
                Ok(AdminDetails { account, sessions, personal_tokens, last_used_at })
            })
            .await
    }

    /// Creates an account, whoever may register; with a password that is drawn if none is given, and then answered.
    ///
    /// # Errors
    /// `InvalidField`, `UsernameTaken`.
    pub async fn create_account(
        &self,
        username: &str,
        password: Option<String>,
    ) -> Result<Option<String>, ServiceError> {
        check_username(username)?;
        let (hash, drawn) = self.hashed(password).await?;
        let new = person(username.to_owned(), hash);
        self.connection()
            .await?
            .transaction(async |connection| {
                let row = store_account(connection, &new).await?;
                self.note(connection, "accounts.create", Some(row.id)).await
            })
            .await?;
        Ok(drawn)
    }

    /// Gives an account another password, and ends everything that it was used by; wrong passwords of strangers are
    /// forgotten.
    ///
    /// # Errors
    /// `AccountNotFound`, `InvalidField`, also where the account has none.
    pub async fn reset_password(
        &self,
        username: &str,
        password: Option<String>,
    ) -> Result<Option<String>, ServiceError> {
        let (hash, drawn) = self.hashed(password).await?;
        self.connection()
            .await?
            .transaction(async |connection| {
                let id = locked(connection, username).await?;
                if named(connection, username).await?.kind != KIND_PERSON {
                    let detail = "is a bot or a guest, which have no password";
                    return Err(ServiceError::InvalidField { field: "username", detail });
                }
                account_password_update_in_txn(connection, id, &hash).await?;
                end_all(connection, id).await?;
                password_try_forget(connection, &TriedBy::Name(username).key()).await?;
                self.note(connection, "accounts.reset-password", Some(id.0)).await
            })
            .await?;
        Ok(drawn)
    }

    /// Suspends an account, until a time or until it is restored, and ends everything that it is used by. It no longer waits
    /// to be paired, and its challenges are over; its matches stay as they are.
    ///
    /// # Errors
    /// `AccountNotFound`; `InvalidField` without a reason, or if the time is over.
    pub async fn suspend(
        &self,
        username: &str,
        until: Option<DateTime<Utc>>,
    ) -> Result<Revoked, ServiceError> {
        let reason = self.reason()?;
        let mut connection = self.connection().await?;
        let (id, revoked) = connection
            .transaction(async |connection| {
                // A log-in under way comes before, and is ended with the rest, or after, and is refused.
                let id = locked(connection, username).await?;
                let now = clock_read(connection).await?;
                if until.is_some_and(|until| until <= now) {
                    return Err(ServiceError::InvalidField { field: "until", detail: "is over already" });
                }
                account_suspension_update_in_txn(connection, id, Some(now), until, Some(reason)).await?;
                let revoked = end_all(connection, id).await?;
                self.note(connection, "accounts.suspend", Some(id.0)).await?;
                Ok::<_, ServiceError>((id, revoked))
            })
            .await?;
        // Nobody is to get a match with somebody who cannot act.
        leave_waiting(&mut connection, id).await?;
        Ok(revoked)
    }

    /// Ends a suspension. What was ended with it stays ended.
    ///
    /// # Errors
    /// `AccountNotFound`.
    pub async fn restore(&self, username: &str) -> Result<(), ServiceError> {
        self.connection()
            .await?
            .transaction(async |connection| {
                let id = locked(connection, username).await?;
                account_suspension_update_in_txn(connection, id, None, None, None).await?;
                self.note(connection, "accounts.restore", Some(id.0)).await
            })
            .await
    }

    /// Ends all sessions and personal tokens of an account.
    ///
    /// # Errors
    /// `AccountNotFound`.
    pub async fn revoke(&self, username: &str) -> Result<Revoked, ServiceError> {
        self.connection()
            .await?
            .transaction(async |connection| {
                let id = locked(connection, username).await?;
                let revoked = end_all(connection, id).await?;
                self.note(connection, "accounts.revoke", Some(id.0)).await?;
                Ok(revoked)
            })
            .await
    }

    /// The hash of a password, and the password if it had to be drawn.
    async fn hashed(&self, password: Option<String>) -> Result<(String, Option<String>), ServiceError> {
        let drawn = password.is_none().then(|| drawn(4, 5));
        let password = password.or_else(|| drawn.clone()).unwrap_or_default();
        check_password("password", &password)?;
        Ok((self.passwords.hash(password).await?, drawn))
    }
}

async fn locked(connection: &AsyncPgConnection, username: &str) -> Result<AccountId, ServiceError> {
    let id = AccountId(named(connection, username).await?.id);
    let row = account_lock(connection, id).await?.ok_or(ServiceError::AccountNotFound)?;
    Ok(AccountId(row.id))
}

/// Ends everything that an account is used by.
async fn end_all(connection: &AsyncPgConnection, id: AccountId) -> Result<Revoked, ServiceError> {
    let sessions = session_end_others(connection, id, None).await?.len();
    let personal_tokens = personal_token_end_others(connection, id, None).await?.len();
    Ok(Revoked { sessions, personal_tokens })
}
