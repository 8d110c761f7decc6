//! Cost of many finished matches: `cargo run --release -p yaniv-trials --bin history`.

use std::process::ExitCode;

use clap::Parser as _;
use yaniv_trials::history::{self, options::Options};
use yaniv_trials::instance;

fn main() -> ExitCode {
    instance::serve_if_asked().unwrap_or_else(|| match history::main(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("history: {error}");
            let mut cause = error.source();
            while let Some(error) = cause {
                eprintln!("  because: {error}");
                cause = error.source();
            }
            ExitCode::FAILURE
        }
    })
}
