//! Bodies that several operations share. Flat on purpose: no unions, no nulls, no tuples, so that every generator
//! can read them. None is built from a row or from the engine's state, only from views.

pub mod account_body;
pub mod analysis_body;
pub mod bot_body;
pub mod calendar_body;
pub mod card_code;
pub mod challenge_body;
pub mod channel_body;
pub mod channel_request;
pub mod clock_body;
pub mod fairness_body;
pub mod history_body;
pub mod inbox_body;
pub mod log_body;
pub mod match_body;
pub mod match_list_body;
pub mod open_match_body;
pub mod orders_body;
pub mod pace_body;
pub mod pairing_body;
pub mod people_body;
pub mod played_body;
mod printed_rules;
pub mod profile_body;
pub mod rating_body;
pub mod recap_body;
pub mod replay_body;
pub mod round_body;
pub mod rule_catalog_body;
mod rule_options;
pub mod rule_request;
pub mod rule_set_body;
pub mod server_body;
pub mod session_body;
pub mod statistics_body;
pub mod table_body;
pub mod turn_body;
