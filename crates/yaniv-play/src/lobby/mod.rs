//! The lobby: matches, challenges, pairing requests, and the waiting room of a match.

pub(crate) mod challenge;
pub(crate) mod create;
pub(crate) mod menu;
pub(crate) mod pairing;
pub(crate) mod waiting_room;
