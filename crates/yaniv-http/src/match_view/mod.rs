//! Bodies of a match as one seat sees it.

pub mod clock_body;
pub mod log_body;
pub mod match_body;
pub mod printed_rules;
pub mod round_body;
pub mod rule_set_body;
pub mod seat_body;
pub mod settings_body;
pub mod table_body;
pub mod time_control_body;
