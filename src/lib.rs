//! Yaniv turn by turn over days: a REST service over the rules of `yaniv-engine`.
//!
//! In reading order: [`http`] turns requests into calls of [`service`], which loads a match from [`store`], lets the
//! engine decide, and saves what came of it. [`app`] puts them together.

pub mod program;

pub mod admin;
pub mod cli;
pub mod config;
pub mod rebuild_ratings;
pub mod telemetry;

pub mod app;
mod connections;
pub mod http;
pub mod run;
pub mod service;

pub mod ids;

pub mod auth;
pub mod outward;
pub mod store;
