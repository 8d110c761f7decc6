//! Access tokens: JWT, HS256, fifteen minutes, bearer of nothing but the account's id.
//!
//! Everything that the library leaves optional is required here: issuer, audience, subject, expiry, type, and no
//! extensions.

use std::sync::Arc;

use chrono::{DateTime, SubsecRound, TimeDelta, Utc};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use quick_cache::sync::Cache;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::ids::AccountId;

/// Shortest secret, in bytes.
pub const MIN_SECRET: usize = 32;
/// How long a token is good for.
const LIFETIME: TimeDelta = TimeDelta::minutes(15);
/// Longest token that is looked at, in bytes.
const MAX_TOKEN: usize = 4096;
/// Tokens that are remembered as good, of some 300 bytes each.
const GOOD_TOKENS: usize = 4096;
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
    /// The secret is too short to withstand guessing.
    #[error("the secret of the access tokens has {0} bytes; at least {MIN_SECRET} are needed")]
    Short(usize),
    /// A token that was just signed did not verify.
    #[error("signing does not work on this machine")]
    Broken(#[source] jsonwebtoken::errors::Error),
}

/// Signs and checks access tokens.
#[derive(Clone)]
pub struct Tokens {
    signing: EncodingKey,
    verifying: DecodingKey,
    validation: Validation,
    /// Tokens that were found good, with whom they speak for and until when (seconds since 1970).
    good: Arc<Cache<String, (AccountId, i64)>>,
}

/// A token and when it ends.
pub struct IssuedToken {
    /// What the client sends as `Authorization: Bearer`.
    pub token: String,
    /// When it stops being accepted.
    pub expires_at: DateTime<Utc>,
}

#[derive(Serialize, Deserialize)]
struct Claims {
    iss: String,
    aud: String,
    sub: Uuid,
    iat: i64,
    exp: i64,
}

impl Tokens {
    /// Keys from a secret; signs and verifies once, so that a broken provider shows at the start.
    ///
    /// # Errors
    /// If the secret is shorter than 32 bytes.
    pub fn new(secret: &[u8]) -> Result<Self, KeyError> {
        if secret.len() < MIN_SECRET {
            return Err(KeyError::Short(secret.len()));
        }
        let mut validation = Validation::new(Algorithm::HS256);
        validation.set_issuer(&[ISSUER]);
        validation.set_audience(&[AUDIENCE]);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        validation.leeway = 0;
        validation.validate_nbf = true;
        let tokens = Self {
            signing: EncodingKey::from_secret(secret),
            verifying: DecodingKey::from_secret(secret),
            validation,
            good: Arc::new(Cache::new(GOOD_TOKENS)),
        };
        let account = AccountId::generate();
        let issued = tokens.issue(account, Utc::now()).map_err(KeyError::Broken)?;
        jsonwebtoken::decode::<Claims>(&issued.token, &tokens.verifying, &tokens.validation)
            .map_err(KeyError::Broken)?;
        Ok(tokens)
    }

    /// A token for an account.
    ///
    /// # Errors
    /// Only if the provider fails.
    pub fn issue(
        &self,
        account: AccountId,
        now: DateTime<Utc>,
    ) -> Result<IssuedToken, jsonwebtoken::errors::Error> {
        let now = now.trunc_subsecs(0);
        let expires_at = now + LIFETIME;
        let claims = Claims {
            iss: ISSUER.to_owned(),
            aud: AUDIENCE.to_owned(),
            sub: account.0,
            iat: now.timestamp(),
            exp: expires_at.timestamp(),
        };
        let header = Header { typ: Some(TYPE.to_owned()), ..Header::new(Algorithm::HS256) };
        Ok(IssuedToken { token: jsonwebtoken::encode(&header, &claims, &self.signing)?, expires_at })
    }

    /// The account that a token speaks for.
    ///
    /// # Errors
    /// `InvalidToken`, whatever is wrong with it.
    pub fn verify(&self, token: &str) -> Result<AccountId, InvalidToken> {
        if token.len() > MAX_TOKEN {
            return Err(InvalidToken);
        }
        if let Some((account, expires)) = self.good.get(token)
            && Utc::now().timestamp() < expires
        {
            return Ok(account);
        }
        let data = jsonwebtoken::decode::<Claims>(token, &self.verifying, &self.validation)
            .map_err(|_| InvalidToken)?;
        let header = &data.header;
        if header.typ.as_deref() != Some(TYPE) || header.crit.is_some() {
            return Err(InvalidToken);
        }
        let account = AccountId(data.claims.sub);
        self.good.insert(token.to_owned(), (account, data.claims.exp));
        Ok(account)
    }
}
