//! Feeds: the events of a match and of an account, read in pages, by long poll and by stream.

pub mod account_feed;
pub mod change_channel;
pub mod change_watcher;
pub mod feed_cursor;
pub mod match_feed;
pub mod stream_limits;
pub mod streams;
