//! Command line: selects trials, runs them, prints the table of results.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser;

use super::report::HEAD;
use super::setup::tls::Tls;
use super::trial::{Context, Outcome, Trial};
use super::trials::ALL;
use crate::Error;

/// Fault tests: each promise is tested while faults are injected.
#[derive(Clone, Debug, Default, Parser)]
pub struct Options {
    /// Trials to run, by their names; all if none is given.
    pub names: Vec<String>,
    /// How often to inject, instead of the trial's own number.
    #[arg(long)]
    pub times: Option<usize>,
    /// Runs each only a few times, to check the trials themselves.
    #[arg(long)]
    pub short: bool,
    /// Seed of all random choices.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Stop each trial after this many minutes.
    #[arg(long)]
    pub minutes: Option<u64>,
    /// Another build of the service, to upgrade from (p26).
    #[arg(long)]
    pub old: Option<PathBuf>,
    /// Instances reach the database by TCP and TLS, and check its certificate and its name.
    #[arg(long)]
    pub tls: bool,
    /// Print progress.
    #[arg(long)]
    pub verbose: bool,
    /// List the trials.
    #[arg(long)]
    pub list: bool,
}

/// The trials, by their names.
pub fn names() -> impl Iterator<Item = &'static str> {
    ALL.iter().map(|trial| trial.name)
}

/// Runs the selected trials; fails if any promise was broken or could not be tested.
#[must_use]
pub fn main(options: &Options) -> ExitCode {
    if options.list {
        for trial in ALL {
            println!("{:4} {} ({} × {})", trial.name, trial.promise, trial.injects, trial.times);
        }
        return ExitCode::SUCCESS;
    }
    match run(options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("faults: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<bool, Error> {
    let unknown = options.names.iter().find(|name| ALL.iter().all(|trial| trial.name != **name));
    if let Some(name) = unknown {
        return Err(format!("there is no trial {name}; --list shows them").into());
    }
    let first = options.names.first().map_or("all", String::as_str);
    let by = if options.tls { "-tls" } else { "" };
    let directory = std::env::temp_dir().join(format!("yaniv-faults-{}-{first}{by}", std::process::id()));
    std::fs::create_dir_all(&directory)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut context = Context::new(runtime, directory.clone(), options.seed);
    context.short = options.short;
    context.verbose = options.verbose;
    context.old.clone_from(&options.old);
    if options.tls {
        context.tls = Some(Tls::new(&directory)?);
    }
    let mut green = true;
    println!("{HEAD}");
    let chosen =
        |trial: &&Trial| options.names.is_empty() || options.names.iter().any(|name| name == trial.name);
    for trial in ALL.iter().filter(chosen) {
        let own = if options.short { trial.short } else { trial.times };
        context.times = options.times.unwrap_or(own);
        context.until = options.minutes.map(|minutes| Instant::now() + Duration::from_secs(minutes * 60));
        green &= try_one(&context, trial);
    }
    if green {
        std::fs::remove_dir_all(&directory)?;
    } else {
        eprintln!("logs and histories: {}", directory.display());
    }
    Ok(green)
}

/// Runs the planted bug first, then the trial itself; returns whether it is green.
fn try_one(context: &Context, trial: &Trial) -> bool {
    let begun = Instant::now();
    context.say(trial.name);
    match see_bug(context, trial) {
        Ok(Some(why)) => return skipped(context, trial, &why),
        Ok(None) => {}
        Err(error) => return failed(trial, &chain(error.as_ref())),
    }
    let planted = begun.elapsed();
    match (trial.run)(context) {
        Ok(Outcome::Done(report)) => {
            let verdict = if report.is_red() { "**red**" } else { "green" };
            println!("{}", report.row(trial, verdict));
            let slowest = report.slowest.as_millis();
            eprintln!("{}: {}; slowest write {slowest} ms", trial.name, trial.promise);
            eprintln!("{}: {}", trial.name, report.answers());
            for line in report.notes.iter().chain(&report.findings) {
                eprintln!("{}: {line}", trial.name);
            }
            eprintln!("{}: {:.1?}, of which {planted:.1?} for the bug", trial.name, begun.elapsed());
            !report.is_red()
        }
        Ok(Outcome::Skipped(why)) => skipped(context, trial, &why),
        Err(error) => failed(trial, &chain(error.as_ref())),
    }
}

/// Whether the checker detects the planted bug; the reason if that cannot be tested here.
fn see_bug(context: &Context, trial: &Trial) -> Result<Option<String>, Error> {
    match (trial.planted)(context)? {
        Outcome::Done(report) if report.sees() => {
            eprintln!("{}: planted: {}; seen: {}", trial.name, trial.bug, report.caught());
            report.findings.iter().for_each(|finding| context.say(finding));
            Ok(None)
        }
        Outcome::Done(report) => {
            report.findings.iter().for_each(|finding| eprintln!("{}: {finding}", trial.name));
            Err(format!("the checker is blind: it did not detect {}", trial.bug).into())
        }
        Outcome::Skipped(why) => Ok(Some(why)),
    }
}

/// A promise that was not tested counts as broken; only the short form, which runs all trials, may skip one.
fn skipped(context: &Context, trial: &Trial, why: &str) -> bool {
    println!("| {} | skipped: {why} | | | | | | | | | – |", trial.name.to_uppercase());
    context.short
}

/// An error with its causes.
fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = std::iter::successors(error.source(), |error| error.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

fn failed(trial: &Trial, why: &str) -> bool {
    println!("| {} | failed: {why} | | | | | | | | | **red** |", trial.name.to_uppercase());
    false
}
