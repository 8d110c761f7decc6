//! Refresh tokens and personal tokens: random secrets, sealed. And device tokens, which have no secret but the seal.
//!
//! By the seal, what we did not issue costs no query and is never taken for a token of ours that was used before. What is
//! stored of a secret is a hash; where, is not known here.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use rand::TryRng;
use rand::rngs::SysError;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::ids::{AccountId, SessionId};

/// What every personal token begins with: programs that look for secrets know it by that.
pub const PERSONAL_PREFIX: &str = "yaniv_pat_";
/// Of a seal, in bytes.
const SEAL: usize = 16;
/// What is sealed says what it is for: no token passes for one of the other kind.
const REFRESH: &[u8] = b"yaniv refresh token";
const PERSONAL: &[u8] = b"yaniv personal token";
const DEVICE: &[u8] = b"yaniv device token";

/// The secret part of a token: 32 random bytes, or what follows from some. Not printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct TokenSecret([u8; 32]);

impl TokenSecret {
    /// A new one, from the system's own randomness.
    ///
    /// # Errors
    /// If the system has none.
    pub fn draw() -> Result<Self, SysError> {
        let mut secret = [0; 32];
        rand::rngs::SysRng.try_fill_bytes(&mut secret)?;
        Ok(Self(secret))
    }

    /// What is stored of it.
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.0).into()
    }

    /// The one after it, always the same for the same salt. Who knows only the salt cannot tell it.
    #[must_use]
    pub fn successor(&self, salt: &[u8]) -> Self {
        Self(code(&self.0, &[salt]).finalize().into_bytes().into())
    }
}

/// Seals and opens.
#[derive(Clone)]
pub struct Seal {
    key: [u8; 32],
}

impl Seal {
    /// Seals with this secret, of any length.
    pub fn new(secret: &[u8]) -> Self {
        Self { key: Sha256::digest(secret).into() }
    }

    /// The refresh token of a session.
    pub fn refresh_token(&self, session: SessionId, secret: &TokenSecret) -> String {
        self.sealed(REFRESH, [session.0.as_bytes().as_slice(), &secret.0].concat())
    }

    /// Session and secret of a refresh token; none if it is none of ours.
    pub fn open_refresh_token(&self, token: &str) -> Option<(SessionId, TokenSecret)> {
        let content: [u8; 48] = self.opened(REFRESH, token)?.try_into().ok()?;
        let (session, secret) = content.split_first_chunk::<16>()?;
        Some((SessionId(Uuid::from_bytes(*session)), TokenSecret(secret.try_into().ok()?)))
    }

    /// A personal token.
    pub fn personal_token(&self, secret: &TokenSecret) -> String {
        format!("{PERSONAL_PREFIX}{}", self.sealed(PERSONAL, secret.0.to_vec()))
    }

    /// The secret of a personal token; none if it is none of ours.
    pub fn open_personal_token(&self, token: &str) -> Option<TokenSecret> {
        let content = self.opened(PERSONAL, token.strip_prefix(PERSONAL_PREFIX)?)?;
        content.try_into().ok().map(TokenSecret)
    }

    /// What shows that a device was logged in to an account, by this session, while it had the password of this hash.
    pub fn device_token(&self, account: AccountId, session: SessionId, password_hash: &str) -> String {
        let content = [account.0.as_bytes().as_slice(), session.0.as_bytes()].concat();
        self.sealed(&device_kind(password_hash), content)
    }

    /// The session of a device token; none if it is none of ours, for another account, or from before a change of the
    /// password.
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

    fn sealed(&self, kind: &[u8], content: Vec<u8>) -> String {
        let mut sealed = content;
        let seal = code(&self.key, &[kind, &sealed]).finalize().into_bytes();
        sealed.extend(seal.iter().take(SEAL));
        URL_SAFE_NO_PAD.encode(sealed)
    }

    fn opened(&self, kind: &[u8], text: &str) -> Option<Vec<u8>> {
        let mut content = URL_SAFE_NO_PAD.decode(text).ok()?;
        let seal = content.split_off(content.len().checked_sub(SEAL)?);
        code(&self.key, &[kind, &content]).verify_truncated_left(&seal).ok()?;
        Some(content)
    }
}

/// The password is part of what is sealed: who knew an old one is a stranger again.
fn device_kind(password_hash: &str) -> Vec<u8> {
    [DEVICE, &Sha256::digest(password_hash)].concat()
}

fn code(key: &[u8; 32], message: &[&[u8]]) -> Hmac<Sha256> {
    // HMAC fills keys up to this length with zeros itself; so none can be too long for it.
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
    fn the_next_secret_follows_from_the_secret_and_the_salt() {
        let secret = TokenSecret([9; 32]);
        assert!(secret.successor(&[1]) == secret.successor(&[1]));
        assert!(secret.successor(&[1]) != secret.successor(&[2]));
        assert!(secret.successor(&[1]) != TokenSecret([8; 32]).successor(&[1]));
    }
}
