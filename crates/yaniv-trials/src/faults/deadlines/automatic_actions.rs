//! P9: an automatic action is done once, even if its instance or session dies between claim and commit.

use std::time::{Duration, Instant};

use crate::Error;
use crate::faults::checks::ledger;
use crate::faults::deadlines::timed::{OPENED_AT, Timed, accounts, open_all};
use crate::faults::report::Report;
use crate::faults::setup::database::Database;
use crate::faults::setup::moved_clock::{MovedClock, SECOND};
use crate::faults::setup::plants::Plant;
use crate::faults::setup::stage::Stage;
use crate::faults::setup::standing::{after, before, slow_down, terminate_holder};
use crate::faults::trial::{Context, Outcome, Trial};

/// The trial.
pub(crate) const TRIAL: Trial = Trial {
    name: "p9",
    promise: "Each missed deadline is followed by one automatic action, even if its instance dies",
    injects: "sessions terminated between claim and commit, one time in twenty a whole instance by kill -9,",
    times: 1000,
    short: 24,
    bug: "what is claimed is checked by no other instance; each second action is stamped an hour ago",
    run,
    planted,
};

/// Matches, each of which waits for an absent player.
const MATCHES: usize = 24;
/// Seconds for a turn.
const TURN: u32 = 3600;
/// Deadlines of a match, at most: after more missed in a row, a bot takes the seat.
const DEADLINES: usize = 50;
/// Faults for each match and deadline, at most.
const FAULTS: usize = 2;
/// One fault in this many kills an instance.
const KILL_EVERY: usize = 20;
/// After a failure, the retry is delayed by ten seconds; the clock jumps over them.
const PUT_OFF: i64 = 11 * SECOND;
/// Time until everything is done, once no faults are injected.
const RECOVERED: Duration = Duration::from_secs(30);

/// State of the trial.
struct Absence<'a> {
    context: &'a Context,
    stage: Stage,
    clock: MovedClock,
    database: Database,
    opened: Vec<Timed>,
    patience: Duration,
}

fn run(context: &Context) -> Result<Outcome, Error> {
    let matches = context.long_or_short(MATCHES, 8);
    let mut absence = Absence::begin(context, "p9", matches, RECOVERED)?;
    context.runtime.block_on(slow_down(&absence.database))?;
    let mut report = absence.play(context.times, DEADLINES)?;
    let idle = context.runtime.block_on(absence.database.idle_in_transaction())?;
    report.require(idle == 0, || format!("{idle} sessions are idle in a transaction"));
    Ok(report.into())
}

/// Each bug must be detected by itself.
fn planted(context: &Context) -> Result<Outcome, Error> {
    let mut both = Report::default();
    for plant in [Plant::KeptClaims, Plant::OldWaits] {
        let mut absence = Absence::begin(context, "p9_planted", 4, Duration::from_secs(4))?;
        context.runtime.block_on(plant.plant(&absence.database))?;
        let report = absence.play(usize::MAX, 4)?;
        if !report.sees() {
            return Ok(report.into());
        }
        both.add(report);
    }
    Ok(both.into())
}

impl<'a> Absence<'a> {
    fn begin(context: &'a Context, name: &str, matches: usize, patience: Duration) -> Result<Self, Error> {
        let (stage, clock) = Stage::timed(context, name, &[&[]; 3])?;
        let opened = async { open_all(&accounts(&stage.addresses).await?, matches, TURN).await };
        let opened = context.runtime.block_on(opened)?;
        let database = context.runtime.block_on(stage.database())?;
        Ok(Self { context, stage, clock, database, opened, patience })
    }

    /// Lets deadlines pass one after the other until this many faults were injected.
    fn play(&mut self, times: usize, most: usize) -> Result<Report, Error> {
        let mut report = Report::default();
        let mut deadlines = 0;
        while report.injected < times && deadlines < most && !report.is_red() && self.context.has_time() {
            deadlines += 1;
            self.pass_one(deadlines, times, &mut report)?;
            self.context.say(&format!("{deadlines} deadlines, {} faults", report.injected));
        }
        report.acknowledged = deadlines * self.opened.len();
        self.context.runtime.block_on(self.check(&mut report))?;
        Ok(report)
    }

    /// Lets one deadline of each match pass; each match must get exactly one more entry.
    fn pass_one(&mut self, number: usize, times: usize, report: &mut Report) -> Result<(), Error> {
        let expected = number.saturating_add(OPENED_AT);
        let most = report.injected.saturating_add(FAULTS * self.opened.len()).min(times);
        self.context.runtime.block_on(self.clock.jump(i64::from(TURN + 3) * SECOND))?;
        let (mut since, mut waited, mut last) = (Instant::now(), Instant::now(), i64::MAX);
        loop {
            let waiting = self.context.runtime.block_on(before(&self.database, expected))?;
            if waiting == 0 {
                break;
            }
            if (report.injected < most && self.fault(report)?) || waiting < last {
                (since, waited) = (Instant::now(), Instant::now());
            } else if since.elapsed() > self.patience {
                report.lost += usize::try_from(waiting)?;
                report.find(format!("{waiting} matches do not go on after deadline {number}"));
                return Ok(());
            } else if waited.elapsed() > Duration::from_secs(1) {
                waited = Instant::now();
                self.context.runtime.block_on(self.clock.jump(PUT_OFF))?;
            }
            last = waiting;
            self.context.pause(3);
        }
        // Time for a second, wrong execution.
        self.context.pause(700);
        let ahead = self.context.runtime.block_on(after(&self.database, expected))?;
        report.twice += usize::try_from(ahead)?;
        report.require(ahead == 0, || format!("{ahead} matches went on twice after deadline {number}"));
        Ok(())
    }

    /// Terminates a session between claim and commit; returns whether there was one.
    fn fault(&mut self, report: &mut Report) -> Result<bool, Error> {
        if self.opened.len() < 8 {
            // Bugs have to be seen without any.
            return Ok(false);
        }
        let is_broken = self.context.runtime.block_on(terminate_holder(&self.database))?;
        report.injected += usize::from(is_broken);
        if is_broken && report.injected.is_multiple_of(KILL_EVERY) {
            let number = report.injected / KILL_EVERY % self.stage.len();
            self.stage.kill9(number)?;
            self.stage.start(number)?;
        }
        Ok(is_broken)
    }

    /// Checks that each action was played for the absent player, at its time.
    async fn check(&mut self, report: &mut Report) -> Result<(), Error> {
        for timed in &mut self.opened {
            let stored = self.database.load(&timed.id).await?;
            let lines = ledger::read(timed.player(0)?, &stored.id, stored.version).await?;
            ledger::check(&stored, &lines, false, report);
            let others = stored.log.iter().filter(|entry| entry.kind == "action" && !entry.missed).count();
            report.twice += others;
            report.require(others == 0, || format!("{}: {others} unexpected actions", timed.id));
        }
        Ok(())
    }
}
