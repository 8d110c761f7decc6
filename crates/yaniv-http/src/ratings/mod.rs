//! Ratings and leaderboards.

pub mod rating_body;
pub mod read;
