//! Accounts: registration, log-in, sessions, tokens, names, profiles, relations between players.

pub mod access;
pub mod bots;
pub mod confirmations;
pub mod guests;
pub mod house_bots;
pub mod name_registry;
pub mod names;
pub mod password_attempts;
pub mod profiles;
pub mod refresh;
pub mod register;
pub mod relations;
pub mod revocations;
pub mod sessions;
pub mod sign_up_policy;
pub mod tokens;
pub mod transfer_codes;
