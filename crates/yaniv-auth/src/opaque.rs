//! Opaque tokens: refresh tokens and personal tokens are random secrets with a seal (MAC). So are authorization
//! codes. Device tokens and unsubscribe tokens consist of a seal only.
//!
//! The seal lets foreign tokens be rejected without a query, and never mistaken for a reused token of ours.
//! Only the hash of a secret is stored, by other crates.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use rand::TryRng;
use rand::rngs::SysError;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use uuid::Uuid;
use yaniv_model::ids::{AccountId, ChannelId, SessionId, TokenId};

/// Prefix of personal tokens, recognized by secret scanners.
pub const PERSONAL_PREFIX: &str = "yaniv_pat_";
/// Length of a seal in bytes.
const SEAL: usize = 16;
/// Prefixes of the sealed data, so that a token of one kind never passes for another.
const REFRESH: &[u8] = b"yaniv refresh token";
const PERSONAL: &[u8] = b"yaniv personal token";
const DEVICE: &[u8] = b"yaniv device token";
const AUTHORIZATION: &[u8] = b"yaniv authorization code";
const UNSUBSCRIBE: &[u8] = b"yaniv unsubscribe token";
const BY_KEY: &[u8] = b"yaniv secret by key";

/// Secret part of a token: 32 random bytes, or derived from such. No `Debug`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TokenSecret([u8; 32]);

impl TokenSecret {
    /// Draws a secret from the system's random generator.
    ///
    /// # Errors
    /// If the system's generator fails.
    pub fn draw() -> Result<Self, SysError> {
        let mut secret = [0; 32];
        rand::rngs::SysRng.try_fill_bytes(&mut secret)?;
        Ok(Self(secret))
    }

    /// Hash to be stored.
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.0).into()
    }

    /// Generation of this secret within its session.
    pub fn generation(&self) -> Generation {
        let [a, b, c, d, ..] = self.hash();
        Generation([a, b, c, d])
    }

    /// The next secret of the session, deterministic for a given salt. It cannot be computed from the salt
    /// alone.
    #[must_use]
    pub fn successor(&self, salt: &[u8]) -> Self {
        Self(code(&self.0, &[salt]).finalize().into_bytes().into())
    }
}

/// Identifies a secret within its session without revealing it: the prefix of a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Generation(pub [u8; 4]);

/// Creates and opens sealed tokens.
#[derive(Clone)]
pub struct Seal {
    key: [u8; 32],
}

impl Seal {
    /// Builds a seal from a secret of any length.
    pub fn new(secret: &[u8]) -> Self {
        Self { key: Sha256::digest(secret).into() }
    }

    /// The refresh token of a session.
    pub fn refresh_token(&self, session: SessionId, secret: &TokenSecret) -> String {
        self.sealed(REFRESH, [session.0.as_bytes().as_slice(), &secret.0].concat())
    }

    /// Session and secret of a refresh token; none if the seal is invalid.
    pub fn open_refresh_token(&self, token: &str) -> Option<(SessionId, TokenSecret)> {
        let content: [u8; 48] = self.opened(REFRESH, token)?.try_into().ok()?;
        let (session, secret) = content.split_first_chunk::<16>()?;
        Some((SessionId(Uuid::from_bytes(*session)), TokenSecret(secret.try_into().ok()?)))
    }

    /// Seals a personal token.
    pub fn personal_token(&self, secret: &TokenSecret) -> String {
        format!("{PERSONAL_PREFIX}{}", self.sealed(PERSONAL, secret.0.to_vec()))
    }

    /// The secret of a personal token; none if the seal is invalid.
    pub fn open_personal_token(&self, token: &str) -> Option<TokenSecret> {
        let content = self.opened(PERSONAL, token.strip_prefix(PERSONAL_PREFIX)?)?;
        content.try_into().ok().map(TokenSecret)
    }

    /// The secret of a personal token that was requested with an idempotency key: the same for a retry, though only its
    /// hash is stored.
    #[must_use]
    pub fn secret_by_key(&self, token: TokenId, key: &str) -> TokenSecret {
        let parts: &[&[u8]] = &[BY_KEY, token.0.as_bytes(), key.as_bytes()];
        TokenSecret(code(&self.key, parts).finalize().into_bytes().into())
    }

    /// Seals an authorization code.
    pub fn authorization_code(&self, secret: &TokenSecret) -> String {
        self.sealed(AUTHORIZATION, secret.0.to_vec())
    }

    /// The secret of an authorization code; none if the seal is invalid.
    pub fn open_authorization_code(&self, code: &str) -> Option<TokenSecret> {
        self.opened(AUTHORIZATION, code)?.try_into().ok().map(TokenSecret)
    }

    /// A device token: proves that a device was logged in to an account by this session, under this password
    /// hash.
    pub fn device_token(&self, account: AccountId, session: SessionId, password_hash: &str) -> String {
        let content = [account.0.as_bytes().as_slice(), session.0.as_bytes()].concat();
        self.sealed(&device_kind(password_hash), content)
    }

    /// The session of a device token; none if the seal is invalid, for another account, or from before a
    /// password change.
    pub fn open_device_token(
        &self,
        token: &str,
        account: AccountId,
        password_hash: &str,
    ) -> Option<SessionId> {
        let content: [u8; 32] = self.opened(&device_kind(password_hash), token)?.try_into().ok()?;
        let (of, session) = content.split_first_chunk::<16>()?;
        let session = Uuid::from_bytes(session.try_into().ok()?);
        (of == account.0.as_bytes()).then_some(SessionId(session))
    }

    /// An unsubscribe token: ends the subscriptions of a notification channel, and nothing else.
    pub fn unsubscribe_token(&self, channel: ChannelId) -> String {
        self.sealed(UNSUBSCRIBE, channel.0.as_bytes().to_vec())
    }

    /// The channel of an unsubscribe token; none if the seal is invalid.
    pub fn open_unsubscribe_token(&self, token: &str) -> Option<ChannelId> {
        let content: [u8; 16] = self.opened(UNSUBSCRIBE, token)?.try_into().ok()?;
        Some(ChannelId(Uuid::from_bytes(content)))
    }

    pub(crate) fn sealed(&self, kind: &[u8], content: Vec<u8>) -> String {
        let mut sealed = content;
        let seal = code(&self.key, &[kind, &sealed]).finalize().into_bytes();
        sealed.extend(seal.iter().take(SEAL));
        URL_SAFE_NO_PAD.encode(sealed)
    }

    pub(crate) fn opened(&self, kind: &[u8], text: &str) -> Option<Vec<u8>> {
        let mut content = URL_SAFE_NO_PAD.decode(text).ok()?;
        let seal = content.split_off(content.len().checked_sub(SEAL)?);
        code(&self.key, &[kind, &content]).verify_truncated_left(&seal).ok()?;
        Some(content)
    }
}

/// The password hash is part of the sealed data, so a password change invalidates device tokens.
fn device_kind(password_hash: &str) -> Vec<u8> {
    [DEVICE, &Sha256::digest(password_hash)].concat()
}

fn code(key: &[u8; 32], message: &[&[u8]]) -> Hmac<Sha256> {
    // HMAC zero-pads keys up to this length itself; hence no key is too long.
    let mut block = [0; 64];
    for (to, from) in block.iter_mut().zip(key) {
        *to = *from;
    }
    let mut code = Hmac::<Sha256>::new(&block.into());
    for part in message {
        code.update(part);
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_opens_with_its_key_as_what_it_is_and_unchanged() {
        let (seal, other) = (Seal::new(&[7; 32]), Seal::new(&[8; 32]));
        let secret = TokenSecret([9; 32]);
        let session = SessionId::generate();
        let refresh = seal.refresh_token(session, &secret);
        let personal = seal.personal_token(&secret);
        assert!(seal.open_refresh_token(&refresh) == Some((session, secret)));
        assert!(seal.open_personal_token(&personal) == Some(secret));
        assert_eq!((refresh.len(), personal.len()), (86, 74));
        assert!(
            other.open_refresh_token(&refresh).is_none() && other.open_personal_token(&personal).is_none()
        );
        assert!(seal.open_personal_token(&format!("{PERSONAL_PREFIX}{refresh}")).is_none());
        let authorization = seal.authorization_code(&secret);
        assert!(seal.open_authorization_code(&authorization) == Some(secret));
        assert!(seal.open_personal_token(&format!("{PERSONAL_PREFIX}{authorization}")).is_none());
        assert!(other.open_authorization_code(&authorization).is_none());
        for place in 0..refresh.len() {
            let changed = if refresh.as_bytes()[place] == b'A' { "B" } else { "A" };
            let mut token = refresh.clone();
            token.replace_range(place..=place, changed);
            assert!(seal.open_refresh_token(&token).is_none(), "{place}");
        }
        for token in ["", "yaniv_pat_", "A", &refresh[1..], &format!("{refresh}A"), "\u{fffd}"] {
            assert!(seal.open_refresh_token(token).is_none() && seal.open_personal_token(token).is_none());
        }
    }

    #[test]
    fn a_device_is_known_to_its_account_until_the_password_changes() {
        let (seal, other) = (Seal::new(&[7; 32]), Seal::new(&[8; 32]));
        let (account, session) = (AccountId::generate(), SessionId::generate());
        let token = seal.device_token(account, session, "hash");
        assert_eq!(token.len(), 64);
        assert!(seal.open_device_token(&token, account, "hash") == Some(session));
        assert!(seal.open_device_token(&token, account, "another").is_none());
        assert!(seal.open_device_token(&token, AccountId::generate(), "hash").is_none());
        assert!(other.open_device_token(&token, account, "hash").is_none());
        let refresh = seal.refresh_token(session, &TokenSecret([9; 32]));
        assert!(seal.open_device_token(&refresh, account, "hash").is_none());
        assert!(seal.open_refresh_token(&token).is_none());
    }

    #[test]
    fn an_unsubscribe_token_names_its_channel() {
        let (seal, other) = (Seal::new(&[7; 32]), Seal::new(&[8; 32]));
        let channel = ChannelId::generate();
        let token = seal.unsubscribe_token(channel);
        assert!(seal.open_unsubscribe_token(&token) == Some(channel));
        assert!(other.open_unsubscribe_token(&token).is_none());
        assert!(seal.open_unsubscribe_token(&token[1..]).is_none());
        assert!(seal.open_personal_token(&token).is_none());
    }

    #[test]
    fn the_next_secret_follows_from_the_secret_and_the_salt() {
        let secret = TokenSecret([9; 32]);
        assert!(secret.successor(&[1]) == secret.successor(&[1]));
        assert!(secret.successor(&[1]) != secret.successor(&[2]));
        assert!(secret.successor(&[1]) != TokenSecret([8; 32]).successor(&[1]));
    }
}
