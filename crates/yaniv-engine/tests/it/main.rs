//! Tests of the public API of the engine, in one binary. Private parts are tested in `src`.

#![expect(clippy::expect_used, clippy::indexing_slicing, reason = "a test may panic: that is how it fails")]

mod bounds;
mod examples;
mod fairness;
mod flow;
mod invariants;
mod lines;
mod options;
mod properties;
mod record_texts;
mod records;
mod refusals;
mod scripts;
mod shuffles;
mod slams;
mod support;
