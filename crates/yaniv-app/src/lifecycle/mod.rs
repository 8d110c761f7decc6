//! The end of accounts (deletion, export, housekeeping), the reset of passwords, and synthetic matches for programs that
//! fill a database.

pub mod account_deletion;
pub mod account_export;
pub mod housekeeping;
pub mod password_reset;
pub mod synthetic_match;
