//! The outbox: log scanner, enqueueing, dispatcher, delivery with retries. Settings of channels are in
//! `channels`.

pub mod cleanup;
pub mod concurrency;
pub mod content;
pub mod deadline_reminders;
pub mod deliver;
pub mod digests;
pub mod dispatcher;
pub mod email;
pub mod enqueue;
pub mod events;
pub mod host_health;
pub mod link;
pub mod log_scanner;
pub mod payload;
pub mod presence;
pub mod rate_limit;
pub mod situation;
