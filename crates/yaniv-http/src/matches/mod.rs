//! Matches: reading, lists, settings.

pub mod match_list_body;
pub mod my_turns;
pub mod read;
pub mod settings;
pub mod turn_body;
pub mod view_tag;
pub mod written;
