//! Commands of an administrator on accounts.

use chrono::{DateTime, NaiveDate, Utc};
use uuid::Uuid;
use yaniv_db::accounts::account_changes::account_password_update_in_txn;
use yaniv_db::accounts::account_rows::{AccountRow, KIND_PERSON, account_list, account_lock};
use yaniv_db::accounts::password_attempts::password_try_forget;
use yaniv_db::accounts::sessions::session_list;
use yaniv_db::accounts::tokens::personal_token_list;
use yaniv_db::kernel::clock::clock_read;
use yaniv_db::oidc::identities::identity_update_in_txn;
use yaniv_db::passkeys::credentials::passkey_delete_all;
use yaniv_db::{Connection, Transactions};
use yaniv_model::ids::AccountId;

use crate::ServiceError;
use crate::accounts::name_registry::store_account;
use crate::accounts::password_attempts::TriedBy;
use crate::accounts::register::{check_password, check_username, person};
use crate::accounts::sessions::{MOST_SESSIONS, day_of};
use crate::admin::session::{Admin, named};
use crate::kernel::boxed;
use crate::kernel::readable_codes::draw_groups;
use crate::matchmaking::leave_waiting::leave_waiting;
use crate::moderation::suspension::{Ended, end_all, restore, suspend};

/// An account as an administrator sees it.
pub struct AdminAccount {
    /// Its identifier.
    pub id: Uuid,
    /// Username, used for log-in.
    pub username: String,
    /// `person`, `guest` or `bot`.
    pub kind: String,
    /// When it was registered.
    pub created_at: DateTime<Utc>,
    /// The current suspension, if any.
    pub suspension: Option<Suspension>,
}

/// A suspension.
pub struct Suspension {
    /// When it began.
    pub since: DateTime<Utc>,
    /// When it ends by itself.
    pub until: Option<DateTime<Utc>>,
    /// The reason shown to the owner.
    pub reason: Option<String>,
}

/// An account with its credentials.
pub struct AdminDetails {
    /// The account.
    pub account: AdminAccount,
    /// Number of open sessions.
    pub sessions: usize,
    /// Number of valid personal tokens.
    pub personal_tokens: usize,
    /// Day of the newest use of a session or token.
    pub last_used_on: Option<NaiveDate>,
}

/// Number of revoked credentials.
pub struct Revoked {
    /// Sessions.
    pub sessions: usize,
    /// Personal tokens.
    pub personal_tokens: usize,
}

impl From<Ended> for Revoked {
    fn from(ended: Ended) -> Self {
        Self { sessions: ended.sessions.len(), personal_tokens: ended.personal_tokens.len() }
    }
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
    /// The accounts with this text in their names, sorted by name, after the given name.
    ///
    /// # Errors
    /// Only those of the database.
    #[boxed]
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

    /// An account with its credentials.
    ///
    /// # Errors
    /// `AccountNotFound`.
    #[boxed]
    pub async fn account(&self, username: &str) -> Result<AdminDetails, ServiceError> {
        self.connection()
            .await?
            .transaction(async |connection| {
                let row = named(connection, username).await?;
                let id = AccountId(row.id);
                let sessions = session_list(connection, id, MOST_SESSIONS).await?;
                let tokens = personal_token_list(connection, id).await?;
                let used = sessions.iter().map(|session| Some(session.last_used_at));
                let last = used.chain(tokens.iter().map(|token| token.last_used_at)).max().flatten();
                let last_used_on = last.map(day_of);
                self.note(connection, "accounts.show", Some(row.id)).await?;
                let account = AdminAccount::at(row, clock_read(connection).await?);
                let (sessions, personal_tokens) = (sessions.len(), tokens.len());
                Ok(AdminDetails { account, sessions, personal_tokens, last_used_on })
            })
            .await
    }

    /// Creates an account regardless of the sign-up policy. Without a given password, it returns a random
    /// one.
    ///
    /// # Errors
    /// `InvalidField`, `PasswordCommon`, `UsernameTaken`.
    #[boxed]
    pub async fn create_account(
        &self,
        username: &str,
        password: Option<String>,
    ) -> Result<Option<String>, ServiceError> {
        check_username(username)?;
        let (hash, drawn) = self.hashed(password, [username]).await?;
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

    /// Sets the password of an account, ends all its sessions and tokens, unlinks its identity, deletes its passkeys, and
    /// resets its count of wrong passwords.
    ///
    /// # Errors
    /// `AccountNotFound`, `PasswordCommon`, `InvalidField`, also where the account has none.
    #[boxed]
    pub async fn reset_password(
        &self,
        username: &str,
        password: Option<String>,
    ) -> Result<Option<String>, ServiceError> {
        let row = named(&*self.connection().await?, username).await?;
        let (hash, drawn) = self.hashed(password, row.names()).await?;
        self.connection()
            .await?
            .transaction(async |connection| {
                let id = locked(connection, username).await?;
                if named(connection, username).await?.kind != KIND_PERSON {
                    let detail = "is a bot or a guest, which have no password";
                    return Err(ServiceError::InvalidField { field: "username", detail });
                }
                account_password_update_in_txn(connection, id, &hash).await?;
                identity_update_in_txn(connection, id, None).await?;
                passkey_delete_all(connection, &[id.0]).await?;
                end_all(connection, id).await?;
                password_try_forget(connection, &TriedBy::Name(username).key()).await?;
                self.note(connection, "accounts.reset-password", Some(id.0)).await
            })
            .await?;
        Ok(drawn)
    }

    /// Suspends an account, until a time or until `restore`, and ends all its sessions and tokens.
    ///
    /// Its matchmaking requests and challenges end; its matches stay as they are.
    ///
    /// # Errors
    /// `AccountNotFound`; `InvalidField` without a reason, or if the time is in the past.
    #[boxed]
    pub async fn suspend(
        &self,
        username: &str,
        until: Option<DateTime<Utc>>,
    ) -> Result<Revoked, ServiceError> {
        let reason = self.reason()?;
        let mut connection = self.connection().await?;
        let (id, revoked) = connection
            .transaction(async |connection| {
                let id = locked(connection, username).await?;
                let now = clock_read(connection).await?;
                if until.is_some_and(|until| until <= now) {
                    return Err(ServiceError::InvalidField { field: "until", detail: "is over already" });
                }
                let revoked = Revoked::from(suspend(connection, id, now, until, reason).await?);
                self.note(connection, "accounts.suspend", Some(id.0)).await?;
                Ok::<_, ServiceError>((id, revoked))
            })
            .await?;
        leave_waiting(&mut connection, id).await?;
        Ok(revoked)
    }

    /// Ends a suspension. Sessions and tokens stay ended.
    ///
    /// # Errors
    /// `AccountNotFound`.
    #[boxed]
    pub async fn restore(&self, username: &str) -> Result<(), ServiceError> {
        self.connection()
            .await?
            .transaction(async |connection| {
                let id = locked(connection, username).await?;
                restore(connection, id).await?;
                self.note(connection, "accounts.restore", Some(id.0)).await
            })
            .await
    }

    /// Ends all sessions and personal tokens of an account.
    ///
    /// # Errors
    /// `AccountNotFound`.
    #[boxed]
    pub async fn revoke(&self, username: &str) -> Result<Revoked, ServiceError> {
        self.connection()
            .await?
            .transaction(async |connection| {
                let id = locked(connection, username).await?;
                let revoked = Revoked::from(end_all(connection, id).await?);
                self.note(connection, "accounts.revoke", Some(id.0)).await?;
                Ok(revoked)
            })
            .await
    }

    /// The hash of a password, and the password if it was generated.
    async fn hashed<'a>(
        &self,
        password: Option<String>,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Result<(String, Option<String>), ServiceError> {
        let drawn = password.is_none().then(|| draw_groups(4, 5));
        let password = password.or_else(|| drawn.clone()).unwrap_or_default();
        check_password("password", &password, names)?;
        Ok((self.passwords.hash(password).await?, drawn))
    }
}

async fn locked(connection: &Connection, username: &str) -> Result<AccountId, ServiceError> {
    let id = AccountId(named(connection, username).await?.id);
    let row = account_lock(connection, id).await?.ok_or(ServiceError::AccountNotFound)?;
    Ok(AccountId(row.id))
}
