//! Everything that goes out by HTTP to where others say: notices. Knows the HTTP client and what is signed and encrypted
//! for it; no database, no use cases, no rules.
//!
//! Whatever is on the other side is taken for hostile. It is asked only at addresses that everybody can reach, whatever a name
//! resolves to at that moment; it is not followed elsewhere, not waited for, and not read.

pub mod address;
pub mod destination;
pub mod post;
pub mod push;
pub mod resolve;
pub mod vapid;
pub mod webhook;

pub use destination::{Destination, NotAllowed};
pub use post::{Answer, Failure, Post, Postman};
