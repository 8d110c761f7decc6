//! A client of the service.
//!
//! [`generated`] is what progenitor generates from the OpenAPI document: every operation and type. [`Player`] is a
//! handwritten layer that implements retries as the document promises them: each write has a key, and is retried with
//! the same key until its answer is final.
//!
//! A [`types::Session`] is long-lived: keep its newest `refresh_token`, and pass it to [`Server::refresh`] when the
//! access token expires.
//!
//! ```no_run
//! use yaniv_client::{Key, Move, Player, Server};
//!
//! # async fn play() -> Result<(), Box<dyn std::error::Error>> {
//! let server = Server::new("http://127.0.0.1:8080")?;
//! let session = server.log_in("ada", "correct horse").await?;
//! let player = Player::new(&server, &session.access_token)?;
//! for summary in player.matches(None).await?.items.iter().filter(|summary| summary.your_turn) {
//!     let view = player.view(summary.match_id, None).await?;
//!     if view.legal.as_ref().is_some_and(|legal| legal.call) {
//!         player.act(&Key::fresh(), summary.match_id, view.version, &Move::Call { word: None }).await?;
//!     }
//! }
//! # Ok(())
//! # }
//! ```

// In reading order: generated code; what a request carries; what comes back; the player.
#[expect(missing_docs, clippy::unwrap_used, reason = "progenitor writes as it writes")]
pub mod generated;

mod headers;
mod key;

mod failure;
mod repeat;

mod moves;
mod people;
mod player;
mod server;
mod sessions;
mod view;

pub use failure::Failure;
pub use generated::types;
pub use key::Key;
pub use moves::Move;
pub use player::{Look, Player, Tag};
pub use server::Server;
pub use view::View;
