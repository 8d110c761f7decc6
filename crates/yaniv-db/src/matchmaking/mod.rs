//! Pairing requests, their criteria and groups; challenges.

pub mod challenge_events;
pub mod challenge_members;
pub mod challenges;
pub mod pairing_criteria;
pub mod pairing_groups;
pub mod pairings;
