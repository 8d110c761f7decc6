//! Deletion of accounts.

pub mod account_deletions;
