//! Log-in with a passkey, without a username: the browser offers the passkeys that it has for this service.

use chrono::{DateTime, Utc};
use uuid::Uuid;
use yaniv_auth::passkeys::{Assertion, PasskeyError, RequestOptions, answered_challenge, challenge_hash};
use yaniv_db::accounts::account_changes::account_share_in_txn;
use yaniv_db::accounts::account_rows::{AccountRow, account_find};
use yaniv_db::accounts::audit_log::{AuditEntryRow, audit_entry_insert_in_txn};
use yaniv_db::kernel::clock::clock_read;
use yaniv_db::notifications::deliveries::{NEW_DEVICE, account_message_enqueue};
use yaniv_db::passkeys::challenges::passkey_challenge_take_in_txn;
use yaniv_db::passkeys::credentials::{passkey_account, passkey_lock_in_txn, passkey_use_in_txn};
use yaniv_db::{Connection, Transactions};
use yaniv_model::ids::AccountId;

use crate::accounts::password_attempts::TriedBy;
use crate::accounts::sessions::{LogIn, NewSession, check_suspension};
use crate::kernel::boxed;
use crate::passkeys::store_challenge;
use crate::{ServiceError, Services};

/// Author of the entries of the audit log that the service writes by itself.
const SERVICE: &str = "(service)";

/// A log-in to be tried.
#[derive(Clone)]
struct Trying {
    session: NewSession,
    device_token: Option<String>,
    answer: Assertion,
}

/// Outcome of an attempt.
enum Tried {
    Done(Box<AccountRow>, DateTime<Utc>, Vec<Uuid>),
    /// The challenge is consumed: the transaction has to be committed.
    Refused(ServiceError),
}

impl Services {
    /// Options to log in with a passkey.
    ///
    /// # Errors
    /// `PasskeysOff`.
    #[boxed]
    pub async fn start_passkey_log_in(&self) -> Result<RequestOptions, ServiceError> {
        let options = self.relying_party()?.start_log_in().map_err(ServiceError::internal)?;
        let (hash, state) = (challenge_hash(&options.challenge), options.state.clone());
        self.durably(true, false, move |connection, _| {
            let state = state.clone();
            async move { store_challenge(&connection, hash, None, state).await }
        })
        .await?;
        Ok(options)
    }

    /// Logs in to the account of a passkey.
    ///
    /// # Errors
    /// `PasskeysOff`, `InvalidField`, `PasskeyExpired`, `PasskeyUnknown`, `PasskeyRefused`, `AccountSuspended`.
    #[boxed]
    pub async fn log_in_with_passkey(
        &self,
        answer: Assertion,
        device: Option<String>,
        device_token: Option<String>,
    ) -> Result<LogIn, ServiceError> {
        self.relying_party()?;
        let session = NewSession::new(device)?;
        let trying = Trying { session: session.clone(), device_token, answer };
        let services = self.clone();
        let tried = self
            .durably(true, false, move |mut connection, _| {
                let (services, trying) = (services.clone(), trying.clone());
                async move {
                    connection
                        .transaction(async |connection| services.try_passkey(connection, trying).await)
                        .await
                }
            })
            .await?;
        match tried {
            Tried::Done(row, expires_at, surplus) => {
                self.ended.add(surplus);
                self.log_in_of(*row, &session, expires_at)
            }
            Tried::Refused(error) => Err(error),
        }
    }

    /// Consumes the challenge, and begins the session if the answer is right.
    async fn try_passkey(&self, connection: &Connection, trying: Trying) -> Result<Tried, ServiceError> {
        let Trying { session, device_token, answer } = trying;
        // Stored by an earlier try whose response was lost.
        if let Some((row, expires_at)) = session.begun_before(connection).await? {
            return Ok(Tried::Done(Box::new(row), expires_at, Vec::new()));
        }
        let hash = answered_challenge(&answer.client_data).ok_or(ServiceError::PasskeyExpired)?;
        let state = passkey_challenge_take_in_txn(connection, &hash, None).await?;
        let state = state.ok_or(ServiceError::PasskeyExpired)?;
        let credential_id = answer.credential_id.clone();
        let Some(row) = account_of(connection, &credential_id).await? else {
            return Ok(Tried::Refused(ServiceError::PasskeyUnknown));
        };
        let account = AccountId(row.id);
        let Some(passkey) = passkey_lock_in_txn(connection, account, &credential_id).await? else {
            return Ok(Tried::Refused(ServiceError::PasskeyUnknown));
        };
        let verified = self.relying_party()?.finish_log_in(answer, state, row.id, passkey.credential);
        let credential = match verified {
            Ok(credential) => credential,
            Err(error) => return refused(connection, account, error).await,
        };
        if let Err(error) = check_suspension(connection, row.clone()).await {
            return Ok(Tried::Refused(error));
        }
        let by = self.tried_by(&row.username, Some(&row), device_token.as_deref());
        if !matches!(by, TriedBy::Device(..)) {
            account_message_enqueue(connection, account, NEW_DEVICE).await?;
        }
        passkey_use_in_txn(connection, passkey.id, &credential).await?;
        let (expires_at, surplus) = session.begin(connection, row.id).await?;
        Ok(Tried::Done(Box::new(row), expires_at, surplus))
    }
}

/// The account of a credential, locked against changes.
async fn account_of(
    connection: &Connection,
    credential_id: &[u8],
) -> Result<Option<AccountRow>, ServiceError> {
    let Some(account) = passkey_account(connection, credential_id).await? else { return Ok(None) };
    account_share_in_txn(connection, &[account.0]).await?;
    Ok(account_find(connection, account).await?)
}

/// Refuses an assertion. A signature counter that went back gets an entry in the audit log: the passkey may be cloned.
async fn refused(
    connection: &Connection,
    account: AccountId,
    error: PasskeyError,
) -> Result<Tried, ServiceError> {
    if matches!(error, PasskeyError::Unreadable(_)) {
        return Err(ServiceError::internal(error));
    }
    tracing::info!(%error, "a log-in with a passkey was refused");
    if matches!(error, PasskeyError::CounterWentBack) {
        let entry = AuditEntryRow {
            id: Uuid::now_v7(),
            at: clock_read(connection).await?,
            by: SERVICE.to_owned(),
            action: "passkeys.counter-went-back".to_owned(),
            subject_id: Some(account.0),
            reason: None,
        };
        audit_entry_insert_in_txn(connection, &entry).await?;
    }
    Ok(Tried::Refused(ServiceError::PasskeyRefused))
}
