//! Outbound requests for notifications: HTTP to destinations chosen by users, and SMTP to the operator's mail server
//! (`mail`). Clients, signing and encryption; no database, use cases or rules.
//!
//! Destinations of users are treated as hostile: only public addresses are connected to, checked at resolution;
//! redirects are not followed, timeouts are short, and response bodies are ignored.

pub mod address;
pub mod destination;
pub mod mail;
pub mod post;
pub mod push;
pub mod resolve;
pub mod vapid;
pub mod webhook;

pub use crate::destination::{Destination, NotAllowed};
pub use crate::mail::{Mail, MailSender, MailServer};
pub use crate::post::{Answer, Failure, HttpSender, Post};
