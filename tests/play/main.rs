//! The clients against the running service: the generated Rust client, and `yaniv play`. The tests use only what the
//! OpenAPI document describes.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests say what they expect")]

mod client;
mod lossy;
mod people;
mod staying;
mod support;
mod terminal;
