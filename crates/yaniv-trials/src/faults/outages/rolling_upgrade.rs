//! P26: a rolling upgrade loses nothing, and clients hardly notice it.

use std::time::Duration;

use crate::Error;
use crate::faults::drive::{Plan, drive};
use crate::faults::report::Report;
use crate::faults::setup::plants::Plant;
use crate::faults::setup::stage::Stage;
use crate::faults::trial::{Context, Outcome, Trial};
use crate::faults::workload::Clock;

/// The trial.
pub(crate) const TRIAL: Trial = Trial {
    name: "p26",
    promise: "A rolling upgrade loses nothing",
    injects: "SIGTERM of one of two instances, and its successor",
    times: 20,
    short: 2,
    bug: "one entry of the log in seven is not written",
    run,
    planted,
};

/// Time within which an instance must exit.
const EXIT: Duration = Duration::from_secs(10);

fn run(context: &Context) -> Result<Outcome, Error> {
    let mut report = Report::default();
    if context.old.is_none() {
        let mut stage = context.stage()?;
        report.add(roll(context, &mut stage, &Plan::full(context, 10))?);
        context.give_back(stage);
    }
    // From another build: each database is upgraded only once.
    while context.old.is_some() && report.injected < context.times && !report.is_red() {
        let mut stage = Stage::new(context, "p26")?;
        for number in 0..stage.len() {
            stage.terminate(number, EXIT)?;
        }
        stage.start_program(0, context.old.as_ref())?;
        stage.start_program(1, context.old.as_ref())?;
        report.add(roll(context, &mut stage, &Plan { times: 2, ..Plan::full(context, 2) })?);
    }
    Ok(report.into())
}

fn planted(context: &Context) -> Result<Outcome, Error> {
    let mut stage = context.stage()?;
    let report = roll(context, &mut stage, &Plan::planted(Plant::LostEntries, 1))?;
    context.give_back(stage);
    Ok(report.into())
}

fn roll(context: &Context, stage: &mut Stage, plan: &Plan) -> Result<Report, Error> {
    let mut slowest = Duration::ZERO;
    let mut turn = 0;
    let mut report =
        drive(context, stage, plan, &mut |stage: &mut Stage, clock: &Clock, report: &mut Report| {
            let leaving = turn % stage.len();
            turn += 1;
            match stage.terminate(leaving, EXIT) {
                Ok(took) => slowest = slowest.max(took),
                Err(error) => report.find(format!("an instance that was asked to stop {error}")),
            }
            report.injected += 1;
            stage.start(leaving)?;
            clock.wait_more(20, Duration::from_secs(5));
            Ok(())
        })?;
    let failures: usize =
        report.answers.iter().filter(|(answer, _)| answer.starts_with('5')).map(|(_, count)| count).sum();
    report.require(failures == 0, || format!("{failures} requests were answered 5xx"));
    report.note(format!("slowest exit: {} ms", slowest.as_millis()));
    Ok(report)
}
