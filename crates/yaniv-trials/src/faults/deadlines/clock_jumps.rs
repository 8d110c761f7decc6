//! P24: clock jumps, of the database and of the instances. Only the database's clock counts; nothing happens early or
//! gets stuck.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use local_postgres::not_installed;

use crate::Error;
use crate::faults::checks::ledger;
use crate::faults::clients::op::End;
use crate::faults::deadlines::timed::{GRACE, Timed, Turn, accounts, open_all};
use crate::faults::report::Report;
use crate::faults::setup::moved_clock::{MovedClock, SECOND};
use crate::faults::setup::plants::Plant;
use crate::faults::setup::stage::Stage;
use crate::faults::trial::{Context, Outcome, Trial};
use crate::player::Random;

/// The trial.
pub(crate) const TRIAL: Trial = Trial {
    name: "p24",
    promise: "Clocks may jump: nothing is missed early, played late or stuck by the database's clock",
    injects: "jumps of the database's clock by up to two hours, and of instances' by up to a day,",
    times: 200,
    short: 8,
    bug: "every other session goes by a clock that has not jumped",
    run,
    planted,
};

/// Matches played concurrently.
const MATCHES: usize = 6;
/// Seconds for a turn.
const TURN: u32 = 3600;
/// Offsets of an instance's clock, in seconds.
const AHEAD: [&str; 5] = ["+0", "+3600", "-3600", "+86400", "-86400"];
/// Time until due work is done.
const PATIENCE: Duration = Duration::from_secs(15);
/// Time during which nothing may happen that is not due.
const WHILE: Duration = Duration::from_millis(1200);
/// Paths of libfaketime, which moves a process's clock.
const LIBRARIES: [&str; 2] = [
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
];

/// Instances, clocks and matches.
struct Jumps {
    clock: MovedClock,
    /// Files with the offsets of the instances' clocks; none without the library.
    files: Vec<PathBuf>,
    /// By match and instance: each instance has its own tokens, issued by its clock.
    matches: Vec<Vec<Timed>>,
    random: Random,
}

fn run(context: &Context) -> Result<Outcome, Error> {
    let own = std::env::var_os("LIBFAKETIME").map(PathBuf::from);
    let library = own.into_iter().chain(LIBRARIES.iter().map(PathBuf::from)).find(|path| path.exists());
    let (stage, mut jumps) = begin(context, "p24", library.as_deref())?;
    let mut report = context.runtime.block_on(jumps.jump_on(context, context.times))?;
    context.runtime.block_on(jumps.check(&stage, &mut report))?;
    match library {
        Some(_) => report.note("the instances' clocks jumped, too".to_owned()),
        None => not_installed("P24: jumps of the instances' clocks", "libfaketime")?,
    }
    Ok(report.into())
}

fn planted(context: &Context) -> Result<Outcome, Error> {
    let (stage, mut jumps) = begin(context, "p24_planted", None)?;
    context.runtime.block_on(async { Plant::OwnClocks.plant(&stage.database().await?).await })?;
    Ok(context.runtime.block_on(jumps.jump_on(context, 12))?.into())
}

fn begin(context: &Context, name: &str, library: Option<&Path>) -> Result<(Stage, Jumps), Error> {
    let library = library.map(|path| path.to_string_lossy().into_owned());
    let (mut files, mut variables) = (Vec::new(), Vec::new());
    for number in 0..3 {
        let file = context.directory.join(format!("{name}-{number}.ahead"));
        std::fs::write(&file, "+0")?;
        let path = file.to_string_lossy().into_owned();
        variables.push(library.iter().flat_map(|library| moved_by(library, &path)).collect::<Vec<_>>());
        files.push(file);
    }
    let slices: Vec<Vec<(&str, &str)>> = variables
        .iter()
        .map(|own| own.iter().map(|(name, value)| (*name, value.as_str())).collect())
        .collect();
    let [one, two, three] = slices.as_slice() else { return Err("three instances".into()) };
    let (stage, clock) = Stage::timed(context, name, &[one, two, three])?;
    if library.is_none() {
        files.clear();
    }
    let matches = context.runtime.block_on(open(&stage))?;
    Ok((stage, Jumps { clock, files, matches, random: Random(context.seed) }))
}

/// Environment of a process whose clock a file moves; its monotonic clock stays.
fn moved_by(library: &str, file: &str) -> [(&'static str, String); 4] {
    [
        ("LD_PRELOAD", library.to_owned()),
        ("FAKETIME_TIMESTAMP_FILE", file.to_owned()),
        ("FAKETIME_NO_CACHE", "1".to_owned()),
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
    ]
}

/// Opens matches, each with players at each instance.
async fn open(stage: &Stage) -> Result<Vec<Vec<Timed>>, Error> {
    let mut players = Vec::new();
    for address in &stage.addresses {
        players.push(accounts(&[*address]).await?);
    }
    let first = players.first().ok_or("there is no instance")?;
    let opened = open_all(first, MATCHES, TURN).await?;
    let at_each = |timed: Timed| {
        let at = |[one, two]: &[_; 2]| Timed::of_others(&timed, one, two);
        players.iter().map(at).collect()
    };
    Ok(opened.into_iter().map(at_each).collect())
}

impl Jumps {
    /// Jumps this many times; after each, a player acts at once in every other match.
    async fn jump_on(&mut self, context: &Context, times: usize) -> Result<Report, Error> {
        let mut report = Report::default();
        while report.injected < times && context.has_time() {
            let turns = self.turns().await?;
            let first =
                turns.iter().map(|turn| turn.deadline).min().unwrap_or_default().saturating_add(GRACE);
            let said = self.jump(first).await?;
            report.injected += 1;
            let mut waiting = Vec::new();
            for (number, turn) in turns.into_iter().enumerate() {
                if self.random.below(2) == 0 {
                    self.act(number, &turn, &said, &mut report).await?;
                } else {
                    waiting.push((number, turn));
                }
            }
            tokio::time::sleep(WHILE).await;
            for (number, turn) in waiting {
                self.look(number, &turn, &said, &mut report).await?;
            }
            context.say(&format!("{} {said}", report.injected));
        }
        // All remaining turns are due now, and are played.
        let turns = self.turns().await?;
        self.clock.jump(3 * i64::from(TURN) * SECOND).await?;
        let last = turns.iter().map(|turn| turn.deadline).max().unwrap_or_default();
        self.clock.jump_to(last.saturating_add(GRACE)).await?;
        for (number, turn) in turns.iter().enumerate() {
            self.look(number, turn, "at the end", &mut report).await?;
        }
        Ok(report)
    }

    async fn turns(&mut self) -> Result<Vec<Turn>, Error> {
        let mut turns = Vec::new();
        for number in 0..self.matches.len() {
            turns.push(self.someone(number)?.turn(0, PATIENCE).await?.ok_or("no turn")?);
        }
        Ok(turns)
    }

    /// The players of a match at a random instance.
    fn someone(&mut self, number: usize) -> Result<&mut Timed, Error> {
        let instance = self.random.below(3);
        let timed = self.matches.get_mut(number).and_then(|at| at.get_mut(instance));
        timed.ok_or_else(|| "there is no such match".into())
    }

    /// Makes one clock jump; describes how. `first` is when the first turn ends.
    async fn jump(&mut self, first: i64) -> Result<String, Error> {
        let minutes = |count: i64| count * 60 * SECOND;
        let to_first = first.saturating_sub(self.clock.now());
        let kinds = if self.files.is_empty() { 6 } else { 12 };
        let by = match self.random.below(kinds) {
            0 => minutes(120),
            1 => minutes(-120),
            2 => to_first.saturating_sub(8 * SECOND),
            3 => to_first.saturating_add(SECOND / 100),
            4 => minutes(1),
            5 => minutes(-1),
            _ => {
                let (instance, ahead) = (self.random.below(3), self.random.pick(&AHEAD).copied());
                let file = self.files.get(instance).ok_or("there is no such instance")?;
                let ahead = ahead.unwrap_or("+0");
                std::fs::write(file, ahead)?;
                return Ok(format!("instance {instance} is {ahead} s ahead"));
            }
        };
        self.clock.jump(by).await?;
        Ok(format!("the database's clock jumped by {} s", by / SECOND))
    }

    /// Acts; must be accepted before the deadline, and refused after it.
    async fn act(
        &mut self,
        number: usize,
        turn: &Turn,
        said: &str,
        report: &mut Report,
    ) -> Result<(), Error> {
        let end = turn.deadline.saturating_add(GRACE);
        let clock = self.clock.clone();
        let timed = self.someone(number)?;
        let mut op = timed.op(turn);
        let sent = clock.now();
        timed.player(turn.seat)?.settle(&mut op).await?;
        let answered = clock.now();
        report.unknown += op.unknown;
        match &op.end {
            End::Ok { .. } => report.acknowledged += 1,
            End::Refused(status, code) => {
                report.refused += 1;
                *report.answers.entry(format!("{status} {code}")).or_default() += 1;
            }
            End::Open => report.find(format!("{}: {said}: {:?}", timed.id, op.failures)),
        }
        let is_played = matches!(op.end, End::Ok { .. });
        if is_played && sent >= end {
            report.twice += 1;
            report.find(format!("{}: {said}: played {} µs too late", timed.id, sent - end));
        }
        if !is_played && answered < end {
            report.lost += 1;
            report.find(format!("{}: {said}: {:?} {} µs before its end", timed.id, op.end, end - answered));
        }
        Ok(())
    }

    /// Checks a match in which no player acted: it continues once the deadline passes, and not before.
    async fn look(
        &mut self,
        number: usize,
        turn: &Turn,
        said: &str,
        report: &mut Report,
    ) -> Result<(), Error> {
        let end = turn.deadline.saturating_add(GRACE);
        let (clock, begun) = (self.clock.clone(), Instant::now());
        let timed = self.someone(number)?;
        loop {
            let was_due = clock.now() >= end;
            let now = timed.turn(0, PATIENCE).await?.ok_or("no turn")?;
            if now.version > turn.version {
                let early = end.saturating_sub(clock.now());
                if early > 0 {
                    report.lost += 1;
                    report.find(format!("{}: {said}: missed {early} µs too early", timed.id));
                }
                return Ok(());
            }
            if !was_due {
                return Ok(());
            }
            if begun.elapsed() > PATIENCE {
                report.lost += 1;
                report.find(format!("{}: {said}: stuck at {}", timed.id, turn.version));
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Checks logs and ledgers of all matches.
    async fn check(&mut self, stage: &Stage, report: &mut Report) -> Result<(), Error> {
        let mut database = stage.database().await?;
        for number in 0..self.matches.len() {
            let timed = self.someone(number)?;
            let stored = database.load(&timed.id).await?;
            let lines = ledger::read(timed.player(0)?, &stored.id, stored.version).await?;
            ledger::check(&stored, &lines, true, report);
        }
        Ok(())
    }
}
