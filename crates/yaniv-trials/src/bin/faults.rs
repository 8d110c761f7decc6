//! That nothing is lost when things break: `cargo run --release -p yaniv-trials --bin faults`.

use std::process::ExitCode;

fn main() -> ExitCode {
    yaniv_trials::instance::serve_if_asked().unwrap_or(ExitCode::SUCCESS)
}
