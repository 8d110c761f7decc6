//! Access tokens: JWT (HS256), valid for fifteen minutes, with the identifiers of account and session.
//!
//! All checks that the library makes optional are required: issuer, audience, subject, session, expiry, type,
//! known key id; no extensions. With several secrets, the first signs and all verify.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use quick_cache::sync::Cache;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;
use yaniv_model::ids::{AccountId, SessionId};

use crate::opaque::Generation;

/// Minimum length of a secret, in bytes.
pub const MIN_SECRET: usize = 32;
/// Lifetime of a token.
pub const LIFETIME: TimeDelta = TimeDelta::minutes(15);
/// Maximum length of a token, in bytes.
const MAX_TOKEN: usize = 4096;
/// Size of the cache of verified tokens, at some 400 bytes each.
const GOOD_TOKENS: usize = 4096;
/// Tolerated clock difference between instances, in seconds.
const CLOCKS_DIFFER: i64 = 60;
const ISSUER: &str = "yaniv";
const AUDIENCE: &str = "yaniv-api";
/// Media type of RFC 9068, so that no other kind of JWT passes for an access token.
const TYPE: &str = "at+jwt";

/// The token is invalid or expired.
#[derive(Debug, thiserror::Error)]
#[error("the token is not valid")]
pub struct InvalidToken;

/// Why the signing keys cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// No secret was given.
    #[error("there is no secret for the access tokens")]
    None,
    /// A secret is too short to resist guessing.
    #[error("secret {number} of the access tokens has {length} bytes; at least {MIN_SECRET} are needed")]
    Short {
        /// Which secret, counted from 1.
        number: usize,
        /// Its length in bytes.
        length: usize,
    },
    /// A token that was just signed did not verify.
    #[error("signing does not work on this machine")]
    Broken(#[source] jsonwebtoken::errors::Error),
}

/// Signs and verifies access tokens.
#[derive(Clone)]
pub struct Tokens {
    signing: EncodingKey,
    header: Header,
    /// Verification keys by key id; tokens cannot bring their own.
    verifying: Arc<HashMap<String, DecodingKey>>,
    validation: Validation,
    /// Cache of verified tokens.
    good: Arc<Cache<String, Verified>>,
}

/// A signed token and its expiry.
pub struct IssuedToken {
    /// Sent by the client as `Authorization: Bearer`.
    pub token: String,
    /// When it expires.
    pub expires_at: DateTime<Utc>,
}

/// Claims of a verified token. Whether its session was revoked is checked elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verified {
    /// The authenticated account.
    pub account: AccountId,
    /// The session.
    pub session: SessionId,
    /// Generation of the session's secret, if the token came from a refresh and is first seen by this
    /// instance.
    pub first_use_of: Option<Generation>,
    /// Issue and expiry time, in seconds since 1970.
    times: (i64, i64),
}

#[derive(Serialize, Deserialize)]
struct Claims {
    iss: String,
    aud: String,
    sub: Uuid,
    sid: Uuid,
    /// Generation of the refresh token issued with it; none at a login.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    generation: Option<Generation>,
    iat: i64,
    exp: i64,
}

impl Tokens {
    /// Builds the keys from secrets. Signs and verifies once, so that a broken crypto provider shows at the
    /// start.
    ///
    /// # Errors
    /// If there is no secret, or one is shorter than 32 bytes.
    pub fn new(secrets: &[Vec<u8>]) -> Result<Self, KeyError> {
        for (number, secret) in (1..).zip(secrets) {
            if secret.len() < MIN_SECRET {
                return Err(KeyError::Short { number, length: secret.len() });
            }
        }
        let first = secrets.first().ok_or(KeyError::None)?;
        let mut validation = Validation::new(Algorithm::HS256);
        validation.set_issuer(&[ISSUER]);
        validation.set_audience(&[AUDIENCE]);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        validation.leeway = 0;
        validation.validate_nbf = true;
        let keys = secrets.iter().map(|secret| (key_id(secret), DecodingKey::from_secret(secret)));
        let tokens = Self {
            signing: EncodingKey::from_secret(first),
            header: Header {
                typ: Some(TYPE.to_owned()),
                kid: Some(key_id(first)),
                ..Header::new(Algorithm::HS256)
            },
            verifying: Arc::new(keys.collect()),
            validation,
            good: Arc::new(Cache::new(GOOD_TOKENS)),
        };
        let issued = tokens.issue(AccountId::generate(), SessionId::generate(), None, Utc::now());
        let key = DecodingKey::from_secret(first);
        let decoded = issued.and_then(|issued| {
            jsonwebtoken::decode::<Claims>(&issued.token, &key, &tokens.validation).map(|_| ())
        });
        decoded.map_err(KeyError::Broken)?;
        Ok(tokens)
    }

    /// Issues a token for a session, at a login or at the refresh that produced this generation.
    ///
    /// # Errors
    /// Only if the provider fails.
    pub fn issue(
        &self,
        account: AccountId,
        session: SessionId,
        generation: Option<Generation>,
        now: DateTime<Utc>,
    ) -> Result<IssuedToken, jsonwebtoken::errors::Error> {
        let now = now.trunc_subsecs(0);
        let expires_at = now + LIFETIME;
        let claims = Claims {
            iss: ISSUER.to_owned(),
            aud: AUDIENCE.to_owned(),
            sub: account.0,
            sid: session.0,
            generation,
            iat: now.timestamp(),
            exp: expires_at.timestamp(),
        };
        Ok(IssuedToken { token: jsonwebtoken::encode(&self.header, &claims, &self.signing)?, expires_at })
    }

    /// Verifies a token.
    ///
    /// # Errors
    /// `InvalidToken`, for any defect.
    pub fn verify(&self, token: &str) -> Result<Verified, InvalidToken> {
        if token.len() > MAX_TOKEN {
            return Err(InvalidToken);
        }
        if let Some(verified) = self.good.get(token)
            && is_time(verified.times)
        {
            return Ok(verified);
        }
        let header = jsonwebtoken::decode_header(token).map_err(|_| InvalidToken)?;
        let key = header.kid.as_ref().and_then(|id| self.verifying.get(id)).ok_or(InvalidToken)?;
        // Rejects header fields that we never sign, even with a valid signature.
        if header != (Header { kid: header.kid.clone(), ..self.header.clone() }) {
            return Err(InvalidToken);
        }
        let data = jsonwebtoken::decode::<Claims>(token, key, &self.validation).map_err(|_| InvalidToken)?;
        let Claims { sub, sid, generation, iat, exp, .. } = data.claims;
        if !is_time((iat, exp)) {
            return Err(InvalidToken);
        }
        let (account, session) = (AccountId(sub), SessionId(sid));
        let verified = Verified { account, session, first_use_of: None, times: (iat, exp) };
        self.good.insert(token.to_owned(), verified);
        Ok(Verified { first_use_of: generation, ..verified })
    }
}

/// Whether a token with these times is valid now.
///
/// Stricter than the library, which accepts a token in the second of its expiry and ignores the issue time:
/// after the clock was set back, tokens would outlive the entries of the revocation list.
fn is_time((issued, expires): (i64, i64)) -> bool {
    let now = Utc::now().timestamp();
    issued <= now.saturating_add(CLOCKS_DIFFER) && now < expires
}

/// Identifier of a key that reveals nothing about it.
fn key_id(secret: &[u8]) -> String {
    Sha256::digest(secret).iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}
