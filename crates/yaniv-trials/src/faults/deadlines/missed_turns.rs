//! P8: each turn is either played or missed, and the database's clock decides which.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::Error;
use crate::faults::checks::ledger;
use crate::faults::clients::op::{End, Op};
use crate::faults::deadlines::timed::{GRACE, Timed, Turn, accounts, open_all};
use crate::faults::report::Report;
use crate::faults::setup::database::{Database, Stored};
use crate::faults::setup::moved_clock::{MovedClock, SECOND};
use crate::faults::setup::plants::Plant;
use crate::faults::setup::stage::Stage;
use crate::faults::setup::standing::{hold, let_go};
use crate::faults::trial::{Context, Outcome, Trial};
use crate::player::Random;

/// The trial.
pub(crate) const TRIAL: Trial = Trial {
    name: "p8",
    promise: "Each turn is either played or missed: never missed early, never played late",
    injects: "actions within 50 ms of the end of their time, every other match locked then by who rolls back",
    times: 10_000,
    short: 36,
    bug: "the clock is read when the transaction begins, before it waits for the lock",
    run,
    planted,
};

/// Matches played concurrently.
const MATCHES: usize = 150;
/// Seconds for a turn: the minimum.
const TURN: u32 = 60;
/// The clock is moved to this long before the first deadline, so that the instances have noticed it by then.
const LEAD: i64 = 3 * SECOND / 2;
/// An action is sent within this many microseconds of its deadline.
const AROUND: usize = 50_000;
/// Latency to the service, in microseconds: the step by which each outcome corrects the estimate, and its bound.
const WAY_STEP: i64 = 3000;
const MOST_WAY: i64 = 150_000;
/// Connections that hold locks.
const HOLDERS: usize = 16;
/// Time until a match continues in which no player acts.
const PATIENCE: Duration = Duration::from_secs(15);

/// Events around one deadline. Times are of the database's clock, in microseconds.
struct Case {
    turn: Turn,
    op: Op,
    sent: i64,
    answered: i64,
    /// The lock was held, and the turn still open, until this time at least.
    held_until: Option<i64>,
}

/// A match, and its cases.
struct Tried {
    timed: Timed,
    cases: Vec<Case>,
    /// The turn was neither played nor missed.
    stuck: bool,
}

/// Idle connections.
type Holders = Arc<Mutex<Vec<Database>>>;

fn run(context: &Context) -> Result<Outcome, Error> {
    let (stage, clock) = Stage::timed(context, "p8", &[&[]; 3])?;
    let matches = context.long_or_short(MATCHES, 12);
    Ok(context.runtime.block_on(race(context, &stage, &clock, (matches, context.times)))?.into())
}

fn planted(context: &Context) -> Result<Outcome, Error> {
    let (stage, clock) = Stage::timed(context, "p8_planted", &[&[]; 3])?;
    context.runtime.block_on(async { Plant::EarlyClock.plant(&stage.database().await?).await })?;
    Ok(context.runtime.block_on(race(context, &stage, &clock, (24, 72)))?.into())
}

/// Plays in this many matches until this many deadlines were tested.
async fn race(
    context: &Context,
    stage: &Stage,
    clock: &MovedClock,
    (matches, times): (usize, usize),
) -> Result<Report, Error> {
    let holders = Holders::default();
    for _ in 0..HOLDERS.min(matches) {
        put(&holders, stage.database().await?);
    }
    let opened = open_all(&accounts(&stage.addresses).await?, matches, TURN).await?;
    let mut tables: Vec<Tried> =
        opened.into_iter().map(|timed| Tried { timed, cases: Vec::new(), stuck: false }).collect();
    let (mut random, way) = (Random(context.seed), Arc::new(AtomicI64::new(0)));
    let mut report = Report::default();
    while report.injected < times && context.has_time() && tables.iter().any(|table| !table.stuck) {
        let turns = next_turns(&mut tables).await?;
        let first = turns.iter().flatten().map(|turn| turn.deadline).min().unwrap_or_default();
        clock.jump_to(first.saturating_add(GRACE).saturating_sub(LEAD)).await?;
        let mut tasks = Vec::new();
        for (mut table, turn) in tables.drain(..).zip(turns) {
            let (clock, holders, own) = (clock.clone(), Arc::clone(&holders), Random(random.next()));
            let way = Arc::clone(&way);
            tasks.push(tokio::spawn(async move {
                if let Some(turn) = turn {
                    let case = meet(&mut table.timed, turn, &clock, (&holders, &way), own).await?;
                    table.cases.push(case);
                }
                Ok::<_, Error>(table)
            }));
        }
        for task in tasks {
            let table = task.await??;
            report.injected += usize::from(!table.stuck);
            tables.push(table);
        }
        context.say(&format!("{} deadlines", report.injected));
    }
    next_turns(&mut tables).await?;
    judge_all(stage, tables, &mut report).await?;
    Ok(report)
}

/// The next turn of each match.
async fn next_turns(tables: &mut [Tried]) -> Result<Vec<Option<Turn>>, Error> {
    let mut turns = Vec::new();
    for table in tables {
        let past = table.cases.last().map_or(0, |case| case.turn.version);
        let turn = if table.stuck { None } else { table.timed.turn(past, PATIENCE).await? };
        table.stuck = turn.is_none();
        turns.push(turn);
    }
    Ok(turns)
}

/// Acts shortly before or after the deadline, while another session may hold the lock. The latency to the service is
/// estimated from the outcomes, so that about half of the actions are in time.
async fn meet(
    timed: &mut Timed,
    turn: Turn,
    clock: &MovedClock,
    (holders, way): (&Holders, &AtomicI64),
    mut random: Random,
) -> Result<Case, Error> {
    let end = turn.deadline.saturating_add(GRACE);
    let mut around = |most: usize| i64::try_from(random.below(most)).unwrap_or_default();
    let at = end + around(2 * AROUND) - 50_000 - way.load(Ordering::Relaxed);
    let (from, until) = (end - 70_000 - around(100_000), end - 50_000 + around(150_000));
    let is_held = random.below(2) == 0;
    let holding = is_held.then(|| {
        let (holders, clock) = (Arc::clone(holders), clock.clone());
        let (id, version) = (timed.id.clone(), i64::from(turn.version));
        tokio::spawn(async move { hold_over(&holders, &clock, (&id, version), (from, until)).await })
    });
    let mut op = timed.op(&turn);
    let player = timed.player(turn.seat)?;
    for _ in 0..random.below(3) {
        player.next_instance();
    }
    clock.sleep_until(at).await;
    let sent = clock.now();
    player.settle(&mut op).await?;
    let answered = clock.now();
    let held_until = match holding {
        Some(holding) => holding.await??,
        None => None,
    };
    if !is_held {
        let is_played = matches!(op.end, End::Ok { .. });
        let way_now = way.load(Ordering::Relaxed) + if is_played { -WAY_STEP } else { WAY_STEP };
        way.store(way_now.clamp(0, MOST_WAY), Ordering::Relaxed);
    }
    Ok(Case { turn, op, sent, answered, held_until })
}

/// Locks a match for a while, and rolls back; returns until when, if the match was still at that version.
async fn hold_over(
    holders: &Holders,
    clock: &MovedClock,
    (id, version): (&str, i64),
    (from, until): (i64, i64),
) -> Result<Option<i64>, Error> {
    clock.sleep_until(from).await;
    let holder = holders.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let Some(holder) = holder else { return Ok(None) };
    let stands_at = hold(&holder, id).await?;
    clock.sleep_until(until).await;
    let released = clock.now();
    let_go(&holder).await?;
    put(holders, holder);
    Ok((stands_at == version).then_some(released))
}

fn put(holders: &Holders, holder: Database) {
    holders.lock().unwrap_or_else(PoisonError::into_inner).push(holder);
}

async fn judge_all(stage: &Stage, tables: Vec<Tried>, report: &mut Report) -> Result<(), Error> {
    let mut database = stage.database().await?;
    let mut held = 0;
    for mut table in tables {
        let stored = database.load(&table.timed.id).await?;
        if table.stuck {
            report.lost += 1;
            report.find(format!("{}: stuck at {}", stored.id, stored.version));
        }
        let lines = ledger::read(table.timed.player(0)?, &stored.id, stored.version).await?;
        ledger::check(&stored, &lines, false, report);
        for case in &table.cases {
            held += usize::from(case.held_until.is_some());
            judge(&stored, case, report);
        }
    }
    let (played, missed) = (report.acknowledged, report.refused);
    report.note(format!("{played} played, {missed} missed, {held} with the lock held and rolled back"));
    Ok(())
}

/// Compares the log around a deadline with the answer to the player, and with when the action can have happened.
fn judge(stored: &Stored, case: &Case, report: &mut Report) {
    let version = case.turn.version.saturating_add(1);
    let end = case.turn.deadline.saturating_add(GRACE);
    let mark = Database::mark(&case.op.account, &case.op.key);
    let entries = stored.log.iter().filter(|entry| entry.mark == Some(mark)).count();
    let entry = stored.log.iter().find(|entry| entry.version == version && entry.kind == "action");
    let here = || format!("{} {version}", stored.id);
    report.unknown += case.op.unknown;
    let is_played = match &case.op.end {
        End::Ok { version: said, .. } => {
            report.acknowledged += 1;
            let took = u64::try_from(case.answered.saturating_sub(case.sent)).unwrap_or_default();
            report.slowest = report.slowest.max(Duration::from_micros(took));
            *said == version
        }
        End::Refused(status, code) => {
            report.refused += 1;
            *report.answers.entry(format!("{status} {code}")).or_default() += 1;
            if case.answered < end {
                report.lost += 1;
                report.find(format!(
                    "{}: refused {} µs before the end of its time",
                    here(),
                    end - case.answered
                ));
            }
            false
        }
        End::Open => entries == 1,
    };
    if entries != usize::from(is_played) || entry.is_none_or(|entry| entry.missed == is_played) {
        let counted = if is_played { &mut report.lost } else { &mut report.twice };
        *counted += 1;
        report.find(format!("{}: {:?}, but {entries} entries of it, {entry:?}", here(), case.op.end));
    }
    let earliest = case.held_until.map_or(case.sent, |held| held.max(case.sent));
    if is_played && earliest >= end {
        report.twice += 1;
        report.find(format!("{}: played {} µs after the end of its time at least", here(), earliest - end));
    }
}
