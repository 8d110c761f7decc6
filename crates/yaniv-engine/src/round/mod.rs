//! A round: dealing, melds, plays, calls, scores.

pub(crate) mod action;
pub(crate) mod call;
pub(crate) mod deal;
pub(crate) mod discards;
pub(crate) mod ending;
pub(crate) mod event;
pub(crate) mod leave;
pub(crate) mod meld;
pub(crate) mod phase;
pub(crate) mod play;
pub(crate) mod refusals;
pub(crate) mod responses;
pub(crate) mod runs;
pub(crate) mod scoring;
pub(crate) mod slam;
pub(crate) mod state;
