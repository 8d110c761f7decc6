//! Fault injection: trials that inject faults while matches are played, and a checker that compares what clients were
//! told with what is stored.
//!
//! In reading order: a [`trial`] is a promise and its test; [`program`] runs them. Most set up a [`stage`] (a database,
//! two instances), let [`group`]s of [`client`]s play on it ([`workload`], [`drive`]), and pass the history of writes
//! ([`op`]) to the [`checker`], which reads the [`database`] and replays the log ([`replay`]). Each trial first runs
//! with a bug planted from outside ([`plants`], [`proxy`]): a checker that does not detect it proves nothing. Trials of
//! deadlines play [`timed`] matches with a [`moved_clock`], and compare the log with the [`ledger`].

pub mod program;
pub mod report;
pub mod trial;
pub mod trials;

pub mod checker;
pub mod database;
pub mod drive;
pub mod plants;
pub mod pool;
pub mod proxy;
pub mod receiver;
pub mod replay;
pub mod resend;

pub mod masks;
pub mod twins;

pub mod client;
pub mod group;
pub mod listener;
pub mod op;
pub mod sessions;
pub mod stage;
pub mod vanish;
pub mod workload;

pub mod ledger;
pub mod moved_clock;
pub mod standing;
pub mod timed;
