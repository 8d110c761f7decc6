//! Load test: `cargo run --release -p yaniv-trials --bin load`.

use std::process::ExitCode;

use clap::Parser as _;
use yaniv_trials::load::options::Options;
use yaniv_trials::{instance, load};

fn main() -> ExitCode {
    instance::serve_if_asked().or_else(load::compared::bare::serve_if_asked).unwrap_or_else(|| {
        load::run(&Options::parse()).unwrap_or_else(|error| {
            eprintln!("load: {error}");
            ExitCode::FAILURE
        })
    })
}
