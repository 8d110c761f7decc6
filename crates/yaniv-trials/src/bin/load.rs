//! How fast the service is: `cargo run --release -p yaniv-trials --bin load`.

use std::process::ExitCode;

fn main() -> ExitCode {
    yaniv_trials::instance::serve_if_asked().unwrap_or(ExitCode::SUCCESS)
}
