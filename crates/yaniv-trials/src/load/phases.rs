//! The phases in their order: the yardstick runs before and after what is compared with it.

use super::drive::Mode;
use super::options::{Options, Part};
use super::stage::{Plan, Stage};
use crate::Error;
use crate::load::compared::bare::Bare;
use crate::load::compared::yardstick::{self, Bench};
use crate::load::results::figures::Phase;
use crate::load::results::machine;
use crate::load::results::measure::Kind;
use crate::load::results::number::{per, real};

/// Seconds of each measurement of the yardstick.
const BENCH_SECONDS: u64 = 4;
/// Prefix of the names of yardstick measurements.
pub const WRITE: &str = "c, ";
/// The same without the outbox row.
pub const WITHOUT_OUTBOX: &str = "c without the outbox row, ";
/// The first two actions of each match, one by each player: most need a view first, and nothing is cached yet.
pub const OPENING: &str = "first two actions of each match";
/// Matches that are followed by a stream.
const FOLLOWERS: usize = 32;
/// Names of the phases that run only once.
pub const OPEN: &str = "actions at half that rate";
/// See [`OPEN`].
pub const VIEWS: &str = "views";
/// See [`OPEN`].
pub const UNCHANGED: &str = "views, 304";
/// See [`OPEN`].
pub const BARE: &str = "bare SELECT handler";
/// See [`OPEN`].
pub const CLIENT: &str = "actions against a constant answer";
/// See [`OPEN`].
pub const MIXED: &str = "actions and looking";
/// See [`OPEN`].
pub const EVENTS: &str = "events in a stream of the last instance";

/// Name of the phase of actions with this many connections.
#[must_use]
pub fn actions(connections: usize) -> String {
    format!("actions, {connections} connections")
}

/// Measures everything once.
///
/// # Errors
/// If a measurement fails; refusals of the service are counted, not errors.
pub async fn run(stage: &Stage, options: &Options, bench: &Bench) -> Result<Vec<Phase>, Error> {
    let mut phases = Vec::new();
    yardstick::prepare(&stage.database).await?;
    if options.wants(Part::Baseline) {
        baseline(stage, options, bench, &mut phases).await?;
    }
    let one = options.first_connections();
    if options.wants(Part::Actions) {
        let count = u64::try_from(options.matches)?.saturating_mul(2);
        push(&mut phases, stage.measure_first(plan(OPENING.to_owned(), Mode::Act, one), count).await?);
        for connections in options.connections.iter().copied() {
            push(&mut phases, stage.measure(plan(actions(connections), Mode::Act, connections)).await?);
        }
        if options.wants(Part::Baseline) {
            baseline(stage, options, bench, &mut phases).await?;
        }
    }
    if options.wants(Part::Open) {
        let reached =
            phases.iter().find(|phase| phase.name == actions(one)).map(|phase| phase.get("requests") / 2.0);
        if let Some(rate) = options.rate.or(reached) {
            let plan = Plan { rate: Some(rate), ..plan(OPEN.to_owned(), Mode::Act, one) };
            push(&mut phases, stage.measure(plan).await?);
        }
    }
    if options.wants(Part::Views) {
        let plan = Plan { main: Kind::View, ..plan(VIEWS.to_owned(), Mode::View, one) };
        push(&mut phases, stage.measure(plan).await?);
    }
    if options.wants(Part::Unchanged) {
        stage.look_once(one).await?;
        let plan = Plan { main: Kind::Unchanged, ..plan(UNCHANGED.to_owned(), Mode::Unchanged, one) };
        push(&mut phases, stage.measure(plan).await?);
    }
    if options.wants(Part::Bare) {
        let bare = Bare::start(&stage.url, "")?;
        let mode = Mode::Bare(yardstick::ROWS);
        let other = Some((bare.address, bare.pid()));
        let plan = Plan { main: Kind::View, other, ..plan(BARE.to_owned(), mode, one) };
        push(&mut phases, stage.measure(plan).await?);
    }
    if options.wants(Part::Client) {
        let (answer, seat) = stage.sample().await?;
        let bare = Bare::start(&stage.url, &answer)?;
        let other = Some((bare.address, bare.pid()));
        let plan = Plan { other, ..plan(CLIENT.to_owned(), Mode::Constant(seat), one) };
        push(&mut phases, stage.measure(plan).await?);
    }
    if options.wants(Part::Mixed) {
        push(&mut phases, stage.measure(plan(MIXED.to_owned(), Mode::Mixed(options.polls), one)).await?);
    }
    if options.wants(Part::Events) {
        let mode = Mode::Follow(stage.last_address());
        let plan = Plan { main: Kind::Event, ..plan(EVENTS.to_owned(), mode, FOLLOWERS) };
        push(&mut phases, stage.measure(plan).await?);
    }
    yardstick::remove(&stage.database).await?;
    Ok(phases)
}

fn plan(name: String, mode: Mode, connections: usize) -> Plan {
    Plan { name, mode, connections, main: Kind::Action, rate: None, other: None }
}

fn push(phases: &mut Vec<Phase>, phase: Phase) {
    let per_second = |name: &str| crate::load::results::number::pretty(phase.get(name));
    eprintln!("{}: {}/s, p99 {} ms", phase.name, per_second("rate"), per_second("p99"));
    phases.push(phase);
}

/// The yardstick with each number of clients; after the second run, the mean of both is kept.
async fn baseline(
    stage: &Stage,
    options: &Options,
    bench: &Bench,
    phases: &mut Vec<Phase>,
) -> Result<(), Error> {
    for clients in options.clients.iter().copied() {
        write(stage, bench, clients, true, phases).await?;
    }
    let best = options.clients.iter().copied().max_by(|one, other| {
        let rate = |clients: &usize| rate_of(phases, &format!("{WRITE}{clients} clients"));
        rate(one).total_cmp(&rate(other))
    });
    write(stage, bench, best.unwrap_or(16), false, phases).await
}

fn rate_of(phases: &[Phase], name: &str) -> f64 {
    phases.iter().find(|phase| phase.name == name).map_or(0.0, |phase| phase.get("rate"))
}

async fn write(
    stage: &Stage,
    bench: &Bench,
    clients: usize,
    outbox: bool,
    phases: &mut Vec<Phase>,
) -> Result<(), Error> {
    yardstick::clear(&stage.database).await?;
    stage.database.checkpoint().await?;
    let before = stage.database.moment().await?;
    let rate = bench.run(&stage.url, clients, outbox, BENCH_SECONDS).await?;
    let after = stage.database.moment().await?;
    let change = stage.database.change(&before, &after).await?;
    let name = format!("{}{clients} clients", if outbox { WRITE } else { WITHOUT_OUTBOX });
    let mut phase = Phase { name, ..Phase::default() };
    let written = yardstick::written(&stage.database).await?;
    phase.set("rate", rate);
    let bytes = |amount: i64| real(u64::try_from(amount).unwrap_or_default());
    phase.set("wal", per(bytes(change.wal - change.images), written));
    phase.set("images", per(bytes(change.images), written));
    if let Some(cpu) = change.cpu {
        phase.set("postgres", per(cpu.as_secs_f64() * 1e6, written));
    }
    eprintln!("{}: {}/s", phase.name, crate::load::results::number::pretty(rate));
    let Some(earlier) = phases.iter_mut().find(|earlier| earlier.name == phase.name) else {
        phases.push(phase);
        return Ok(());
    };
    for (name, value) in phase.figures {
        let mean = f64::midpoint(earlier.get(&name), value);
        earlier.set(&name, mean);
    }
    Ok(())
}

/// The machine and the database, one line each.
///
/// # Errors
/// If the database cannot be asked.
pub async fn surroundings(stage: &Stage) -> Result<String, Error> {
    Ok(format!("{}, {}", machine::described(), stage.database.described().await?))
}
