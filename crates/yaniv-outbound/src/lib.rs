//! Outbound HTTP for notifications, to destinations chosen by users. HTTP client, signing and encryption; no
//! database, use cases or rules.
//!
//! Destinations are treated as hostile: only public addresses are connected to, checked at resolution;
//! redirects are not followed, timeouts are short, and response bodies are ignored.

pub mod address;
pub mod destination;
pub mod post;
pub mod push;
pub mod resolve;
pub mod vapid;
pub mod webhook;

pub use crate::destination::{Destination, NotAllowed};
pub use crate::post::{Answer, Failure, HttpSender, Post};
