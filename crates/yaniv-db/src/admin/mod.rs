//! Reads for `yaniv fsck` and `yaniv admin storage`.

pub mod derived_audit;
pub mod match_audit;
pub mod storage;
