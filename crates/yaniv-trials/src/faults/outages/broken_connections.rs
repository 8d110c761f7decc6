//! P3: an acknowledged action is never lost when connections to the database break; and the pool recovers.

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
    name: "p3",
    promise: "An acknowledged action is never lost, though connections to the database die",
    injects: "pg_terminate_backend of any session",
    times: 10_000,
    short: 40,
    bug: "one key in three is stored as another one",
    run,
    planted,
};

fn run(context: &Context) -> Result<Outcome, Error> {
    let mut stage = context.stage()?;
    let mut report = terminate(context, &mut stage, &Plan::full(context, 1000))?;
    context.runtime.block_on(pool::check(context, &stage, &mut report))?;
    context.give_back(stage);
    Ok(report.into())
}

fn planted(context: &Context) -> Result<Outcome, Error> {
    let mut stage = context.stage()?;
    let report = terminate(context, &mut stage, &Plan::planted(Plant::ForgottenKeys, 20))?;
    context.give_back(stage);
    Ok(report.into())
}

fn terminate(context: &Context, stage: &mut Stage, plan: &Plan) -> Result<Report, Error> {
    let killer = context.runtime.block_on(stage.database())?;
    drive(context, stage, plan, &mut |_: &mut Stage, clock: &Clock, report: &mut Report| {
        context.pause(15);
        if context.runtime.block_on(killer.terminate_one())? {
            report.injected += 1;
        }
        if report.injected.is_multiple_of(100) {
            clock.wait_more(5, Duration::from_secs(5));
        }
        Ok(())
    })
}
