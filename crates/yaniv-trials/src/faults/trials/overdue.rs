//! OVERDUE: what was to be done while no instance ran is done as soon as one runs again.

use std::time::{Duration, Instant};

use crate::Error;
use crate::faults::database::Database;
use crate::faults::ledger;
use crate::faults::moved_clock::SECOND;
use crate::faults::plants::Plant;
use crate::faults::report::Report;
use crate::faults::stage::Stage;
use crate::faults::standing::{after, before, missed_at};
use crate::faults::timed::{OPENED_AT, Timed, accounts, open_all};
use crate::faults::trial::{Context, Outcome, Trial};

/// The trial.
pub(super) const TRIAL: Trial = Trial {
    name: "overdue",
    promise: "After an outage of all instances every deadline that has passed is fired within 60 s, once",
    injects: "matches whose deadline passed while nobody ran",
    times: 10_000,
    short: 120,
    bug: "a match that has been claimed is looked at by nobody else",
    run,
    planted,
};

/// Seconds for a turn, and the outage: one deadline of each match passes.
const TURN: u32 = 3600;
const OUTAGE: i64 = 5400 * SECOND;
/// How soon all are fired.
const WITHIN: Duration = Duration::from_secs(60);
/// Matches whose log and ledger are looked at.
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
        // What is claimed is what is due: here a notice that the deadline is near, which nobody fails to see.
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
    watch(context, &database, begun, within, &mut report)?;
    context.runtime.block_on(check(&stage, opened, &mut report))?;
    Ok(report.into())
}

/// Counts what has been fired, each second, until it is all.
fn watch(
    context: &Context,
    database: &Database,
    begun: Instant,
    within: Duration,
    report: &mut Report,
) -> Result<(), Error> {
    let left = || context.runtime.block_on(before(database, OPENED_AT + 1));
    let all = report.injected;
    let (mut rates, mut last) = (Vec::new(), i64::try_from(all)?);
    let mut second = 0;
    loop {
        let now = left()?;
        if now == 0 || begun.elapsed() > within {
            rates.push(last - now);
            break;
        }
        if begun.elapsed() >= Duration::from_secs(second + 1) {
            second += 1;
            rates.push(last - now);
            last = now;
        }
        context.pause(20);
    }
    let took = begun.elapsed();
    report.note(format!("{all} overdue matches, all fired {} ms after the start", took.as_millis()));
    report.note(format!("in each second: {rates:?}"));
    let late = usize::try_from(left()?)?;
    report.lost += late;
    report.require(late == 0, || format!("{late} of {all} are not fired after {within:?}"));
    Ok(())
}

/// Each match has gone on by one entry, which says that the deadline was missed.
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
