//! The forms of requests: what the document's schemas allow, and everything in a request that they do not.

pub mod body;
pub mod form;
pub mod query;
pub mod words;
