//! Refreshing a session.
//!
//! A refresh token is used once. Whoever loses the answer asks again with the same token and gets the same successor: it
//! follows from the token and a salt in the row, so that nothing secret has to be kept. Any older token, or the same one
//! later, means that two have it: the session ends (`docs/decisions/0008`).

use chrono::{DateTime, TimeDelta, Utc};
use diesel_async::{AsyncConnection, AsyncPgConnection};

use super::sessions::{LIFETIME, LogIn};
use super::{ServiceError, Services};
use crate::auth::opaque::TokenSecret;
use crate::ids::{AccountId, SessionId};
use crate::store::accounts::{AccountRow, account_find};
use crate::store::clock::clock_read;
use crate::store::sessions::{SessionRow, session_end, session_lock, session_rotate_in_txn};

/// How long an answer that got lost can be asked for again.
const GRACE: TimeDelta = TimeDelta::seconds(60);

/// What became of a refresh.
enum Refreshed {
    Done(Box<(AccountRow, SessionRow, TokenSecret)>),
    /// The session was ended, which has to be committed.
    Reused,
}

impl Services {
    /// Takes a refresh token for the next one, and an access token.
    ///
    /// # Errors
    /// `InvalidRefreshToken`; `RefreshTokenReused`, after which the session has ended.
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
                self.log_in_with(account, session, &next, row.expires_at)
            }
            Refreshed::Reused => {
                self.ended.add([session.0]);
                tracing::info!("a refresh token was used a second time: its session has ended");
                Err(ServiceError::RefreshTokenReused)
            }
        }
    }
}

/// Rotates under the lock of the session; the database's clock, read after it, decides.
async fn try_refresh(
    connection: &AsyncPgConnection,
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
    // Its sessions were ended with the suspension; this is for one that should have come about in spite of it.
    let account = account.filter(|account| !account.is_suspended(now));
    let account = account.ok_or(ServiceError::InvalidRefreshToken)?;
    Ok(Refreshed::Done(Box::new((account, row, next))))
}

/// The session with its next secret, and whether that is new; none if the one that was shown should be no longer known.
fn rotated(
    row: SessionRow,
    shown: &TokenSecret,
    now: DateTime<Utc>,
) -> Result<Option<(SessionRow, TokenSecret, bool)>, ServiceError> {
    let hash = shown.hash().to_vec();
    if hash == row.hash {
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
        return Ok(Some((row, next, true)));
    }
    let again = row.previous_hash.as_ref() == Some(&hash) && now - row.rotated_at <= GRACE;
    let Some(salt) = row.salt.as_ref().filter(|_| again) else { return Ok(None) };
    let next = shown.successor(salt);
    Ok(Some((row, next, false)))
}
