//! Behaviour of the service under load and under faults.
//!
//! Programs that send requests to real instances over HTTP, with a real PostgreSQL, and print figures: `load` measures
//! speed, `growth` and `history` the cost of many matches, `faults` checks that nothing is lost when things break,
//! `access` that outsiders can do no harm. [`instance`] starts instances of the service (as processes, to be measured
//! and killed); [`player`] is their client.

pub mod access;
pub mod faults;
pub mod growth;
pub mod history;
pub mod instance;
pub mod load;
pub mod player;

/// An error of the trial itself, not of what it tests.
pub type Error = Box<dyn std::error::Error + Send + Sync>;
