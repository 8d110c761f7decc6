//! Pure helpers of logging in: hashing passwords, issuing and checking tokens, and what they let somebody do. No HTTP,
//! no SQL.

pub mod access;
pub mod opaque;
pub mod password;
pub mod token;

/// Everything that knows a secret of the service.
#[derive(Clone)]
pub struct Keeper {
    /// Hashes passwords.
    pub passwords: password::Passwords,
    /// Signs access tokens.
    pub tokens: token::Tokens,
    /// Seals refresh tokens and personal tokens.
    pub seal: opaque::Seal,
}
