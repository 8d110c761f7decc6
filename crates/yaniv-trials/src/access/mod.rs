//! Abuse of the service by outsiders: guessing passwords, finding out user names, overload and slow connections.
//!
//! In reading order: [`trials`] are the promises; [`program`] runs them and prints their [`figures`]. They use the
//! stage of the fault tests; [`asker`] is the HTTP client. [`slow`] opens connections that are slow on purpose, and
//! [`pulse`] checks during a trial that the service responds. Each trial first runs with a bug planted from outside,
//! and fails if it does not detect it.

pub mod program;

pub mod asker;
pub mod figures;
pub mod pulse;
pub mod slow;
pub mod trials;
