//! Tests of password guessing, user enumeration and overload: `cargo run --release -p yaniv-trials --bin access`.

use std::process::ExitCode;

use clap::Parser;
use yaniv_trials::access::program::{self, Options};
use yaniv_trials::instance::serve_if_asked;

fn main() -> ExitCode {
    serve_if_asked().unwrap_or_else(|| program::main(&Options::parse()))
}
