//! Transfer codes: carry a log-in from one device to another, such as from a browser to the installed app,
//! which does not see the browser's storage.
//!
//! A code is valid once and for two minutes, as long as the session that created it is open. The new session
//! is independent of that one.

use chrono::{DateTime, TimeDelta, Utc};
use uuid::Uuid;
use yaniv_auth::access::Access;
use yaniv_db::accounts::account_changes::account_share_in_txn;
use yaniv_db::accounts::account_rows::{AccountRow, account_find};
use yaniv_db::accounts::transfer_codes::{
    TransferCodeRow, transfer_code_account, transfer_code_put_in_txn, transfer_code_take_in_txn,
};
use yaniv_db::kernel::clock::clock_read;
use yaniv_db::{Connection, Transactions};
use yaniv_model::ids::{AccountId, SessionId};

use crate::accounts::sessions::{LogIn, NewSession};
use crate::accounts::tokens::hold;
use crate::kernel::boxed;
use crate::kernel::readable_codes::{draw_secret_code, secret_code_hash};
use crate::{ServiceError, Services};

/// Lifetime of a code.
const LIFETIME: TimeDelta = TimeDelta::minutes(2);

/// A code by which another device logs in.
pub struct TransferCode {
    /// The code, in groups.
    pub code: String,
    /// When it expires.
    pub expires_at: DateTime<Utc>,
}

impl Services {
    /// Creates a transfer code, in the place of an earlier one of the session. Needs a session: a leaked
    /// personal token must not become one.
    ///
    /// # Errors
    /// `SessionRequired`; `InvalidToken` if the session has ended meanwhile.
    #[boxed]
    pub async fn create_transfer_code(&self, access: Access) -> Result<TransferCode, ServiceError> {
        let session = access.session().ok_or(ServiceError::SessionRequired)?;
        let (code, hash) = draw_secret_code();
        let expires_at = self
            .durably(true, false, move |mut connection, _| async move {
                connection
                    .transaction(async |connection| put(connection, access.account, session, &hash).await)
                    .await
            })
            .await?;
        Ok(TransferCode { code, expires_at })
    }

    /// Starts a session by a transfer code.
    ///
    /// # Errors
    /// `InvalidField`; `TransferCodeInvalid` if the code is unknown, used, expired or void.
    #[boxed]
    pub async fn log_in_by_transfer_code(
        &self,
        code: &str,
        device: Option<String>,
    ) -> Result<LogIn, ServiceError> {
        let new = NewSession::new(device)?;
        let hash = secret_code_hash(code).ok_or(ServiceError::TransferCodeInvalid)?;
        let begun = new.clone();
        let (account, expires_at, surplus) = self
            .durably(true, false, move |mut connection, _| {
                let begun = begun.clone();
                async move {
                    connection.transaction(async |connection| redeem(connection, &hash, &begun).await).await
                }
            })
            .await?;
        self.ended.add(surplus);
        self.log_in_of(account, &new, expires_at)
    }
}

async fn put(
    connection: &Connection,
    account: AccountId,
    session: SessionId,
    hash: &[u8],
) -> Result<DateTime<Utc>, ServiceError> {
    hold(connection, account, session, account).await?;
    let expires_at = clock_read(connection).await? + LIFETIME;
    let row = TransferCodeRow { session_id: session.0, hash: hash.to_vec(), expires_at };
    transfer_code_put_in_txn(connection, &row).await?;
    Ok(expires_at)
}

/// Takes the code and stores the session; returns the account, and the result of `NewSession::begin`.
async fn redeem(
    connection: &Connection,
    hash: &[u8],
    new: &NewSession,
) -> Result<(AccountRow, DateTime<Utc>, Vec<Uuid>), ServiceError> {
    // Stored by an earlier try whose response was lost.
    if let Some((account, expires_at)) = new.begun_before(connection).await? {
        return Ok((account, expires_at, Vec::new()));
    }
    let account = transfer_code_account(connection, hash).await?;
    let account = account.ok_or(ServiceError::TransferCodeInvalid)?;
    // A change of the password, which voids the code, comes before or after.
    account_share_in_txn(connection, &[account.0]).await?;
    let valid = transfer_code_take_in_txn(connection, hash).await?;
    let now = clock_read(connection).await?;
    let row = account_find(connection, account).await?;
    // A suspension ends all sessions; this catches one that began in spite of it.
    let row = row.filter(|row| valid && !row.is_suspended(now)).ok_or(ServiceError::TransferCodeInvalid)?;
    let (expires_at, surplus) = new.begin(connection, account.0).await?;
    Ok((row, expires_at, surplus))
}
