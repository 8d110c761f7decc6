//! Input and output on a terminal.

pub(crate) mod cards;
pub(crate) mod paint;
pub(crate) mod terminal;
