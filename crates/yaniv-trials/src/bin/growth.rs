//! Cost of many stored matches: `cargo run --release -p yaniv-trials --bin growth`.

use std::process::ExitCode;

use clap::Parser as _;
use yaniv_trials::growth::{self, options::Options};
use yaniv_trials::instance;

fn main() -> ExitCode {
    instance::serve_if_asked().unwrap_or_else(|| match growth::run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("growth: {error}");
            let mut cause = error.source();
            while let Some(error) = cause {
                eprintln!("  because: {error}");
                cause = error.source();
            }
            ExitCode::FAILURE
        }
    })
}
