//! Presets and rule options.

pub mod list;
pub mod rule_catalog_body;
pub mod rule_options;
pub mod rule_request;
