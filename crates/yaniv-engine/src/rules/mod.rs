//! Rule sets: the table of options, presets, their JSON.

pub(crate) mod bounds;
pub(crate) mod choices;
#[cfg(feature = "serde")]
pub(crate) mod json;
pub(crate) mod options;
pub(crate) mod preset;
pub(crate) mod rule_set;
pub(crate) mod table;
