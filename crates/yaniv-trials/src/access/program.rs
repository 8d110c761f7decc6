//! Command line: selects trials, runs them, prints the table of their figures.

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;

use super::figures::{Figures, HEAD};
use super::trials::{ALL, Trial};
use crate::Error;
use crate::faults::trial::Context;

/// Tests of password guessing, user enumeration and overload.
#[derive(Clone, Debug, Default, Parser)]
pub struct Options {
    /// Trials to run, by their names; all if none is given.
    pub names: Vec<String>,
    /// How often each is run, instead of the trial's own number.
    #[arg(long)]
    pub times: Option<usize>,
    /// Runs each only a few times, to check the trials themselves. Bounds on times are wide then.
    #[arg(long)]
    pub short: bool,
    /// Print progress.
    #[arg(long)]
    pub verbose: bool,
    /// List the trials.
    #[arg(long)]
    pub list: bool,
}

/// Runs the selected trials; fails if any bound was broken.
#[must_use]
pub fn main(options: &Options) -> ExitCode {
    if options.list {
        for trial in ALL {
            println!("{:4} {} (× {})", trial.name, trial.promise, trial.times);
        }
        return ExitCode::SUCCESS;
    }
    match run(options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("access: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<bool, Error> {
    let unknown = options.names.iter().find(|name| ALL.iter().all(|trial| trial.name != **name));
    if let Some(name) = unknown {
        return Err(format!("there is no trial {name}; --list shows them").into());
    }
    let directory = std::env::temp_dir().join(format!("yaniv-access-{}", std::process::id()));
    std::fs::create_dir_all(&directory)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let mut context = Context::new(runtime, directory.clone(), 1);
    context.short = options.short;
    context.verbose = options.verbose;
    let mut green = true;
    println!("{HEAD}");
    let chosen =
        |trial: &&Trial| options.names.is_empty() || options.names.iter().any(|name| name == trial.name);
    for trial in ALL.iter().filter(chosen) {
        let own = if options.short { trial.short } else { trial.times };
        context.times = options.times.unwrap_or(own);
        green &= try_one(&context, trial);
    }
    if green {
        std::fs::remove_dir_all(&directory)?;
    } else {
        eprintln!("logs: {}", directory.display());
    }
    Ok(green)
}

/// Runs the planted bug first, then the trial itself; returns whether it is green.
fn try_one(context: &Context, trial: &Trial) -> bool {
    let name = trial.name.to_uppercase();
    let begun = Instant::now();
    let tried = (trial.planted)(context).and_then(|planted| seen(trial, &planted)).and_then(|()| {
        context.say(trial.name);
        (trial.run)(context)
    });
    match tried {
        Ok(figures) => {
            print!("{}", figures.rows(&name));
            eprintln!("{}: {}; {:.1?}", trial.name, trial.promise, begun.elapsed());
            !figures.is_red()
        }
        Err(error) => {
            println!("| {name} | failed: {error} | | | **red** |");
            false
        }
    }
}

/// Whether the trial detected its planted bug.
fn seen(trial: &Trial, planted: &Figures) -> Result<(), Error> {
    if planted.is_red() {
        eprintln!("{}: planted: {}; seen: {}", trial.name, trial.bug, planted.broken());
        return Ok(());
    }
    Err(format!("the trial is blind: it did not detect {}", trial.bug).into())
}
