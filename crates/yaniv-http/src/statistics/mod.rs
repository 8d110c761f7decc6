//! Statistics of players and opponents.

pub mod played_body;
pub mod read;
pub mod statistics_body;
