//! Refreshing a session by its refresh token.
//!
//! A refresh token is used once. A client that lost the response retries with the same token, at any time
//! until the response of a refresh has arrived, that is, until a successor or its access token is first used
//! (`accounts::confirmations`). Within ten seconds it gets the same successor, derived from the token and a
//! salt in the row, so that no secret has to be stored; later another one, and the earlier successors are
//! void. A token that is older, void, or shown after its successor was used means that two clients have it:
//! the session ends (`docs/decisions/0008-refresh-token-rotation.md`).

use chrono::{DateTime, TimeDelta, Utc};
use yaniv_auth::opaque::TokenSecret;
use yaniv_db::accounts::account_rows::{AccountRow, account_find};
use yaniv_db::accounts::sessions::{SessionRow, session_end, session_lock, session_rotate_in_txn};
use yaniv_db::kernel::clock::clock_read;
use yaniv_db::{Connection, Transactions};
use yaniv_model::ids::{AccountId, SessionId};

use crate::accounts::sessions::{LIFETIME, LogIn};
use crate::kernel::boxed;
use crate::{ServiceError, Services};

/// How long a retry gets the same successor.
///
/// Clients that refresh from several requests at once get one chain; and an answer that arrives late, after
/// that of a retry, is still good.
const SAME: TimeDelta = TimeDelta::seconds(10);

/// Outcome of a refresh.
enum Refreshed {
    Done(Box<(AccountRow, SessionRow, TokenSecret)>),
    /// The session was ended; the transaction has to be committed.
    Reused,
}

impl Services {
    /// Exchanges a refresh token for the next one and an access token.
    ///
    /// # Errors
    /// `InvalidRefreshToken`; `RefreshTokenReused`, after which the session has ended.
    #[boxed]
    pub async fn refresh(&self, token: &str) -> Result<LogIn, ServiceError> {
        let (session, secret) =
            self.keeper.seal.open_refresh_token(token).ok_or(ServiceError::InvalidRefreshToken)?;
        let refreshed = self
            .durably(true, false, move |mut connection, _| async move {
                connection
                    .transaction(async |connection| try_refresh(connection, session, &secret).await)
                    .await
            })
            .await?;
        match refreshed {
            Refreshed::Done(done) => {
                let (account, row, next) = *done;
                self.log_in_with(account, session, &next, Some(next.generation()), row.expires_at)
            }
            Refreshed::Reused => {
                self.ended.add([session.0]);
                tracing::info!("a refresh token was reused: its session has ended");
                Err(ServiceError::RefreshTokenReused)
            }
        }
    }
}

/// Rotates the token under the lock of the session; the time is the database's clock, read after the lock.
async fn try_refresh(
    connection: &Connection,
    session: SessionId,
    secret: &TokenSecret,
) -> Result<Refreshed, ServiceError> {
    let row = session_lock(connection, session).await?.ok_or(ServiceError::InvalidRefreshToken)?;
    let now = clock_read(connection).await?;
    if row.ended_at.is_some() || row.expires_at <= now {
        return Err(ServiceError::InvalidRefreshToken);
    }
    let account = AccountId(row.account_id);
    let Some((row, next, is_new)) = rotated(row, secret, now)? else {
        session_end(connection, account, session).await?;
        return Ok(Refreshed::Reused);
    };
    if is_new {
        session_rotate_in_txn(connection, &row).await?;
    }
    let account = account_find(connection, account).await?;
    // A suspension ends all sessions; this catches one that began in spite of it.
    let account = account.filter(|account| !account.is_suspended(now));
    let account = account.ok_or(ServiceError::InvalidRefreshToken)?;
    Ok(Refreshed::Done(Box::new((account, row, next))))
}

/// The session with its next secret, and whether that is new; `None` if the given secret is no longer valid.
fn rotated(
    row: SessionRow,
    shown: &TokenSecret,
    now: DateTime<Utc>,
) -> Result<Option<(SessionRow, TokenSecret, bool)>, ServiceError> {
    let hash = shown.hash().to_vec();
    // While there is a salt, no successor of the previous secret has been used.
    let salt = row.salt.as_deref().filter(|_| row.previous_hash.as_ref() == Some(&hash));
    if salt.is_none() && row.hash != hash {
        return Ok(None);
    }
    if let Some(salt) = salt.filter(|_| now - row.rotated_at <= SAME) {
        let next = shown.successor(salt);
        return Ok(Some((row, next, false)));
    }
    let salt = TokenSecret::draw().map_err(ServiceError::internal)?.hash().to_vec();
    let next = shown.successor(&salt);
    let row = SessionRow {
        hash: next.hash().to_vec(),
        previous_hash: Some(hash),
        salt: Some(salt),
        rotated_at: now,
        last_used_at: now,
        expires_at: now + LIFETIME,
        ..row
    };
    Ok(Some((row, next, true)))
}
