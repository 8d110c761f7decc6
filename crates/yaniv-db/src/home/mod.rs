//! The home screen: the matches that it shows, and what of them is unread.

pub mod match_list;
pub mod seen_versions;
