//! A match before its first deal: creation, joining, leaving, start; join codes; the list of open matches.
//! Play is in `turns`.

pub mod change;
pub mod create;
pub mod join_leave_start;
pub mod open_matches;
pub mod rated_seats;
pub mod start_seated;
