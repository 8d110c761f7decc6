//! Tests of the bots on the real engine.

#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "tests say what they expect")]

#[path = "../../../yaniv-engine/tests/it/support.rs"]
#[expect(dead_code, reason = "the engine's tests use the rest of it")]
mod support;

mod appraise;
mod expert;
mod games;
mod hidden;
mod scenes;
