//! Tests of the clocks: a table of examples, refusals, and a simulated year against a reference that counts minutes.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests say what they expect")]

mod changes_of_hours;
mod examples;
mod forms;
mod reference;
mod vacations;
mod waits;
mod year;
