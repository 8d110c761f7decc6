//! Authentication helpers without HTTP or SQL: password hashing, issuing and verifying tokens, scopes.

pub mod access;
pub mod oidc_cookies;
pub mod opaque;
pub mod passkeys;
pub mod password;
pub mod token;

/// Holder of the authentication secrets.
#[derive(Clone)]
pub struct Keeper {
    /// Hashes passwords.
    pub passwords: password::Passwords,
    /// Signs access tokens.
    pub tokens: token::Tokens,
    /// Seals refresh tokens and personal tokens.
    pub seal: opaque::Seal,
}
