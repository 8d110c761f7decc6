//! A match: rounds, snapshots, what is legal, the view of a seat.

pub(crate) mod check;
pub(crate) mod legal;
pub(crate) mod snapshot;
pub(crate) mod state;
pub(crate) mod view;
