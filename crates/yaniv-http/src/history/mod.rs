//! The log, past matches, records, replays, analyses, recaps.

pub mod analysis_body;
pub mod fairness_body;
pub mod history_body;
pub mod log;
pub mod past_matches;
pub mod recap_body;
pub mod record_export;
pub mod records;
pub mod replay_body;
pub mod replays;
