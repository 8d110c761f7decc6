//! The clients against the running program: the generated Rust client, and `yaniv play` on it. Everything here knows of
//! the service what anybody knows who has the document.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests say what they expect")]

mod client;
mod lossy;
mod people;
mod staying;
mod support;
mod terminal;
