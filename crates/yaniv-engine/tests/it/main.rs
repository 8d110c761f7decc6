//! The tests of the engine from outside, in one binary. What needs private parts is tested in `src`.

mod examples;
mod flow;
mod properties;
mod records;
mod scripts;
mod shuffles;
mod support;
