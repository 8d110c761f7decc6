//! Plain data shared by all layers: identifiers, idempotency keys, match versions, times as text, the target of traces.
//!
//! No game rules, no SQL, no HTTP.

pub mod idempotency;
pub mod ids;
pub mod match_version;
pub mod times;
pub mod traces;
