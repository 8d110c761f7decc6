//! Access tokens: JWT, HS256, fifteen minutes, bearer of nothing but the ids of account and session.
//!
//! Everything that the library leaves optional is required here: issuer, audience, subject, session, expiry, type, the id
//! of a key that we have; and no extensions. Several secrets may be in use: the first signs, all of them verify.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use quick_cache::sync::Cache;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::ids::{AccountId, SessionId};

/// Shortest secret, in bytes.
pub const MIN_SECRET: usize = 32;
/// How long a token is good for.
pub const LIFETIME: TimeDelta = TimeDelta::minutes(15);
/// Longest token that is looked at, in bytes.
const MAX_TOKEN: usize = 4096;
/// Tokens that are remembered as good, of some 400 bytes each.
const GOOD_TOKENS: usize = 4096;
/// How far the clocks of instances may be apart, in seconds.
const CLOCKS_DIFFER: i64 = 60;
const ISSUER: &str = "yaniv";
const AUDIENCE: &str = "yaniv-api";
/// Media type of RFC 9068, so that no other kind of token passes for an access token.
const TYPE: &str = "at+jwt";

/// The token is not one of ours, or it has expired.
#[derive(Debug, thiserror::Error)]
#[error("the token is not valid")]
pub struct InvalidToken;

/// Why the keys cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// There is none.
    #[error("there is no secret for the access tokens")]
    None,
    /// A secret is too short to withstand guessing.
    #[error("secret {number} of the access tokens has {length} bytes; at least {MIN_SECRET} are needed")]
    Short {
        /// Which, from 1.
        number: usize,
        /// How long it is, in bytes.
        length: usize,
    },
    /// A token that was just signed did not verify.
    #[error("signing does not work on this machine")]
    Broken(#[source] jsonwebtoken::errors::Error),
}

/// Signs and checks access tokens.
#[derive(Clone)]
pub struct Tokens {
    signing: EncodingKey,
    header: Header,
    /// By their ids, which are looked up here and nowhere else.
    verifying: Arc<HashMap<String, DecodingKey>>,
    validation: Validation,
    /// Tokens that were found good.
    good: Arc<Cache<String, Verified>>,
}

/// A token and when it ends.
pub struct IssuedToken {
    /// What the client sends as `Authorization: Bearer`.
    pub token: String,
    /// When it stops being accepted.
    pub expires_at: DateTime<Utc>,
}

/// What a good token says. Whether its session has ended meanwhile, it does not know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Whom it speaks for.
    pub account: AccountId,
    /// By which log-in.
    pub session: SessionId,
    /// Since when and until when, in seconds since 1970.
    times: (i64, i64),
}

#[derive(Serialize, Deserialize)]
struct Claims {
    iss: String,
    aud: String,
    sub: Uuid,
    sid: Uuid,
    iat: i64,
    exp: i64,
}

impl Tokens {
    /// Keys from secrets, of which the first signs; signs and verifies once, so that a broken provider shows at the
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
        let issued = tokens.issue(AccountId::generate(), SessionId::generate(), Utc::now());
        let key = DecodingKey::from_secret(first);
        let decoded = issued.and_then(|issued| {
            jsonwebtoken::decode::<Claims>(&issued.token, &key, &tokens.validation).map(|_| ())
        });
        decoded.map_err(KeyError::Broken)?;
        Ok(tokens)
    }

    /// A token for a session.
    ///
    /// # Errors
    /// Only if the provider fails.
    pub fn issue(
        &self,
        account: AccountId,
        session: SessionId,
        now: DateTime<Utc>,
    ) -> Result<IssuedToken, jsonwebtoken::errors::Error> {
        let now = now.trunc_subsecs(0);
        let expires_at = now + LIFETIME;
        let claims = Claims {
            iss: ISSUER.to_owned(),
            aud: AUDIENCE.to_owned(),
            sub: account.0,
            sid: session.0,
            iat: now.timestamp(),
            exp: expires_at.timestamp(),
        };
        Ok(IssuedToken { token: jsonwebtoken::encode(&self.header, &claims, &self.signing)?, expires_at })
    }

    /// Whom a token speaks for.
    ///
    /// # Errors
    /// `InvalidToken`, whatever is wrong with it.
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
        // Nothing in it that we never sign, however it is signed.
        if header != (Header { kid: header.kid.clone(), ..self.header.clone() }) {
            return Err(InvalidToken);
        }
        let data = jsonwebtoken::decode::<Claims>(token, key, &self.validation).map_err(|_| InvalidToken)?;
        let Claims { sub, sid, iat, exp, .. } = data.claims;
        if !is_time((iat, exp)) {
            return Err(InvalidToken);
        }
        let verified = Verified { account: AccountId(sub), session: SessionId(sid), times: (iat, exp) };
        self.good.insert(token.to_owned(), verified);
        Ok(verified)
    }
}

/// Whether a token of these times is good now. The library lets one pass in the very second in which it ends, and asks
/// nothing of when it was issued: where the clock has gone back, tokens would outlive what is remembered of their end.
fn is_time((issued, expires): (i64, i64)) -> bool {
    let now = Utc::now().timestamp();
    issued <= now.saturating_add(CLOCKS_DIFFER) && now < expires
}

/// Tells keys apart and nothing about them.
fn key_id(secret: &[u8]) -> String {
    Sha256::digest(secret).iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}
