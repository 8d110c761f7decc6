//! Integrity check (`yaniv fsck`): compares stored data with the action log.

pub mod check;
pub mod derived;
pub mod log;
pub mod state;
