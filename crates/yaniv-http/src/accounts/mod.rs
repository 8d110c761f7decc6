//! Accounts, sessions, tokens, bots, profiles, blocks, friends.

pub mod account_body;
pub mod blocks;
pub mod bot_body;
pub mod bots;
pub mod friends;
pub mod guests;
pub(crate) mod identity_cookie;
pub mod language;
pub mod profile_body;
pub mod profiles;
pub mod refresh_cookie;
pub mod register;
pub mod relations_body;
pub mod session_body;
pub mod sessions;
pub mod tokens;
pub mod transfer_codes;
