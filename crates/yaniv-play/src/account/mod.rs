//! Accounts: log-in, guests, the stored session.

pub(crate) mod language;
pub(crate) mod link;
pub(crate) mod log_in;
pub(crate) mod memory;
pub(crate) mod newcomer;
pub(crate) mod player;
pub(crate) mod session;
