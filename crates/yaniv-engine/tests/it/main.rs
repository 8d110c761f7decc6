//! The tests of the engine from outside, in one binary. What needs private parts is tested in `src`.

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
mod scripts;
mod shuffles;
mod slams;
mod support;
