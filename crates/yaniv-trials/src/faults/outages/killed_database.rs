//! P2: an acknowledged action is never lost when the database is killed.

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
    name: "p2",
    promise: "An acknowledged action is never lost, though the database is killed",
    injects: "SIGKILL of the postmaster",
    times: 200,
    short: 2,
    bug: "commits of actions do not wait for the disk",
    run,
    planted,
};

/// How soon writes must be acknowledged again; longer in the short form, for an unoptimised build on a busy machine.
const BACK: Duration = Duration::from_secs(5);
const BACK_OF_FEW: Duration = Duration::from_secs(15);
/// Kills at most until the planted bug is seen.
const KILLS_UNTIL_SEEN: usize = 6;

fn run(context: &Context) -> Result<Outcome, Error> {
    let mut stage = context.stage()?;
    let report = kill(context, &mut stage, &Plan::full(context, 25))?;
    context.give_back(stage);
    Ok(report.into())
}

fn planted(context: &Context) -> Result<Outcome, Error> {
    let mut stage = context.stage()?;
    let mut plan = Plan::planted(Plant::LateFlush, KILLS_UNTIL_SEEN);
    // One kill loses nothing if another transaction has just flushed the log.
    plan.part = 1;
    plan.depth.patience = Duration::from_secs(3);
    let report = kill(context, &mut stage, &plan)?;
    context.give_back(stage);
    Ok(report.into())
}

fn kill(context: &Context, stage: &mut Stage, plan: &Plan) -> Result<Report, Error> {
    let (mut random, back) = (Random(context.seed), context.long_or_short(BACK, BACK_OF_FEW));
    drive(context, stage, plan, &mut |_: &mut Stage, clock: &Clock, report: &mut Report| {
        context.pause(u64::try_from(random.below(100))?);
        let mut shared = context.cluster()?;
        shared.get()?.kill9()?;
        report.injected += 1;
        shared.get()?.restart()?;
        drop(shared);
        match clock.wait_ok(Instant::now(), back * 2) {
            Some(after) => {
                report.recovered(after);
                report.require(after <= back, || format!("the first write took {after:.1?}"));
            }
            None => report
                .find(format!("nothing was acknowledged for {:?} after the database was back", back * 2)),
        }
        clock.wait_more(20, back);
        Ok(())
    })
}
