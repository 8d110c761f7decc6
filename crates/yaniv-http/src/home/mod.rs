//! The home screen: one read of all that a client shows first.

pub mod overview;
pub mod overview_body;
