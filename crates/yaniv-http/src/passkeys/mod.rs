//! Passkeys (`docs/decisions/0031-passkeys.md`).
//!
//! `options_body`: what a browser gets. `credential_body`: what it answers, in the JSON of the browsers themselves.
//! `own`: the operations of their owner. `log_in`: log in with one.

pub mod credential_body;
pub mod log_in;
pub mod options_body;
pub mod own;
