//! Ratings and leaderboards.

pub mod leaderboards;
pub mod queue;
pub mod rating_changes;
pub mod rating_rows;
