//! Every trial in its short form, planted bugs included: whether the trials themselves work, and a few faults each.
//!
//! A program without the usual harness: it is started again as the service, which a harness would not let it be.

use std::process::ExitCode;

use yaniv_trials::access::program as access;
use yaniv_trials::faults::program as faults;
use yaniv_trials::instance::serve_if_asked;

fn main() -> ExitCode {
    serve_if_asked().unwrap_or_else(run)
}

fn run() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    if has("--list") {
        // As a harness would answer; no test is ignored.
        if !has("--ignored") {
            println!("trials_in_short: test");
        }
        return ExitCode::SUCCESS;
    }
    let faults = faults::main(&faults::Options { short: true, seed: 1, ..faults::Options::default() });
    let access = access::main(&access::Options { short: true, ..access::Options::default() });
    if faults == ExitCode::SUCCESS { access } else { faults }
}
