//! What is printed: texts made of answers of the API.

pub(crate) mod clock;
pub(crate) mod help;
pub(crate) mod rules;
pub(crate) mod scores;
pub(crate) mod story;
pub(crate) mod table;
