//! Authentication: which account a token belongs to.
//!
//! Access tokens cost no query; the result of a personal token's lookup is cached for a minute. Every check
//! also consults the revocation list in memory (`accounts::revocations`).

use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, NaiveTime, Utc};
use quick_cache::sync::Cache;
use yaniv_auth::access::{Access, Credential, Scopes};
use yaniv_auth::opaque::PERSONAL_PREFIX;
use yaniv_db::StoreError;
use yaniv_db::accounts::tokens::{PersonalTokenRow, personal_token_find, personal_token_touch};
use yaniv_model::ids::{AccountId, TokenId};

use crate::accounts::sessions::day_of;
use crate::kernel::boxed;
use crate::{ServiceError, Services};

/// Lifetime of a cached lookup of a personal token. Shorter than the retention of the revocation list.
const TRUSTED: Duration = Duration::from_secs(60);
/// Capacity of the cache of personal tokens, of some 200 bytes each.
const REMEMBERED: usize = 4096;

/// Cache of personal tokens, by the hash of their secret. Cheap to clone.
#[derive(Clone)]
pub(crate) struct KnownTokens(Arc<Cache<[u8; 32], Found>>);

#[derive(Clone, Copy)]
struct Found {
    /// `None` if there was no such token: none can be created with this hash later.
    token: Option<(Access, DateTime<Utc>)>,
    at: Instant,
}

impl Default for KnownTokens {
    fn default() -> Self {
        Self(Arc::new(Cache::new(REMEMBERED)))
    }
}

/// The client of a long-lived stream, with its token. Must not be printed.
#[derive(Clone)]
pub struct Listener {
    /// The authenticated caller.
    pub access: Access,
    token: String,
}

impl Listener {
    /// Combines the authenticated caller with the token.
    pub fn new(access: Access, token: &str) -> Self {
        Self { access, token: token.to_owned() }
    }
}

impl Services {
    /// Verifies an access token without a query. Notes the first use of a token from a refresh.
    ///
    /// # Errors
    /// `InvalidToken`; `Unavailable` if the revocation list is out of date.
    pub fn access_by_session(&self, token: &str) -> Result<Access, ServiceError> {
        let verified = self.keeper.tokens.verify(token)?;
        // First: the token is verified as new only once, and the check fails while the list is out of date.
        self.confirmations.note(&verified);
        self.ended.check(verified.session.0)?;
        Ok(Access {
            account: verified.account,
            credential: Credential::Session(verified.session),
            scopes: Scopes::OF_SESSION,
        })
    }

    /// Verifies a personal token. The date of its use is stored.
    ///
    /// # Errors
    /// `InvalidToken`, and those of the database.
    #[boxed]
    pub async fn access_by_personal_token(&self, token: &str) -> Result<Access, ServiceError> {
        let secret = self.keeper.seal.open_personal_token(token).ok_or(ServiceError::InvalidToken)?;
        let hash = secret.hash();
        let known = self.known_tokens.0.get(&hash).filter(|found| found.at.elapsed() < TRUSTED);
        let found = match known {
            Some(found) => found,
            None => self.look_up(hash).await?,
        };
        self.still_good(found)
    }

    /// Checks that a verified session or token has not been revoked.
    ///
    /// # Errors
    /// `InvalidToken`.
    pub(crate) fn check_access(&self, access: &Access) -> Result<(), ServiceError> {
        match access.credential {
            Credential::Session(session) => self.ended.check(session.0),
            Credential::Token(token) => self.ended.check(token.0),
        }
    }

    /// Checks that a listener's token is still valid: not revoked and not expired.
    ///
    /// # Errors
    /// `InvalidToken`, and those of the database.
    pub(crate) async fn check_listener(&self, listener: &Listener) -> Result<(), ServiceError> {
        if listener.token.starts_with(PERSONAL_PREFIX) {
            self.access_by_personal_token(&listener.token).await?;
        } else {
            self.access_by_session(&listener.token)?;
        }
        Ok(())
    }

    async fn look_up(&self, hash: [u8; 32]) -> Result<Found, ServiceError> {
        let at = Instant::now();
        let connection = self.store.connection().await?;
        let row = personal_token_find(&connection, &hash).await?;
        let token = row.as_ref().map(|(row, _)| (access_of(row), row.expires_at));
        let found = Found { token, at };
        self.known_tokens.0.insert(hash, found);
        if let Some((row, now)) = row
            && let Err(error) = note_use(&connection, &row, now).await
        {
            tracing::warn!(%error, "the last use of a personal token could not be stored");
        }
        Ok(found)
    }

    fn still_good(&self, found: Found) -> Result<Access, ServiceError> {
        let (access, expires_at) = found.token.ok_or(ServiceError::InvalidToken)?;
        self.check_access(&access)?;
        if expires_at <= Utc::now() { Err(ServiceError::InvalidToken) } else { Ok(access) }
    }
}

fn access_of(row: &PersonalTokenRow) -> Access {
    Access {
        account: AccountId(row.account_id),
        credential: Credential::Token(TokenId(row.id)),
        scopes: Scopes::from_bits(row.scopes),
    }
}

async fn note_use(
    connection: &yaniv_db::PooledConnection,
    row: &PersonalTokenRow,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let day = day_of(now).and_time(NaiveTime::MIN).and_utc();
    if row.last_used_at.is_some_and(|used| used >= day) {
        return Ok(());
    }
    personal_token_touch(connection, TokenId(row.id), day).await
}
