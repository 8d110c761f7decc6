//! Passkeys of accounts, and the challenges that browsers have yet to answer.

pub mod challenges;
pub mod credentials;
