//! What a proven identity is good for: log in, register, link it to an account.

use chrono::{DateTime, Utc};
use yaniv_auth::access::Access;
use yaniv_auth::oidc_cookies::ProvenIdentity;
use yaniv_db::accounts::account_rows::{AccountRow, NewAccount, account_lock};
use yaniv_db::notifications::deliveries::{IDENTITY_LINKED, NEW_DEVICE, account_message_enqueue};
use yaniv_db::oidc::identities::{identity_find, identity_hold_in_txn, identity_update_in_txn};
use yaniv_db::{Connection, StoreError, Transactions};
use yaniv_model::ids::AccountId;
use yaniv_texts::Language;

use crate::accounts::names::check_not_reserved;
use crate::accounts::password_attempts::{Proof, TriedBy};
use crate::accounts::register::{check_username, person};
use crate::accounts::sessions::{LogIn, NewSession, check_suspension};
use crate::kernel::boxed;
use crate::{ServiceError, Services};

/// Name of the unique index on identities.
const IDENTITY_KEY: &str = "accounts_identity_key";

impl Services {
    /// Logs in to the account of an identity.
    ///
    /// # Errors
    /// `IdentityRequired`, `IdentityUnknown`, `AccountSuspended`, `InvalidField`.
    #[boxed]
    pub async fn log_in_with_identity(
        &self,
        identity: Option<ProvenIdentity>,
        device: Option<String>,
        device_token: Option<&str>,
    ) -> Result<LogIn, ServiceError> {
        let session = NewSession::new(device)?;
        let identity = by_log_in(identity)?;
        let connection = self.store.connection().await?;
        let row = identity_find(&connection, &identity.issuer, &identity.subject).await?;
        drop(connection);
        let row = row.ok_or(ServiceError::IdentityUnknown)?;
        let by = self.tried_by(&row.username, Some(&row), device_token);
        let known = matches!(by, TriedBy::Device(..));
        let begun = session.clone();
        let (row, expires_at, surplus) = self
            .durably(true, false, move |mut connection, _| {
                let (identity, begun) = (identity.clone(), begun.clone());
                async move {
                    connection
                        .transaction(async |connection| begin(connection, &identity, &begun, known).await)
                        .await
                }
            })
            .await?;
        self.ended.add(surplus);
        self.log_in_of(row, &session, expires_at)
    }

    /// Creates an account without a password for an identity, and logs it in.
    ///
    /// # Errors
    /// `IdentityRequired`, `IdentityTaken`, `InvalidField`, `UsernameReserved`, `UsernameTaken`, and those of `admit`.
    #[boxed]
    pub async fn register_with_identity(
        &self,
        identity: Option<ProvenIdentity>,
        username: String,
        device: Option<String>,
        invitation: Option<&str>,
        language: Language,
    ) -> Result<LogIn, ServiceError> {
        check_username(&username)?;
        check_not_reserved(&username)?;
        let session = NewSession::new(device)?;
        let ProvenIdentity { issuer, subject, .. } = by_log_in(identity)?;
        let admission = self.admit(invitation).await?;
        let new = NewAccount {
            language: Some(language.tag()),
            oidc_issuer: Some(issuer.clone()),
            oidc_subject: Some(subject.clone()),
            ..person(username, String::new())
        };
        let stored = self.sign_up(new, &session, admission).await;
        let (row, expires_at) = match stored {
            // Whatever the name: after a lost answer, the client has to log in.
            Err(ServiceError::UsernameTaken) => {
                let owner = identity_find(&*self.store.connection().await?, &issuer, &subject).await?;
                let error = owner.map_or(ServiceError::UsernameTaken, |_| ServiceError::IdentityTaken);
                return Err(error);
            }
            stored => stored?,
        };
        self.log_in_of(row, &session, expires_at)
    }

    /// Links an identity to the caller's account, in place of an earlier one. Needs the password: who has a session only
    /// must not get a log-in of his own.
    ///
    /// # Errors
    /// `IdentityRequired`, `IdentityTaken`, and those of `check_owner`.
    #[boxed]
    pub async fn link_identity(
        &self,
        access: Access,
        identity: Option<ProvenIdentity>,
        password: String,
    ) -> Result<(), ServiceError> {
        let identity = by_log_in(identity)?;
        let proof = Proof { password: Some(password), field: "current_password", identity: None };
        let before = self.check_owner(access, proof).await?.password_hash;
        let account = access.account;
        self.durably(true, false, move |mut connection, _| {
            let (identity, before) = (identity.clone(), before.clone());
            async move {
                connection
                    .transaction(async |connection| {
                        let row =
                            account_lock(connection, account).await?.ok_or(ServiceError::InvalidToken)?;
                        if row.password_hash != before {
                            return Err(ServiceError::WrongPassword);
                        }
                        // Not told of again by a retry.
                        let linked = (row.oidc_issuer.as_deref(), row.oidc_subject.as_deref());
                        if linked != (Some(&identity.issuer), Some(&identity.subject)) {
                            account_message_enqueue(connection, account, IDENTITY_LINKED).await?;
                        }
                        let identity = Some((identity.issuer.as_str(), identity.subject.as_str()));
                        identity_update_in_txn(connection, account, identity).await.map_err(taken)
                    })
                    .await
            }
        })
        .await
    }

    /// Unlinks the identity of the caller's account; idempotent.
    ///
    /// # Errors
    /// `PasswordMissing`: without a password, nobody could log in any more. `SessionRequired`: a leaked token must not do
    /// more than the owner can undo.
    #[boxed]
    pub async fn unlink_identity(&self, access: Access) -> Result<(), ServiceError> {
        access.session().ok_or(ServiceError::SessionRequired)?;
        let account = access.account;
        self.durably(true, false, move |mut connection, _| async move {
            connection
                .transaction(async |connection| {
                    let row = account_lock(connection, account).await?.ok_or(ServiceError::InvalidToken)?;
                    if row.has_identity() && row.password().is_none() {
                        return Err(ServiceError::PasswordMissing);
                    }
                    Ok(identity_update_in_txn(connection, account, None).await?)
                })
                .await
        })
        .await
    }
}

/// An identity to log in with: one of a reauthentication confirms a change, and is for nothing else.
fn by_log_in(identity: Option<ProvenIdentity>) -> Result<ProvenIdentity, ServiceError> {
    identity.filter(|identity| !identity.reauthenticated).ok_or(ServiceError::IdentityRequired)
}

/// Stores a session for the account of an identity.
async fn begin(
    connection: &Connection,
    identity: &ProvenIdentity,
    session: &NewSession,
    known: bool,
) -> Result<(AccountRow, DateTime<Utc>, Vec<uuid::Uuid>), ServiceError> {
    let held = identity_hold_in_txn(connection, &identity.issuer, &identity.subject).await?;
    let row = held.ok_or(ServiceError::IdentityUnknown)?;
    check_suspension(connection, row.clone()).await?;
    if !known {
        account_message_enqueue(connection, AccountId(row.id), NEW_DEVICE).await?;
    }
    let (expires_at, surplus) = session.begin(connection, row.id).await?;
    Ok((row, expires_at, surplus))
}

fn taken(error: StoreError) -> ServiceError {
    match error {
        StoreError::Taken(constraint) if constraint == IDENTITY_KEY => ServiceError::IdentityTaken,
        other => other.into(),
    }
}
