//! Matches: loading, cache, reading, log, replay. Play is in `turns`, the time before the start in `lobby`.

pub mod cache;
pub mod fold_log;
pub mod list;
pub mod load;
pub mod log;
pub mod my_turns;
pub mod name_changes;
pub mod read;
pub mod repeated_write;
pub mod replay_pool;
