//! Cards, sets of them, seats.

pub(crate) mod bag;
pub(crate) mod card;
pub(crate) mod seat;
pub(crate) mod set;
