//! Short form of the generator of matches: stored matches agree with their logs, all measured requests succeed, and answers are the
//! same after the archive.
//!
//! A program without the test harness, like `short`: it starts itself again as the service.

use std::process::ExitCode;

use yaniv_trials::history::main as history;
use yaniv_trials::history::options::{Command, Measured, Options};
use yaniv_trials::instance::serve_if_asked;

fn main() -> ExitCode {
    serve_if_asked().unwrap_or_else(run)
}

fn run() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    if has("--list") {
        // Answers `--ignored` like the harness; no test is ignored.
        if !has("--ignored") {
            println!("history_in_short: test");
        }
        return ExitCode::SUCCESS;
    }
    if std::env::var_os("YANIV_CHECKS").is_none_or(|checks| checks != "all") {
        println!("history_in_short: only with all checks, YANIV_CHECKS=all");
        return ExitCode::SUCCESS;
    }
    let measured = Measured { times: 5, inserted: 20, checked: 300, recounted: 10 };
    match history(&Options {
        command: Command::Run { matches: 200, played_out: false, compared: 60, measured },
    }) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("history: {error}");
            ExitCode::FAILURE
        }
    }
}
