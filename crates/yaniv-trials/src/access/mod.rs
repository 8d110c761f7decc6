//! What strangers can do to the service and to other people's accounts: guess passwords, find out names, and send too much,
//! too slowly or too much at once.
//!
//! In reading order: [`trials`] are the promises; [`program`] runs them and prints their [`figures`]. They play on the
//! stage of the fault tests, by an [`asker`] each; connections that are slow on purpose are in [`slow`], and [`pulse`]
//! measures meanwhile whether the service lives. Each trial first runs with a bug that is planted from outside, and fails
//! if it does not see it.

pub mod program;

pub mod asker;
pub mod figures;
pub mod pulse;
pub mod slow;
pub mod trials;
