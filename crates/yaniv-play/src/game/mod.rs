//! A match in play.

pub(crate) mod after;
pub(crate) mod auto;
pub(crate) mod commands;
pub(crate) mod playing;
pub(crate) mod throws;
