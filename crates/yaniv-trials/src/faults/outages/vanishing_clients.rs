//! P10: clients that vanish in the middle of a request do no harm.

use std::time::Duration;

use crate::Error;
use crate::faults::checks::pool;
use crate::faults::drive::{Plan, drive};
use crate::faults::report::Report;
use crate::faults::setup::plants::Plant;
use crate::faults::setup::stage::Stage;
use crate::faults::trial::{Context, Outcome, Trial};
use crate::faults::workload::Clock;

/// The trial.
pub(crate) const TRIAL: Trial = Trial {
    name: "p10",
    promise: "Requests that are given up do no harm",
    injects: "clients that reset, close or fall silent at any byte or within 50 ms",
    times: 50_000,
    short: 60,
    bug: "one key in three is stored as another one",
    run,
    planted,
};

fn run(context: &Context) -> Result<Outcome, Error> {
    let mut stage = context.stage()?;
    let plan = Plan { vanish: true, ..Plan::full(context, 2000) };
    let mut report = vanish(context, &mut stage, &plan)?;
    context.runtime.block_on(pool::check(context, &stage, &mut report))?;
    context.give_back(stage);
    Ok(report.into())
}

fn planted(context: &Context) -> Result<Outcome, Error> {
    let mut stage = context.stage()?;
    let plan = Plan { vanish: true, ..Plan::planted(Plant::ForgottenKeys, 20) };
    let report = vanish(context, &mut stage, &plan)?;
    context.give_back(stage);
    Ok(report.into())
}

fn vanish(context: &Context, stage: &mut Stage, plan: &Plan) -> Result<Report, Error> {
    // The players inject the fault themselves, before each action; this only waits.
    drive(context, stage, plan, &mut |_: &mut Stage, clock: &Clock, report: &mut Report| {
        let before = clock.acknowledged();
        clock.wait_more(10, Duration::from_secs(2));
        report.injected += (clock.acknowledged() - before).max(1);
        Ok(())
    })
}
