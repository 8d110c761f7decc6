//! Accounts, sessions, tokens, invitations, names, friends and blocks.

pub mod account_changes;
pub mod account_names;
pub mod account_rows;
pub mod activity;
pub mod audit_log;
pub mod blocks;
pub mod bots;
pub mod email_codes;
pub mod friend_requests;
pub mod house_bots;
pub mod password_attempts;
pub mod revocations;
pub mod sessions;
pub mod sign_up_invitations;
pub mod tokens;
pub mod transfer_codes;
