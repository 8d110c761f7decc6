//! The program `yaniv`: a REST service to play Yaniv turn by turn over days.
//!
//! In reading order: [`program`] reads the command line; [`run`] serves; [`app`] composes `yaniv_http` (API),
//! `yaniv_app` (use cases), `yaniv_db` (database) and `yaniv_match` (a match, pure).

pub mod program;

pub mod admin;
pub mod cli;
pub mod config;
pub mod telemetry;
#[cfg_attr(not(feature = "otlp"), path = "traces/absent.rs")]
pub mod traces;

pub mod app;
pub mod archive;
pub mod rebuild;
pub mod run;
