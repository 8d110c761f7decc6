//! Pairings, challenges, rematches.

pub mod challenge_answers;
pub mod challenge_body;
pub mod challenges;
pub mod pairing_body;
pub mod pairings;
pub mod rematches;
