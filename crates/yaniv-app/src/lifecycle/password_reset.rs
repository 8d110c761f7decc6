//! Reset of a forgotten password by a code that is sent to the account's verified e-mail address.

use chrono::{DateTime, Utc};
use uuid::Uuid;
use yaniv_db::accounts::account_changes::account_password_update_in_txn;
use yaniv_db::accounts::account_rows::{AccountRow, account_find, account_lock};
use yaniv_db::accounts::email_codes::{RESET_PASSWORD, email_code_find};
use yaniv_db::accounts::sessions::session_end_others;
use yaniv_db::accounts::tokens::personal_token_end_others;
use yaniv_db::notifications::channels::EMAIL;
use yaniv_db::notifications::deliveries::{PASSWORD_CHANGED, account_message_enqueue};
use yaniv_db::notifications::email_channels::{email_channel_find, email_channel_list_by_address};
use yaniv_db::oidc::identities::identity_update_in_txn;
use yaniv_db::passkeys::credentials::passkey_delete_all;
use yaniv_db::{Connection, Transactions};
use yaniv_model::ids::AccountId;

use crate::accounts::register::check_password;
use crate::accounts::sessions::{LogIn, NewSession, check_suspension};
use crate::kernel::boxed;
use crate::kernel::readable_codes::secret_code_hash;
use crate::notifications::Kind;
use crate::notifications::channels::email_limits::count_code_in_txn;
use crate::notifications::outbox::email::enqueue_code_in_txn;
use crate::{ServiceError, Services};

/// Maximum number of accounts with the same address that get a code.
const MOST_ACCOUNTS: i64 = 5;
/// The field of the new password.
const FIELD: &str = "new_password";

impl Services {
    /// Sends a code to an address, for each account of which it is the verified address.
    ///
    /// Returns before it is known whether there is one, so that the response does not reveal it.
    ///
    /// # Errors
    /// `EmailOff`, `InvalidField`.
    pub fn request_password_reset(&self, address: String) -> Result<(), ServiceError> {
        self.check_email(&address)?;
        let services = self.clone();
        let sending = async move {
            if let Err(error) = services.send_reset_codes(address).await {
                tracing::warn!(%error, "a code to reset a password was not sent");
            }
        };
        drop(self.writes.spawn_on(sending, &self.runtime));
        Ok(())
    }

    async fn send_reset_codes(&self, address: String) -> Result<(), ServiceError> {
        let connection = self.store.connection().await?;
        let channels = email_channel_list_by_address(&connection, &address, MOST_ACCOUNTS).await?;
        drop(connection);
        if channels.is_empty() {
            return Ok(());
        }
        let counted = self
            .durably(true, false, move |connection, _| {
                let address = address.clone();
                async move { count_code_in_txn(&connection, Kind::ResetPassword, &address).await }
            })
            .await;
        if matches!(counted, Err(ServiceError::TooManyEmails(_))) {
            // The earlier codes are still valid.
            return Ok(());
        }
        counted?;
        for channel in channels {
            self.durably(true, false, move |mut connection, _| {
                let channel = channel.clone();
                async move {
                    connection
                        .transaction(async |connection| {
                            account_lock(connection, AccountId(channel.account_id)).await?;
                            enqueue_code_in_txn(connection, &channel, Kind::ResetPassword).await
                        })
                        .await
                }
            })
            .await?;
        }
        self.notices.wake_dispatcher();
        Ok(())
    }

    /// Sets a new password by a code, ends access by all other credentials, and logs in.
    ///
    /// # Errors
    /// `InvalidField`, `PasswordCommon`, `EmailCodeInvalid`, `AccountSuspended`, `Busy`.
    #[boxed]
    pub async fn reset_password(
        &self,
        code: &str,
        password: String,
        device: Option<String>,
    ) -> Result<LogIn, ServiceError> {
        check_password(FIELD, &password, [])?;
        let new = NewSession::new(device)?;
        let hash = secret_code_hash(code).ok_or(ServiceError::EmailCodeInvalid)?;
        let found = account_of(&*self.store.connection().await?, &hash).await?;
        check_password(FIELD, &password, found.names())?;
        let after = self.keeper.passwords.hash(password).await?;
        let (begun, password_hash) = (new.clone(), after.clone());
        let (expires_at, ended) = self
            .durably(true, false, move |mut connection, _| {
                let (begun, after) = (begun.clone(), password_hash.clone());
                async move {
                    connection
                        .transaction(async |connection| redeem(connection, &hash, &after, &begun).await)
                        .await
                }
            })
            .await?;
        self.ended.add(ended);
        self.log_in_of(AccountRow { password_hash: after, ..found }, &new, expires_at)
    }
}

/// The account of a code.
async fn account_of(connection: &Connection, hash: &[u8]) -> Result<AccountRow, ServiceError> {
    let channel = email_code_find(connection, hash, RESET_PASSWORD).await?;
    let channel = channel.ok_or(ServiceError::EmailCodeInvalid)?;
    let row = email_channel_find(connection, channel, EMAIL).await?.ok_or(ServiceError::EmailCodeInvalid)?;
    let account = account_find(connection, AccountId(row.account_id)).await?;
    account.ok_or(ServiceError::EmailCodeInvalid)
}

/// Replaces the password, which voids the code, and starts the session; returns its expiry, and the ended sessions and
/// tokens.
async fn redeem(
    connection: &Connection,
    hash: &[u8],
    password_hash: &str,
    new: &NewSession,
) -> Result<(DateTime<Utc>, Vec<Uuid>), ServiceError> {
    // Stored by an earlier try whose response was lost.
    if let Some((_, expires_at)) = new.begun_before(connection).await? {
        return Ok((expires_at, Vec::new()));
    }
    let account = AccountId(account_of(connection, hash).await?.id);
    let row = account_lock(connection, account).await?.ok_or(ServiceError::EmailCodeInvalid)?;
    // Another request may have set a password while this one waited for the lock.
    email_code_find(connection, hash, RESET_PASSWORD).await?.ok_or(ServiceError::EmailCodeInvalid)?;
    check_suspension(connection, row).await?;
    account_password_update_in_txn(connection, account, password_hash).await?;
    // As sessions and tokens, a log-in by the OpenID provider ends, and by passkeys: they may be a thief's.
    identity_update_in_txn(connection, account, None).await?;
    passkey_delete_all(connection, &[account.0]).await?;
    let mut ended = session_end_others(connection, account, None).await?;
    ended.extend(personal_token_end_others(connection, account, None).await?);
    account_message_enqueue(connection, account, PASSWORD_CHANGED).await?;
    let (expires_at, surplus) = new.begin(connection, account.0).await?;
    ended.extend(surplus);
    Ok((expires_at, ended))
}
