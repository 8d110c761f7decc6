//! Vacations and quiet hours of accounts, and their effects on running matches.

pub mod edit;
pub mod matches;
pub mod queries;
