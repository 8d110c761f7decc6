//! Pure helpers of logging in: hashing passwords, issuing and checking access tokens. No HTTP, no SQL.

pub mod password;
pub mod token;
