//! Whom a token speaks for.
//!
//! Access tokens cost no query; of personal tokens what was found is remembered for a minute. Whether they
//! have been ended meanwhile is asked each time, of a list in memory (`ended`).

use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use quick_cache::sync::Cache;

use super::{ServiceError, Services};
use crate::auth::access::{Access, Credential, Scopes};
use crate::auth::opaque::PERSONAL_PREFIX;
use crate::ids::{AccountId, TokenId};
use crate::store::StoreError;
use crate::store::personal_tokens::{PersonalTokenRow, personal_token_find, personal_token_touch};

/// How long what was found of a personal token is trusted; also how finely its use is noted. Shorter than what has ended is
/// remembered.
const TRUSTED: Duration = Duration::from_secs(60);
/// Personal tokens that are remembered, of some 200 bytes each.
const REMEMBERED: usize = 4096;

/// Personal tokens that were looked up, by the hash of their secret. Cheap to clone.
#[derive(Clone)]
pub(super) struct KnownTokens(Arc<Cache<[u8; 32], Found>>);

#[derive(Clone, Copy)]
struct Found {
    /// None if there was no such token: none can come to be later.
    token: Option<(Access, DateTime<Utc>)>,
    at: Instant,
}

impl Default for KnownTokens {
    fn default() -> Self {
        Self(Arc::new(Cache::new(REMEMBERED)))
    }
}

/// Somebody who listens for longer than a request takes, and by what token. Not to be printed.
#[derive(Clone)]
pub struct Listener {
    /// Whom the token speaks for.
    pub access: Access,
    token: String,
}

impl Listener {
    /// Whoever the token was found to speak for.
    pub fn new(access: Access, token: &str) -> Self {
        Self { access, token: token.to_owned() }
    }
}

impl Services {
    /// Whom an access token speaks for; asks no database.
    ///
    /// # Errors
    /// `InvalidToken`; `Unavailable` if it is not known what has ended.
    pub fn access_by_session(&self, token: &str) -> Result<Access, ServiceError> {
        let verified = self.keeper.tokens.verify(token)?;
        self.ended.check(verified.session.0)?;
        Ok(Access {
            account: verified.account,
            credential: Credential::Session(verified.session),
            scopes: Scopes::ALL,
        })
    }

    /// Whom a personal token speaks for. That it is used is noted, to the minute.
    ///
    /// # Errors
    /// `InvalidToken`, and those of the database.
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

    /// Whether a session or a token that was good is so still.
    ///
    /// # Errors
    /// `InvalidToken`.
    pub(super) fn check_access(&self, access: &Access) -> Result<(), ServiceError> {
        match access.credential {
            Credential::Session(session) => self.ended.check(session.0),
            Credential::Token(token) => self.ended.check(token.0),
        }
    }

    /// Whether the token of somebody who listens is good still, its time included.
    ///
    /// # Errors
    /// `InvalidToken`, and those of the database.
    pub(super) async fn check_listener(&self, listener: &Listener) -> Result<(), ServiceError> {
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
            tracing::warn!(%error, "the use of a personal token was not noted");
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
    connection: &crate::store::Connection,
    row: &PersonalTokenRow,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let minute = now.duration_trunc(TimeDelta::minutes(1)).unwrap_or(now);
    if row.last_used_at.is_some_and(|used| used >= minute) {
        return Ok(());
    }
    personal_token_touch(connection, TokenId(row.id), minute).await
}
