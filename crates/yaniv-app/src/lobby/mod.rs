//! A match before its first deal: creation, preview, joining, leaving, start; join codes; the list of open matches.
//! Play is in `turns`.

pub mod change;
pub mod create;
pub mod join_leave_start;
pub mod open_matches;
pub(crate) mod open_seats;
pub mod preview;
pub mod rated_seats;
pub mod start_seated;
