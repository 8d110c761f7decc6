//! Fault injection: trials that inject faults while matches are played, and a checker that compares what clients were
//! told with what is stored.
//!
//! In reading order: a [`trial`] is a promise and its test; [`program`] runs them. Most set up a stage ([`setup`]: a
//! database, two instances), let groups of [`clients`] play on it ([`workload`], [`drive`]), and pass the history of
//! writes to the [`checks`], which read the database and replay the log. Each trial first runs with a bug planted from
//! outside (`setup::plants`, `setup::proxy`): a check that does not detect it proves nothing. Trials of [`deadlines`]
//! play matches with a movable clock, and compare the log with the ledger.

pub mod program;
pub mod report;
pub mod trial;
pub mod trials;

pub mod checks;
pub mod clients;
pub mod deadlines;
pub mod drive;
pub mod outages;
pub mod setup;
pub mod workload;
