//! The end of accounts and the reset of passwords: deletion, export, reset.

pub mod account_deletion;
pub mod export;
pub mod password_resets;
