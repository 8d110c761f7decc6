//! Clients: players, listeners and receivers, and what they send again.

pub mod client;
pub mod group;
pub mod listener;
pub mod op;
pub mod receiver;
pub mod resend;
pub mod sessions;
pub mod vanish;
