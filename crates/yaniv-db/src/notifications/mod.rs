//! Channels, the outbox, settings, last views, positions of the log scanner.

pub mod channels;
pub mod deliveries;
pub mod delivery_claims;
pub mod email_channels;
pub mod email_codes;
pub mod last_seen;
pub mod scan_positions;
pub mod settings;
