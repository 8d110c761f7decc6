//! Guest accounts: players without a chosen name or a password, who may claim the account later.
//!
//! Only its own sessions can access it: after the last one ends it is unreachable.

use yaniv_auth::access::Access;
use yaniv_db::accounts::account_changes::account_claim_in_txn;
use yaniv_db::accounts::account_rows::{AccountRow, KIND_GUEST, NewAccount, account_find, account_lock};
use yaniv_db::{Connection, Transactions};
use yaniv_model::ids::AccountId;
use yaniv_texts::Language;

use crate::accounts::name_registry::{hold_username, taken};
use crate::accounts::names::{GUEST_PREFIX, check_display_name, check_not_reserved, generated};
use crate::accounts::profiles::current_names;
use crate::accounts::register::{Account, check_password, check_username};
use crate::accounts::sessions::{LogIn, NewSession};
use crate::accounts::tokens::hold;
use crate::kernel::boxed;
use crate::kernel::mutes::check_not_muted;
use crate::{ServiceError, Services};

impl Services {
    /// Creates an account without a password, with a generated name, and logs it in.
    ///
    /// # Errors
    /// `InvalidField`, `DisplayNameTaken`; `Busy` if the generated name is in use; and those of `admit`.
    #[boxed]
    pub async fn create_guest(
        &self,
        device: Option<String>,
        display_name: Option<String>,
        invitation: Option<&str>,
        language: Language,
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
            language: Some(language.tag()),
            oidc_issuer: None,
            oidc_subject: None,
        };
        let (row, expires_at) =
            self.sign_up(new, &session, admission).await.map_err(|error| match error {
                ServiceError::UsernameTaken => ServiceError::Busy,
                other => other,
            })?;
        self.log_in_of(row, &session, expires_at)
    }

    /// Turns a guest account into a full account with a name and a password; its data is kept.
    ///
    /// # Errors
    /// `SessionRequired`, `NotAGuest`, `InvalidField`, `PasswordCommon`, `UsernameReserved`, `UsernameTaken`,
    /// `Muted`, `Busy`.
    #[boxed]
    pub async fn claim_account(
        &self,
        access: Access,
        username: String,
        password: String,
    ) -> Result<Account, ServiceError> {
        check_username(&username)?;
        check_not_reserved(&username)?;
        check_password("password", &password, [username.as_str()])?;
        let session = access.session().ok_or(ServiceError::SessionRequired)?;
        let account = access.account;
        let row = account_find(&*self.store.connection().await?, account).await?;
        let row = row.ok_or(ServiceError::InvalidToken)?;
        if !row.is_guest() {
            return Err(ServiceError::NotAGuest);
        }
        check_password("password", &password, row.names())?;
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
        self.match_cache.hear(vec![current_names(&row)]);
        Ok(row.into())
    }
}

async fn claim(
    connection: &Connection,
    account: AccountId,
    username: &str,
    hash: &str,
) -> Result<AccountRow, ServiceError> {
    let row = account_lock(connection, account).await?.ok_or(ServiceError::InvalidToken)?;
    if row.is_guest() {
        check_not_muted(connection, account).await?;
        hold_username(connection, username, account.0).await?;
        return account_claim_in_txn(connection, account, username, hash).await.map_err(taken);
    }
    // Done by an earlier try of this request whose connection was lost: no other request has this hash.
    if row.password_hash == hash { Ok(row) } else { Err(ServiceError::NotAGuest) }
}
