//! Values on the wire: times, cards, versions.

pub mod card_code;
pub mod expected_version;
pub mod time;
