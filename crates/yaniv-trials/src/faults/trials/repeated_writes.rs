//! P6: a repeated write gets the same answer: at once, in parallel, from the other instance, after more actions, and
//! after a restart.

use std::time::Duration;

use crate::Error;
use crate::faults::checks::checker::{Depth, check};
use crate::faults::clients::group::Group;
use crate::faults::clients::op::{End, Op};
use crate::faults::clients::resend::{same, same_twin};
use crate::faults::drive::{Plan, new_groups};
use crate::faults::report::Report;
use crate::faults::setup::proxy::{Meddling, Proxy};
use crate::faults::setup::stage::Stage;
use crate::faults::trial::{Context, Outcome, Trial};

/// The trial.
pub(super) const TRIAL: Trial = Trial {
    name: "p6",
    promise: "A write that is sent again gets the same answer",
    injects: "actions sent 1 to 5 times more",
    times: 10_000,
    short: 60,
    bug: "repeated answers differ in their last byte",
    run,
    planted,
};

/// Actions between two restarts.
const PART: usize = 1000;

fn run(context: &Context) -> Result<Outcome, Error> {
    let mut stage = context.stage()?;
    let plan = Plan::full(context, PART);
    let groups = new_groups(context, &mut stage, &plan)?;
    let (report, groups) = play(context, &mut stage, groups, context.times, plan.depth)?;
    stage.groups = groups;
    context.give_back(stage);
    Ok(report.into())
}

fn planted(context: &Context) -> Result<Outcome, Error> {
    let mut stage = context.stage()?;
    let proxies =
        stage.addresses.iter().map(|address| Proxy::start(&context.runtime, *address, Meddling::Replays));
    let proxies: Vec<Proxy> = proxies.collect::<Result<_, _>>()?;
    let addresses: Vec<_> = proxies.iter().map(|proxy| proxy.address).collect();
    let group = context.runtime.block_on(Group::new(&addresses, "meddled", 2, context.seed))?;
    let (report, _) = play(context, &mut stage, vec![group], 4, Depth::quick())?;
    context.give_back(stage);
    Ok(report.into())
}

fn play(
    context: &Context,
    stage: &mut Stage,
    mut groups: Vec<Group>,
    times: usize,
    depth: Depth,
) -> Result<(Report, Vec<Group>), Error> {
    let mut report = Report::default();
    while report.injected < times && context.has_time() && !report.is_red() {
        let each = PART.min(times - report.injected).div_ceil(groups.len().max(1));
        let tasks: Vec<_> =
            groups.drain(..).map(|group| context.runtime.spawn(play_some(group, each))).collect();
        for task in tasks {
            let (group, found) = context.runtime.block_on(task)??;
            report.add(found);
            groups.push(group);
        }
        for number in 0..stage.len() {
            stage.kill9(number)?;
            stage.start(number)?;
        }
        // After a restart and more actions, everything is repeated once more.
        let depth =
            Depth { resend: usize::MAX, patience: depth.patience.max(Duration::from_secs(2)), ..depth };
        let (found, rest) = check(context, stage, groups, depth)?;
        report.add(found);
        groups = rest;
    }
    Ok((report, groups))
}

async fn play_some(mut group: Group, actions: usize) -> Result<(Group, Report), Error> {
    let mut report = Report::default();
    while report.injected < actions {
        let before = group.ops.len();
        if group.step().await?.is_none() {
            continue;
        }
        let times = 1 + group.random.below(5);
        for _ in 0..times {
            let parallel = group.random.below(2) == 0;
            let Some(op) = group.ops.get(before) else { continue };
            let again = send_again(&mut group.players, op, parallel).await?;
            report.differ += again.len();
            again.into_iter().for_each(|difference| report.find(difference));
        }
        report.injected += 1;
    }
    Ok((group, report))
}

/// Repeats a write, twice in parallel or once through the next instance; returns the difference.
async fn send_again(
    players: &mut [crate::faults::clients::client::Client],
    op: &Op,
    parallel: bool,
) -> Result<Vec<String>, Error> {
    let Some(player) = players.get_mut(op.player).filter(|_| matches!(op.end, End::Ok { .. })) else {
        return Ok(Vec::new());
    };
    if parallel {
        let twins = player.twins(op).await;
        return Ok(twins.iter().filter_map(|twin| same_twin(op, twin).err()).collect());
    }
    let mut again = Op { end: End::Open, ..op.clone() };
    player.settle(&mut again).await?;
    Ok(same(op, &again).err().into_iter().collect())
}
