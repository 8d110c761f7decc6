//! The only way to look whether a password is right.
//!
//! Each look is counted before it is done, in a transaction of its own, for all instances together; over the limit nothing
//! is looked at. Who guesses from anywhere uses up what strangers have: on a device that was logged in before, the owner
//! still gets in.

use chrono::{DateTime, TimeDelta, Utc};
use sha2::{Digest, Sha256};

use super::{ServiceError, Services};
use crate::auth::access::{Access, Credential};
use crate::auth::password::{self, Place};
use crate::ids::{AccountId, SessionId};
use crate::store::accounts::{AccountRow, account_find};
use crate::store::password_tries::{Counted, TryKey, password_try_count, password_try_give_back};

/// Wrong passwords within the time below, at most.
pub const MOST_TRIES: i32 = 10;
/// The time.
pub const TRIES_WITHIN: TimeDelta = TimeDelta::minutes(15);

/// What tries are counted by.
#[derive(Clone, Copy)]
pub(super) enum TriedBy<'a> {
    /// Strangers: the name that they gave, be there such an account or not.
    Name(&'a str),
    /// Somebody who has logged in to the account before, with the password that it still has.
    Device(AccountId, SessionId),
    /// The personal tokens of an account, all of them together: they can make new ones.
    Tokens(AccountId),
}

impl TriedBy<'_> {
    /// The key of its counter: of one length, however long a name is.
    pub(super) fn key(self) -> TryKey {
        let mut hash = Sha256::new();
        hash.update(b"yaniv password tries ");
        match self {
            Self::Name(name) => {
                hash.update(b"name ");
                hash.update(name.as_bytes());
            }
            Self::Device(account, session) => {
                hash.update(b"device ");
                hash.update(account.0.as_bytes());
                hash.update(session.0.as_bytes());
            }
            Self::Tokens(account) => {
                hash.update(b"tokens ");
                hash.update(account.0.as_bytes());
            }
        }
        hash.finalize().into()
    }
}

impl Services {
    /// Whether the password is right; without an account the same work is done, for nothing.
    ///
    /// `place` was taken before anything was asked of the database: in a rush of log-ins most are turned away for free.
    ///
    /// # Errors
    /// `TooManyAttempts`, and those of the database: then nothing was looked at.
    pub(super) async fn is_password(
        &self,
        place: Place,
        by: TriedBy<'_>,
        password: String,
        hash: Option<String>,
    ) -> Result<bool, ServiceError> {
        let key = by.key();
        // The connection goes back before the hashing: it must not be held for that long.
        let connection = self.store.connection().await?;
        let counted = password_try_count(&connection, &key, MOST_TRIES, TRIES_WITHIN).await?;
        drop(connection);
        let at = match counted {
            Counted::Yes(at) => at,
            Counted::No(wait) => return Err(ServiceError::TooManyAttempts(wait)),
        };
        let right = self.keeper.passwords.verify(place, password, hash).await?;
        if right {
            self.give_back(key, at).await;
        }
        Ok(right)
    }

    /// Whether the caller knows the password of their account, which is asked for again where a token is not enough.
    ///
    /// # Errors
    /// `WrongPassword`, `TooManyAttempts`, `Busy`; `InvalidToken` if there is no such account any more.
    pub(super) async fn check_password_of(
        &self,
        access: Access,
        password: String,
    ) -> Result<AccountRow, ServiceError> {
        if password.chars().count() > password::MAX_LENGTH {
            return Err(ServiceError::WrongPassword);
        }
        let place = self.keeper.passwords.enter()?;
        let row = account_find(&*self.store.connection().await?, access.account).await?;
        let row = row.ok_or(ServiceError::InvalidToken)?;
        // Not by the name: who has got hold of a session must not keep the owner from logging in.
        let by = match access.credential {
            Credential::Session(session) => TriedBy::Device(access.account, session),
            Credential::Token(_) => TriedBy::Tokens(access.account),
        };
        let hash = row.password();
        if self.is_password(place, by, password, hash).await? {
            return Ok(row);
        }
        Err(ServiceError::WrongPassword)
    }

    /// By what a log-in is counted: by the device, if it shows that it is known to this account.
    pub(super) fn tried_by<'a>(
        &self,
        username: &'a str,
        account: Option<&AccountRow>,
        device_token: Option<&str>,
    ) -> TriedBy<'a> {
        let known = account.zip(device_token).and_then(|(account, token)| {
            let id = AccountId(account.id);
            let device = self.keeper.seal.open_device_token(token, id, &account.password_hash)?;
            Some(TriedBy::Device(id, device))
        });
        known.unwrap_or(TriedBy::Name(username))
    }

    /// A right password is no try. If this fails, it counts as one.
    async fn give_back(&self, key: TryKey, at: DateTime<Utc>) {
        let given = match self.store.connection().await {
            Ok(connection) => password_try_give_back(&connection, &key, at).await,
            Err(error) => Err(error),
        };
        if let Err(error) = given {
            tracing::warn!(%error, "a right password was counted as a try");
        }
    }
}
