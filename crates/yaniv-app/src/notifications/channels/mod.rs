//! Notification channels of an account: push subscriptions, webhooks and e-mail. Sending is in
//! `notifications::outbox`.

pub mod channel;
pub mod delivery_log;
pub mod email;
pub mod email_limits;
pub mod kinds;
pub mod manage;
pub mod quiet_hours;
pub mod settings;
