//! Common course of a trial: groups play, faults are injected, play stops, everything is checked. It repeats in parts,
//! so that little has to be kept in memory and a failure is found soon.

use std::time::Duration;

use super::report::Report;
use super::trial::Context;
use super::workload::{Clock, Workload};
use crate::Error;
use crate::faults::checks::checker::{Depth, check};
use crate::faults::clients::group::Group;
use crate::faults::clients::vanish::Vanisher;
use crate::faults::setup::plants::Plant;
use crate::faults::setup::stage::Stage;

/// Sizes of the groups that play.
const GROUPS: [usize; 8] = [2, 2, 3, 4, 2, 3, 2, 2];

/// With a planted bug, play counts as stuck after this long without an acknowledgement.
const HANGS: Duration = Duration::from_secs(3);

/// The groups that play, and how often faults are injected.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Groups that play concurrently.
    pub groups: usize,
    /// How often to inject.
    pub times: usize,
    /// How often before each check.
    pub part: usize,
    /// The planted bug.
    pub plant: Option<Plant>,
    /// Clients vanish, instead of injected faults.
    pub vanish: bool,
    /// How much is checked.
    pub depth: Depth,
}

impl Plan {
    /// The trial itself.
    #[must_use]
    pub fn full(context: &Context, part: usize) -> Self {
        let groups = context.long_or_short(8, 5);
        let depth = Depth::full(context);
        Self { groups, times: context.times, part, plant: None, vanish: false, depth }
    }

    /// A planted bug, with this many faults.
    #[must_use]
    pub fn planted(plant: Plant, times: usize) -> Self {
        let depth = Depth::quick();
        Self { groups: 3, times, part: times, plant: Some(plant), vanish: false, depth }
    }
}

/// Injects one fault; it may wait for the clock, and report findings.
pub type Inject<'a> = &'a mut dyn FnMut(&mut Stage, &Clock, &mut Report) -> Result<(), Error>;

/// Plays, injects and checks.
///
/// # Errors
/// If that cannot be done.
pub fn drive(context: &Context, stage: &mut Stage, plan: &Plan, inject: Inject<'_>) -> Result<Report, Error> {
    if let Some(plant) = plan.plant {
        context.runtime.block_on(async { plant.plant(&stage.database().await?).await })?;
    }
    let mut report = Report::default();
    let is_over = |report: &Report| if plan.plant.is_some() { report.sees() } else { report.is_red() };
    while report.injected < plan.times && context.has_time() && !is_over(&report) {
        drive_part(context, stage, plan, inject, &mut report)?;
    }
    if let Some(plant) = plan.plant {
        context.runtime.block_on(async { plant.uproot(&stage.database().await?).await })?;
    }
    Ok(report)
}

fn drive_part(
    context: &Context,
    stage: &mut Stage,
    plan: &Plan,
    inject: Inject<'_>,
    report: &mut Report,
) -> Result<(), Error> {
    let mut groups = new_groups(context, stage, plan)?;
    let limit = plan.plant.map(|_| plan.depth.patience.max(HANGS));
    let (patience, warm_up) = (limit.unwrap_or(Duration::from_secs(60)), Duration::from_secs(10));
    groups.iter_mut().for_each(|group| group.set_patience(patience));
    context.say("play");
    let workload = Workload::start(&context.runtime, groups, limit);
    workload.clock.wait_more(context.long_or_short(200, 30), warm_up);
    context.say("inject");
    let goal = plan.times.min(report.injected + plan.part);
    while report.injected < goal && context.has_time() {
        inject(stage, &workload.clock, report)?;
    }
    workload.clock.wait_more(20, warm_up);
    context.say("finish");
    let finished = workload.finish(&context.runtime, report)?;
    let vanished = finished.iter().filter_map(|group| group.vanisher.as_ref());
    let vanished: usize = vanished.map(|vanisher| vanisher.times).sum();
    report.injected = if plan.vanish { vanished } else { report.injected };
    context.say("check");
    let (found, groups) = check(context, stage, finished, plan.depth)?;
    report.add(found);
    stage.groups = groups;
    context.say("checked");
    Ok(())
}

/// The groups of a plan: those kept on the stage, and new ones.
///
/// # Errors
/// If they cannot be registered.
pub fn new_groups(context: &Context, stage: &mut Stage, plan: &Plan) -> Result<Vec<Group>, Error> {
    let mut groups: Vec<Group> = stage.groups.drain(..).take(plan.groups).collect();
    let missing = GROUPS.into_iter().zip(0_u64..).take(plan.groups).skip(groups.len());
    let tasks: Vec<_> = missing
        .map(|(size, number)| {
            let (addresses, name) = (stage.addresses.clone(), format!("player_g{number}"));
            let seed = context.seed.wrapping_add(number);
            context.runtime.spawn(async move { Group::new(&addresses, &name, size, seed).await })
        })
        .collect();
    for task in tasks {
        groups.push(context.runtime.block_on(task)??);
    }
    for group in &mut groups {
        let vanisher = group.vanisher.take().filter(|_| plan.vanish);
        let vanish = || plan.vanish.then(|| Vanisher::new(&stage.addresses));
        group.vanisher = vanisher.or_else(vanish);
    }
    Ok(groups)
}
