//! Trials in their short form, planted bugs included, with a few faults each: those of `OF_A_CHANGE`; with all checks
//! (`YANIV_CHECKS=all`) every one.
//!
//! A program without the test harness: it starts itself again as the service, which the harness would prevent.

use std::process::ExitCode;
use std::sync::Mutex;

use yaniv_trials::access::program as access;
use yaniv_trials::faults::program as faults;
use yaniv_trials::instance::serve_if_asked;

/// Trials that run concurrently.
const LANES: usize = 3;
/// The longest ones. They run first: the last trial to end then leaves no processor idle for long.
const LONG: [&str; 6] = ["p24", "p11", "upgrade", "p9", "p8", "p12"];

/// A killed instance, a killed database, a failover: what loses moves if anything does.
const OF_A_CHANGE: [&str; 3] = ["p1", "p2", "p4"];

fn main() -> ExitCode {
    serve_if_asked().unwrap_or_else(run)
}

fn run() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    if has("--list") {
        // Answers `--ignored` like the harness; no test is ignored.
        if !has("--ignored") {
            println!("trials_in_short: test");
        }
        return ExitCode::SUCCESS;
    }
    let every = std::env::var_os("YANIV_CHECKS").is_some_and(|checks| checks == "all");
    // Trials mostly wait: several run concurrently.
    let wanted = faults::names().filter(|name| every || OF_A_CHANGE.contains(name));
    let (long, others): (Vec<_>, Vec<_>) = wanted.partition(|name| LONG.contains(name));
    // One of them by TLS as well.
    let all = long.into_iter().chain(others).map(|name| (name, false)).chain(every.then_some(("p1", true)));
    let left = Mutex::new(all);
    let next = || left.lock().ok().and_then(|mut names| names.next());
    let green = std::thread::scope(|scope| {
        let try_on = || {
            let mut green = true;
            while let Some((name, tls)) = next() {
                let names = vec![name.to_owned()];
                let options =
                    faults::Options { short: true, seed: 1, names, tls, ..faults::Options::default() };
                green &= faults::main(&options) == ExitCode::SUCCESS;
            }
            green
        };
        let lanes: Vec<_> = (0..LANES).map(|_| scope.spawn(try_on)).collect();
        lanes.into_iter().all(|lane| lane.join().is_ok_and(|green| green))
    });
    if !every {
        return if green { ExitCode::SUCCESS } else { ExitCode::FAILURE };
    }
    // Alone, as it measures times.
    let access = access::main(&access::Options { short: true, ..access::Options::default() });
    if green { access } else { ExitCode::FAILURE }
}
