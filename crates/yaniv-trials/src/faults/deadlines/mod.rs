//! Trials of deadlines, and the matches that they play.

pub(crate) mod automatic_actions;
pub(crate) mod clock_jumps;
pub(crate) mod missed_turns;
pub(crate) mod overdue;
pub mod timed;
