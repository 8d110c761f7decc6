//! Open matches, join codes.

pub mod join_codes;
pub mod open_matches;
pub mod removals;
