//! Notification channels of an account: push subscriptions and webhooks. Sending is in
//! `notifications::outbox`.

pub mod channel;
pub mod delivery_log;
pub mod kinds;
pub mod manage;
pub mod quiet_hours;
pub mod settings;
