//! Creating, joining and starting matches; join codes; open matches.

pub mod create;
pub mod create_request;
pub mod join;
pub mod join_codes;
pub mod join_page;
pub mod match_preview_body;
pub mod open_match_body;
pub mod open_matches;
pub mod time_control_request;
