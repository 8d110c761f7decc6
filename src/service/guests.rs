//! Guests: people who play at once, without a name of their own or a password, and may claim the account later. Nobody else
//! can get into it, and nobody at all once its last session has ended.

use diesel_async::{AsyncConnection, AsyncPgConnection};

use super::accounts::{Account, check_password, check_username};
use super::name_keeping::{hold_username, taken};
use super::names::{GUEST_PREFIX, check_display_name, check_not_reserved, generated};
use super::personal_tokens::hold;
use super::sessions::{LogIn, NewSession};
use super::{ServiceError, Services};
use crate::auth::access::Access;
use crate::ids::AccountId;
use crate::store::account_changes::account_claim_in_txn;
use crate::store::accounts::{AccountRow, KIND_GUEST, NewAccount, account_find, account_lock};

impl Services {
    /// Creates an account without a password, under a generated name, and logs it in.
    ///
    /// # Errors
    /// `InvalidField`, `DisplayNameTaken`; `Busy` where the name that was drawn is in use; and those of `admit`.
    pub async fn create_guest(
        &self,
        device: Option<String>,
        display_name: Option<String>,
        invitation: Option<&str>,
    ) -> Result<LogIn, ServiceError> {
        let session = NewSession::new(device)?;
        let admission = self.admit(invitation).await?;
        let display_skeleton = display_name.as_deref().map(check_display_name).transpose()?;
        let new = NewAccount {
            id: AccountId::generate().0,
            username: generated(GUEST_PREFIX),
            password_hash: String::new(),
            kind: KIND_GUEST,
            owner_id: None,
            display_name,
            display_skeleton,
        };
        let (row, expires_at) =
            self.sign_up(new, &session, admission).await.map_err(|error| match error {
                ServiceError::UsernameTaken => ServiceError::Busy,
                other => other,
            })?;
        self.log_in_of(row, &session, expires_at)
    }

    /// Gives a guest a name and a password: a full account, with everything in it.
    ///
    /// # Errors
    /// `SessionRequired`, `NotAGuest`, `InvalidField`, `UsernameReserved`, `UsernameTaken`, `Busy`.
    pub async fn claim_account(
        &self,
        access: Access,
        username: String,
        password: String,
    ) -> Result<Account, ServiceError> {
        check_username(&username)?;
        check_not_reserved(&username)?;
        check_password("password", &password)?;
        let session = access.session().ok_or(ServiceError::SessionRequired)?;
        let account = access.account;
        let row = account_find(&*self.store.connection().await?, account).await?;
        if !row.ok_or(ServiceError::InvalidToken)?.is_guest() {
            return Err(ServiceError::NotAGuest);
        }
        let hash = self.keeper.passwords.hash(password).await?;
        let row = self
            .durably(true, false, move |mut connection, _| {
                let (username, hash) = (username.clone(), hash.clone());
                async move {
                    connection
                        .transaction(async |connection| {
                            hold(connection, account, session, account).await?;
                            claim(connection, account, &username, &hash).await
                        })
                        .await
                }
            })
            .await?;
        self.tables.hear(vec![(row.id, row.username.clone())]);
        Ok(row.into())
    }
}

async fn claim(
    connection: &AsyncPgConnection,
    account: AccountId,
    username: &str,
    hash: &str,
) -> Result<AccountRow, ServiceError> {
    let row = account_lock(connection, account).await?.ok_or(ServiceError::InvalidToken)?;
    if row.is_guest() {
        hold_username(connection, username, account.0).await?;
        return account_claim_in_txn(connection, account, username, hash).await.map_err(taken);
    }
    // Done by this very request, whose connection was lost: nobody else has this hash.
    if row.password_hash == hash { Ok(row) } else { Err(ServiceError::NotAGuest) }
}
