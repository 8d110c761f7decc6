//! Past matches: lists, records, rounds step by step, analyses, recaps.

pub mod analysis_cache;
pub mod past_matches;
pub mod reasons;
pub mod recap;
pub mod record;
pub mod record_export;
pub mod round_analysis;
pub mod round_replay;
pub mod round_visit;
