//! Event feeds of a match and of an account: long polls and event streams.

pub mod account_feed;
pub mod account_feed_body;
pub mod match_feed;
pub mod sse;
