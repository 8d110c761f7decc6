//! The home screen.

pub mod overview;
