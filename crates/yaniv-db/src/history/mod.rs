//! The filtered list of an account's matches.

pub mod past_matches;
