//! The web client (`web/`), built by `build.rs` with npm and embedded: static files, nothing more.

include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// The Content-Security-Policy that the client is tested under.
pub const POLICY: &str = include_str!("../../../web/content-security-policy.txt").trim_ascii_end();
