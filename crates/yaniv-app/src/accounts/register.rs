//! Registration, log-in, and changes of the password. Sessions are in `accounts::sessions`.

use chrono::{DateTime, Utc};
use uuid::Uuid;
use yaniv_auth::access::Access;
use yaniv_auth::password;
use yaniv_db::accounts::account_changes::account_password_update_in_txn;
use yaniv_db::accounts::account_rows::{
    AccountRow, KIND_PERSON, NewAccount, account_find, account_find_by_username, account_lock,
};
use yaniv_db::accounts::sessions::session_end_others;
use yaniv_db::accounts::tokens::personal_token_end_others;
use yaniv_db::notifications::deliveries::{PASSWORD_CHANGED, account_message_enqueue};
use yaniv_db::{Connection, Transactions};
use yaniv_model::ids::AccountId;
use yaniv_texts::Language;

use crate::accounts::name_registry::store_account;
use crate::accounts::names::check_not_reserved;
use crate::accounts::password_attempts::{Proof, TriedBy};
use crate::accounts::sessions::{LogIn, NewSession};
use crate::accounts::sign_up_policy::Admission;
use crate::kernel::boxed;
use crate::{ServiceError, Services};

/// An account as its owner sees it.
#[derive(Clone, Debug)]
pub struct Account {
    /// Its identifier.
    pub id: AccountId,
    /// Username, used for log-in.
    pub username: String,
    /// When it was registered.
    pub created_at: DateTime<Utc>,
    /// Display name.
    pub display_name: Option<String>,
    /// Language of the notifications.
    pub language: Language,
    /// Time zone of the owner.
    pub time_zone: Option<String>,
    /// Whether it is a guest.
    pub guest: bool,
    /// Whether it has a password.
    pub has_password: bool,
    /// Whether an identity is linked: its owner can log in by the OpenID provider.
    pub has_identity: bool,
    /// Whether it is a bot.
    pub bot: bool,
}

/// Request to change a password.
#[derive(Clone)]
pub struct PasswordChange {
    /// The current password, or what stands for it.
    pub current: Proof,
    /// The new password.
    pub new: String,
    /// Whether personal tokens stay valid.
    pub keep_tokens: bool,
}

impl From<AccountRow> for Account {
    fn from(row: AccountRow) -> Self {
        Self {
            id: AccountId(row.id),
            guest: row.is_guest(),
            bot: row.is_bot(),
            has_password: row.password().is_some(),
            has_identity: row.has_identity(),
            username: row.username,
            created_at: row.created_at,
            display_name: row.display_name,
            language: Language::of_account(row.language.as_deref()),
            time_zone: row.time_zone,
        }
    }
}

impl Services {
    /// Creates an account and logs it in.
    ///
    /// # Errors
    /// `InvalidField`, `PasswordCommon`, `UsernameReserved`, `UsernameTaken`, `Busy`, and those of `admit`.
    #[boxed]
    pub async fn register(
        &self,
        username: String,
        password: String,
        device: Option<String>,
        invitation: Option<&str>,
        language: Language,
    ) -> Result<LogIn, ServiceError> {
        check_username(&username)?;
        check_not_reserved(&username)?;
        check_password("password", &password, [username.as_str()])?;
        let session = NewSession::new(device)?;
        let admission = self.admit(invitation).await?;
        let hash = self.keeper.passwords.hash(password).await?;
        let new = NewAccount { language: Some(language.tag()), ..person(username, hash) };
        let (row, expires_at) = self.sign_up(new, &session, admission).await?;
        self.log_in_of(row, &session, expires_at)
    }

    /// Stores a new account with its first session; returns the session's expiry.
    ///
    /// # Errors
    /// `UsernameTaken`, `DisplayNameTaken`, `InvitationInvalid`.
    pub(crate) async fn sign_up(
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

    /// Logs in. An unknown name takes as long as a wrong password, and counts as one.
    ///
    /// # Errors
    /// `InvalidCredentials`, `TooManyAttempts`, `AccountSuspended`, `InvalidField`, `Busy`.
    #[boxed]
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
        // As phones write it. Counted as one name, too.
        let username = username.trim().to_ascii_lowercase();
        let row = match check_username(&username) {
            Ok(()) => account_find_by_username(&*self.store.connection().await?, &username).await?,
            Err(_) => None,
        };
        let hash = row.as_ref().and_then(AccountRow::password);
        let by = self.tried_by(&username, row.as_ref(), device_token);
        let known = matches!(by, TriedBy::Device(..));
        let right = self.is_password(place, by, password, hash).await?;
        match row {
            Some(row) if right => self.begin_session(row, session, known).await,
            _ => Err(ServiceError::InvalidCredentials),
        }
    }

    /// Changes the caller's password and ends access by all other credentials.
    ///
    /// All other sessions end; all other personal tokens too, unless `keep_tokens` is set.
    ///
    /// # Errors
    /// `InvalidField`, `PasswordCommon`, and those of `check_owner`.
    #[boxed]
    pub async fn change_password(&self, access: Access, change: PasswordChange) -> Result<(), ServiceError> {
        check_password("new_password", &change.new, [])?;
        let row = self.check_owner(access, change.current).await?;
        check_password("new_password", &change.new, row.names())?;
        let before = row.password_hash;
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
    #[boxed]
    pub async fn account(&self, id: AccountId) -> Result<Account, ServiceError> {
        let row = account_find(&*self.store.connection().await?, id).await?;
        row.map(Account::from).ok_or(ServiceError::InvalidToken)
    }
}

/// A new account with a password.
pub(crate) fn person(username: String, password_hash: String) -> NewAccount {
    NewAccount {
        id: AccountId::generate().0,
        username,
        password_hash,
        kind: KIND_PERSON,
        owner_id: None,
        display_name: None,
        display_skeleton: None,
        language: None,
        oidc_issuer: None,
        oidc_subject: None,
    }
}

/// Changes the password if the stored hash is the one that was verified, or an earlier try has done it
/// already.
async fn replace_password(
    connection: &Connection,
    access: Access,
    before: &str,
    after: &str,
) -> Result<(), ServiceError> {
    let row = account_lock(connection, access.account).await?.ok_or(ServiceError::InvalidToken)?;
    if row.password_hash != before && row.password_hash != after {
        return Err(ServiceError::WrongPassword);
    }
    if row.password_hash != after {
        account_message_enqueue(connection, access.account, PASSWORD_CHANGED).await?;
    }
    Ok(account_password_update_in_txn(connection, access.account, after).await?)
}

async fn end_others(
    connection: &Connection,
    access: Access,
    keep_tokens: bool,
) -> Result<Vec<Uuid>, ServiceError> {
    let mut ended = session_end_others(connection, access.account, access.session()).await?;
    if !keep_tokens {
        ended.extend(personal_token_end_others(connection, access.account, access.token()).await?);
    }
    Ok(ended)
}

/// Checks the form of a username.
///
/// # Errors
/// `InvalidField`.
pub(crate) fn check_username(username: &str) -> Result<(), ServiceError> {
    let right = (3..=20).contains(&username.len())
        && username.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    if right {
        return Ok(());
    }
    Err(ServiceError::InvalidField {
        field: "username",
        detail: "must be 3 to 20 of the characters a-z, 0-9 and _",
    })
}

/// Checks that a password is allowed for an account with these names.
///
/// # Errors
/// `InvalidField`, `PasswordCommon`.
pub(crate) fn check_password<'a>(
    field: &'static str,
    password: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> Result<(), ServiceError> {
    if !(password::MIN_LENGTH..=password::MAX_LENGTH).contains(&password.chars().count()) {
        return Err(ServiceError::InvalidField { field, detail: "must be 8 to 128 characters" });
    }
    let folded = password.trim().to_lowercase();
    if password::is_common(password) || names.into_iter().any(|name| name.trim().to_lowercase() == folded) {
        return Err(ServiceError::PasswordCommon(field));
    }
    Ok(())
}
