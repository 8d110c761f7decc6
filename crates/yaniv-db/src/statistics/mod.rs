//! Statistics of matches, players and the service.

pub mod match_stats;
pub mod player_stats;
pub mod service_totals;
