//! Reads for the account feed and for change notification.

pub mod account_feed;
pub mod change_channel;
pub mod change_watch;
