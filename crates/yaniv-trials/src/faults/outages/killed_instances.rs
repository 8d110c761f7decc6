//! P1: an acknowledged action is never lost when instances are killed.

use std::time::{Duration, Instant};

use crate::Error;
use crate::faults::drive::{Plan, drive};
use crate::faults::report::Report;
use crate::faults::setup::plants::Plant;
use crate::faults::setup::stage::Stage;
use crate::faults::trial::{Context, Outcome, Trial};
use crate::faults::workload::Clock;
use crate::player::Random;

/// The trial.
pub(crate) const TRIAL: Trial = Trial {
    name: "p1",
    promise: "An acknowledged action is never lost, whichever instance dies",
    injects: "kill -9 of one of two instances",
    times: 1000,
    short: 3,
    bug: "one entry of the log in seven is not written",
    run,
    planted,
};

fn run(context: &Context) -> Result<Outcome, Error> {
    let mut stage = context.stage()?;
    let mut report = kill(context, &mut stage, &Plan::full(context, 100))?;
    // Without unknown outcomes nothing was tested.
    let least = context.times.min(20) / context.long_or_short(1, 4);
    let unknown = report.unknown;
    report.require(unknown >= least, || format!("only {unknown} outcomes were open, {least} are the least"));
    context.give_back(stage);
    Ok(report.into())
}

fn planted(context: &Context) -> Result<Outcome, Error> {
    let mut stage = context.stage()?;
    let report = kill(context, &mut stage, &Plan::planted(Plant::LostEntries, 1))?;
    context.give_back(stage);
    Ok(report.into())
}

fn kill(context: &Context, stage: &mut Stage, plan: &Plan) -> Result<Report, Error> {
    let mut random = Random(context.seed);
    drive(context, stage, plan, &mut |stage: &mut Stage, clock: &Clock, report: &mut Report| {
        let victim = random.below(stage.len());
        context.pause(u64::try_from(random.below(60))?);
        stage.kill9(victim)?;
        report.injected += 1;
        let since = Instant::now();
        match clock.wait_ok(since, Duration::from_secs(10)) {
            Some(after) => report.recovered(after),
            None => report.find("nothing was acknowledged for ten seconds by the instance that was left"),
        }
        stage.start(victim)?;
        clock.wait_more(10, Duration::from_secs(5));
        Ok(())
    })
}
