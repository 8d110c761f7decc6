//! Matches: reading, lists, seats.

pub mod match_list_body;
pub mod my_turns;
pub mod read;
pub mod seats;
pub mod settings;
pub mod turn_body;
pub mod view_tag;
pub mod written;
