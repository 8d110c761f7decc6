//! Moderation: who may moderate, what is reported, what was decided.

pub mod decisions;
pub mod marks;
pub mod moderators;
pub mod reports;
