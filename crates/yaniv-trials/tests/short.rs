//! Every trial in its short form, planted bugs included: whether the trials themselves work, and a few faults each.
//!
//! A program without the usual harness: it is started again as the service, which a harness would not let it be.

use std::process::ExitCode;

use yaniv_trials::access::program as access;
use yaniv_trials::faults::program as faults;
use yaniv_trials::instance::serve_if_asked;

/// Trials at a time.
const LANES: usize = 2;

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
    // Trials mostly wait, for faults and for what comes of them: some go on beside each other.
    let lanes: Vec<Vec<String>> = (0..LANES).map(lane).collect();
    let green = std::thread::scope(|scope| {
        let trying = |names: &Vec<String>| {
            let names = names.clone();
            let options = faults::Options { short: true, seed: 1, names, ..faults::Options::default() };
            scope.spawn(move || faults::main(&options) == ExitCode::SUCCESS)
        };
        let trying: Vec<_> = lanes.iter().map(trying).collect();
        trying.into_iter().all(|lane| lane.join().is_ok_and(|green| green))
    });
    // Alone, as it measures who has to wait for whom.
    let access = access::main(&access::Options { short: true, ..access::Options::default() });
    if green { access } else { ExitCode::FAILURE }
}

/// Every so manieth trial.
fn lane(number: usize) -> Vec<String> {
    faults::names().skip(number).step_by(LANES).map(str::to_owned).collect()
}
