//! The end of accounts: deletion, export, housekeeping; and synthetic matches for programs that fill a
//! database.

pub mod account_deletion;
pub mod account_export;
pub mod housekeeping;
pub mod synthetic_match;
