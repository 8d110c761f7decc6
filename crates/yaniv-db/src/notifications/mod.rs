//! Channels, the outbox, settings, last views, positions of the log scanner.

pub mod channels;
pub mod deliveries;
pub mod delivery_claims;
pub mod digests;
pub mod email_channels;
pub mod email_counts;
pub mod last_seen;
pub mod rotated_secrets;
pub mod scan_positions;
pub mod settings;
