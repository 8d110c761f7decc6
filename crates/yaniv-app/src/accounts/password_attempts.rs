//! Password checks, the only code that verifies a password, with their rate limit; and the check of the owner before
//! changes for which a token is not enough.
//!
//! Each attempt is counted before the check, in a transaction of its own, across all instances; over the
//! limit no password is checked. An attacker uses up only the limit of unknown devices: the owner can still
//! log in from a known device.

use chrono::{DateTime, TimeDelta, Utc};
use sha2::{Digest, Sha256};
use yaniv_auth::access::{Access, Credential};
use yaniv_auth::oidc_cookies::ProvenIdentity;
use yaniv_auth::password::{self, Place};
use yaniv_db::accounts::account_rows::{AccountRow, account_find};
use yaniv_db::accounts::password_attempts::{password_try_count, password_try_give_back};
use yaniv_db::kernel::counters::{CountKey, Counted};
use yaniv_model::ids::{AccountId, SessionId};

use crate::{ServiceError, Services};

/// Maximum number of wrong passwords within `TRIES_WITHIN`.
pub const MOST_TRIES: i32 = 10;
/// The period of `MOST_TRIES`.
pub const TRIES_WITHIN: TimeDelta = TimeDelta::minutes(15);

/// The rate limit bucket of an attempt.
#[derive(Clone, Copy)]
pub(crate) enum TriedBy<'a> {
    /// Unknown devices: the username given, whether or not the account exists.
    Name(&'a str),
    /// A device that has logged in to the account with its current password.
    Device(AccountId, SessionId),
    /// All personal tokens of an account together, as tokens can create tokens.
    Tokens(AccountId),
    /// The way back from the OpenID provider, of a log-in with this state. It needs no password, but is counted alike.
    State(&'a str),
}

/// How the caller proves to be the owner of the account.
#[derive(Clone)]
pub struct Proof {
    /// The password.
    pub password: Option<String>,
    /// Field of the request that has the password.
    pub field: &'static str,
    /// The identity that the browser has proven.
    pub identity: Option<ProvenIdentity>,
}

impl TriedBy<'_> {
    /// The key of the counter, of fixed length for names of any length.
    pub(crate) fn key(self) -> CountKey {
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
            Self::State(state) => {
                hash.update(b"state ");
                hash.update(state.as_bytes());
            }
        }
        hash.finalize().into()
    }
}

impl Services {
    /// Verifies a password; without an account, the same work is done for equal timing.
    ///
    /// `place` is taken before any query: in a rush of log-ins most are refused at no cost.
    ///
    /// # Errors
    /// `TooManyAttempts`, and those of the database: then the password was not checked.
    pub(crate) async fn is_password(
        &self,
        place: Place,
        by: TriedBy<'_>,
        password: String,
        hash: Option<String>,
    ) -> Result<bool, ServiceError> {
        let key = by.key();
        // The connection is returned before the hashing, which takes long.
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

    /// Checks that the caller is the owner of the account, for operations where a token is not enough: by the password
    /// or, if the account has none, by its linked identity.
    ///
    /// # Errors
    /// `InvalidField` if the password is missing, `WrongPassword`, `TooManyAttempts`, `Busy`; `IdentityRequired`;
    /// `InvalidToken` if the account no longer exists.
    pub(crate) async fn check_owner(&self, access: Access, proof: Proof) -> Result<AccountRow, ServiceError> {
        let Some(password) = proof.password else {
            let row = account_find(&*self.store.connection().await?, access.account).await?;
            let row = row.ok_or(ServiceError::InvalidToken)?;
            return check_identity(row, proof.field, proof.identity.as_ref());
        };
        if password.chars().count() > password::MAX_LENGTH {
            return Err(ServiceError::WrongPassword);
        }
        let place = self.keeper.passwords.enter()?;
        let row = account_find(&*self.store.connection().await?, access.account).await?;
        let row = row.ok_or(ServiceError::InvalidToken)?;
        // Not by the name: an attacker with a stolen session must not lock the owner out of log-in.
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

    /// The bucket of a log-in: the device, if its device token is valid for this account.
    pub(crate) fn tried_by<'a>(
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

    /// Takes a correct password off the counter. On failure it stays counted.
    async fn give_back(&self, key: CountKey, at: DateTime<Utc>) {
        let given = match self.store.connection().await {
            Ok(connection) => password_try_give_back(&connection, &key, at).await,
            Err(error) => Err(error),
        };
        if let Err(error) = given {
            tracing::warn!(%error, "a correct password stays counted as an attempt");
        }
    }
}

/// Checks the proven identity of the owner of an account without a password.
fn check_identity(
    row: AccountRow,
    field: &'static str,
    proven: Option<&ProvenIdentity>,
) -> Result<AccountRow, ServiceError> {
    if row.password().is_some() || !row.has_identity() {
        return Err(ServiceError::InvalidField { field, detail: "is needed" });
    }
    let is_owner = |proven: &ProvenIdentity| {
        let of = (Some(&proven.issuer), Some(&proven.subject));
        proven.reauthenticated && of == (row.oidc_issuer.as_ref(), row.oidc_subject.as_ref())
    };
    if proven.is_some_and(is_owner) { Ok(row) } else { Err(ServiceError::IdentityRequired) }
}
