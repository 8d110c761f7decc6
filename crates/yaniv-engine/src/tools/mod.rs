//! Tools for developers of rules: analysis of a line, positions, perft.

pub(crate) mod analyze;
pub(crate) mod perft;
pub(crate) mod position;
