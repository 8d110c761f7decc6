//! Channels and notification settings.

pub mod channel_body;
pub mod channel_log;
pub mod channel_request;
pub mod channels;
pub mod email_channels;
pub mod settings;
pub mod unsubscribe_page;
