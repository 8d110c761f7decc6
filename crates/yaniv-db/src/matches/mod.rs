//! Matches, seats, the log, rounds, dedications.

pub mod archived_logs;
pub mod batch_reads;
pub mod dedications;
pub mod full_tables;
pub mod list;
pub mod load;
pub mod log;
pub mod match_rows;
pub mod my_turns;
pub mod packed_log;
pub mod rounds;
pub mod seats;
pub mod versions;
