//! OVERDUE: after an outage of all instances, overdue work is done as soon as one runs again.

use std::time::{Duration, Instant};

use crate::Error;
use crate::faults::checks::ledger;
use crate::faults::deadlines::timed::{OPENED_AT, Timed, accounts, open_all};
use crate::faults::report::Report;
use crate::faults::setup::database::Database;
use crate::faults::setup::moved_clock::SECOND;
use crate::faults::setup::plants::Plant;
use crate::faults::setup::stage::Stage;
use crate::faults::setup::standing::{after, before, missed_at, missed_each_second};
use crate::faults::trial::{Context, Outcome, Trial};

/// The trial.
pub(crate) const TRIAL: Trial = Trial {
    name: "overdue",
    promise: "After an outage of all instances every deadline that has passed is fired within 60 s, once",
    injects: "matches whose deadline passed while no instance ran",
    times: 10_000,
    short: 120,
    bug: "a match that has been claimed is checked by no other instance",
    run,
    planted,
};

/// Seconds for a turn, and the outage: one deadline of each match passes.
const TURN: u32 = 3600;
const OUTAGE: i64 = 5400 * SECOND;
/// Time within which all are fired.
const WITHIN: Duration = Duration::from_secs(60);
/// Matches whose log and ledger are checked.
const LOOKED_AT: usize = 100;

fn run(context: &Context) -> Result<Outcome, Error> {
    outage(context, "overdue", context.times, None)
}

fn planted(context: &Context) -> Result<Outcome, Error> {
    outage(context, "overdue_planted", 12, Some(Plant::KeptClaims))
}

fn outage(context: &Context, name: &str, times: usize, plant: Option<Plant>) -> Result<Outcome, Error> {
    let (mut stage, clock) = Stage::timed(context, name, &[&[]; 3])?;
    let database = context.runtime.block_on(stage.database())?;
    let opened = context
        .runtime
        .block_on(async { open_all(&accounts(&stage.addresses).await?, times, TURN).await })?;
    context.say(&format!("{} matches", opened.len()));
    let within = plant.map_or(WITHIN, |_| Duration::from_secs(4));
    if let Some(plant) = plant {
        // The bug takes effect on a claim: here for a deadline reminder, the first work of a match that is due.
        context.runtime.block_on(async {
            plant.plant(&database).await?;
            clock.jump(i64::from(TURN) * SECOND * 3 / 4).await
        })?;
        context.pause(2000);
    }
    (0..stage.len()).try_for_each(|number| stage.kill9(number))?;
    context.runtime.block_on(clock.jump(OUTAGE))?;
    let begun = Instant::now();
    (0..stage.len()).try_for_each(|number| stage.start(number))?;
    let mut report = Report { injected: opened.len(), ..Report::default() };
    report.note(format!("all instances were ready {} ms after the start", begun.elapsed().as_millis()));
    watch(context, &database, begun, within, &mut report)?;
    context.runtime.block_on(check(&stage, opened, &mut report))?;
    Ok(report.into())
}

/// Waits until all are fired.
fn watch(
    context: &Context,
    database: &Database,
    begun: Instant,
    within: Duration,
    report: &mut Report,
) -> Result<(), Error> {
    let left = || context.runtime.block_on(before(database, OPENED_AT + 1));
    let all = report.injected;
    while left()? > 0 && begun.elapsed() < within {
        context.pause(20);
    }
    report.note(format!("{all} overdue matches: fired {} ms after the start", begun.elapsed().as_millis()));
    let each = context.runtime.block_on(missed_each_second(database, OPENED_AT + 1))?;
    report.note(format!("in each second from the first on: {each:?}"));
    let late = usize::try_from(left()?)?;
    report.lost += late;
    report.require(late == 0, || format!("{late} of {all} are not fired after {within:?}"));
    Ok(())
}

/// Each match has exactly one new entry, a missed deadline.
async fn check(stage: &Stage, opened: Vec<Timed>, report: &mut Report) -> Result<(), Error> {
    let mut database = stage.database().await?;
    report.acknowledged = usize::try_from(missed_at(&database, OPENED_AT + 1).await?)?;
    let again = after(&database, OPENED_AT + 1).await?;
    report.twice += usize::try_from(again)?;
    report.require(again == 0, || format!("{again} matches have gone on more than once"));
    let step = opened.len().div_ceil(LOOKED_AT);
    for mut timed in opened.into_iter().step_by(step) {
        let stored = database.load(&timed.id).await?;
        let lines = ledger::read(timed.player(0)?, &stored.id, stored.version).await?;
        ledger::check(&stored, &lines, false, report);
    }
    Ok(())
}
