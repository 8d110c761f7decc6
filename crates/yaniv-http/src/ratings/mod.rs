//! Ratings and leaderboards.

pub mod preset_path;
pub mod rating_body;
pub mod read;
