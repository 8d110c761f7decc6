//! Matchmaking: pairing requests, challenges, rematches. They start matches with `lobby::start_seated`.

pub mod blocking;
pub mod challenge_answers;
pub mod challenge_view;
pub mod challenges;
pub(crate) mod leave_waiting;
pub mod pairing;
pub mod pairing_groups;
pub mod pairing_view;
pub mod rematches;
