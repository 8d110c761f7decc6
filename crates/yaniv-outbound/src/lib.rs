//! Outbound requests: notifications by HTTP to destinations chosen by users, and by SMTP to the operator's mail server
//! (`mail`); log-ins by the operator's OpenID provider (`oidc`). No database, use cases or rules.
//!
//! Destinations of users are treated as hostile: only public addresses are connected to, checked at resolution;
//! redirects are not followed, timeouts are short, and response bodies are ignored.

pub mod address;
pub mod destination;
pub mod mail;
pub mod oidc;
pub mod post;
pub mod push;
pub mod resolve;
pub mod vapid;
pub mod webhook;

pub use crate::destination::{Destination, NotAllowed};
pub use crate::mail::{Mail, MailSender, MailServer};
pub use crate::oidc::OidcClient;
pub use crate::post::{Answer, Failure, HttpSender, Post};
