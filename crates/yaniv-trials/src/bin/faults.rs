//! Fault injection tests: `cargo run --release -p yaniv-trials --bin faults`.

use std::process::ExitCode;

use clap::Parser;
use yaniv_trials::faults::program::{self, Options};
use yaniv_trials::instance::serve_if_asked;

fn main() -> ExitCode {
    serve_if_asked().unwrap_or_else(|| program::main(&Options::parse()))
}
