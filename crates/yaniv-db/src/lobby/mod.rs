//! Open matches, join codes, idempotency keys of match creation.

pub mod creation_keys;
pub mod join_codes;
pub mod open_matches;
