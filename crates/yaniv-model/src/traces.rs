//! Distributed tracing: what the spans of traces have in common.

/// Target of the spans that are exported as traces. They are at level trace, so that logs do not have them.
pub const TRACES: &str = "traces";
