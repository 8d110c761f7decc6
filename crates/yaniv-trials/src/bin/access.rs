//! That guessing is slow, that names cannot be found out, and that too much at once does no harm:
//! `cargo run --release -p yaniv-trials --bin access`.

use std::process::ExitCode;

use clap::Parser;
use yaniv_trials::access::program::{self, Options};
use yaniv_trials::instance::serve_if_asked;

fn main() -> ExitCode {
    serve_if_asked().unwrap_or_else(|| program::main(&Options::parse()))
}
