//! Ratings: the worker that rates finished matches, the queries, and leaderboards. Statistics are in
//! `statistics`.

pub mod math;
pub mod order;
pub mod queries;
pub mod rebuild;
pub mod worker;
