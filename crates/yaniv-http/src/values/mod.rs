//! Values on the wire: times, cards, versions, words.

pub mod card_code;
pub mod expected_version;
pub mod time;
pub(crate) mod words;
