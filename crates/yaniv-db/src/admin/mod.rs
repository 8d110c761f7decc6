//! Reads for `yaniv fsck`.

pub mod derived_audit;
pub mod match_audit;
