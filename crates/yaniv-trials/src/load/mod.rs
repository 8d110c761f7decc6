//! Load test: real matches over HTTP, compared with the same durable write by `pgbench` on the same database.
//!
//! [`options`] is the command line, [`phases`] the measurements in their order, [`results::report`] the output. [`stage`] is the
//! test environment; [`drive`] is what each connection does, in matches that [`game`] keeps track of.

pub mod compared;
pub mod database;
pub mod drive;
pub mod follow;
pub mod game;
pub mod options;
pub mod pace;
pub mod people;
pub mod phases;
pub mod results;
pub mod stage;
pub mod wire;

use std::process::ExitCode;

use options::Options;
use stage::Stage;
use tokio::signal::unix::{SignalKind, signal};

use crate::Error;
use crate::load::compared::yardstick::{self, Bench};
use crate::load::results::figures::{self, Phase};
use crate::load::results::report;

/// Measures and prints. Fails if any answer was unexpected.
///
/// # Errors
/// If the trial itself goes wrong.
pub fn run(options: &Options) -> Result<ExitCode, Error> {
    options.check()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    // A single thread, so that state can be shared without locks.
    tokio::task::LocalSet::new().block_on(&runtime, async {
        let mut terminate = signal(SignalKind::terminate())?;
        // On a signal, dropping this stops what was started: the service, its database, the bare handler.
        tokio::select! {
            measured = measure(options) => measured,
            _ = tokio::signal::ctrl_c() => Err("interrupted".into()),
            _ = terminate.recv() => Err("terminated".into()),
        }
    })
}

async fn measure(options: &Options) -> Result<ExitCode, Error> {
    let bench = Bench::find(options);
    let mut runs: Vec<Vec<Phase>> = Vec::new();
    let mut about = Vec::new();
    for number in 1..=options.runs {
        eprintln!("run {number} of {}", options.runs);
        let stage = Stage::set(options).await?;
        eprintln!("{}", stage.made);
        about = vec![
            format!("On {}.", phases::surroundings(&stage).await?),
            format!("The yardstick `c` by {}, {} rows.", bench.described(), yardstick::ROWS),
            format!("{}. Medians of {} runs of {} s each.", stage.made, options.runs, options.seconds),
        ];
        runs.push(phases::run(&stage, options, &bench).await?);
        for line in stage.complaints() {
            eprintln!("the service logged: {line}");
        }
    }
    let phases = figures::medians(&runs);
    println!("{}", report::report(&phases, &about, options.first_connections()));
    if let Some(path) = &options.json {
        std::fs::write(path, serde_json::to_vec_pretty(&runs)?)?;
    }
    let as_it_should_be = phases.iter().all(|phase| phase.refused.is_empty());
    Ok(if as_it_should_be { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
