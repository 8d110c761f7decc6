//! P7: one version has one winner, however many clients act on it concurrently, through either instance.

use std::net::SocketAddr;
use std::time::Instant;

use serde_json::json;

use crate::Error;
use crate::faults::checks::checker::{Depth, check};
use crate::faults::clients::group::Group;
use crate::faults::clients::op::{End, Op};
use crate::faults::report::Report;
use crate::faults::setup::plants::Plant;
use crate::faults::setup::stage::Stage;
use crate::faults::trial::{Context, Outcome, Trial};
use crate::player::{Line, Random, View, Wish, choose};

/// The trial.
pub(super) const TRIAL: Trial = Trial {
    name: "p7",
    promise: "One version has one winner",
    injects: "20 actions at once on one version, by 4 clients of 3 players",
    times: 5000,
    short: 30,
    bug: "the version of a match does not advance",
    run,
    planted,
};

/// Concurrent writers on one version.
const WRITERS: usize = 20;
/// Matches played concurrently.
const MATCHES: usize = 2;
/// Versions between two checks.
const PART: usize = 250;

fn run(context: &Context) -> Result<Outcome, Error> {
    let stage = context.stage()?;
    let report = contest(context, &stage, context.times, Depth::full(context))?;
    context.give_back(stage);
    Ok(report.into())
}

fn planted(context: &Context) -> Result<Outcome, Error> {
    let stage = context.stage()?;
    let plant = Plant::StandingVersion;
    context.runtime.block_on(async { plant.plant(&stage.database().await?).await })?;
    let report = contest(context, &stage, 2, Depth::quick())?;
    context.runtime.block_on(async { plant.uproot(&stage.database().await?).await })?;
    context.give_back(stage);
    Ok(report.into())
}

fn contest(context: &Context, stage: &Stage, times: usize, depth: Depth) -> Result<Report, Error> {
    let mut report = Report::default();
    let mut groups = Vec::new();
    let matches = context.long_or_short(MATCHES, 1);
    for number in 0..matches {
        let (name, seed) = (format!("p7_g{number}"), context.seed.wrapping_add(u64::try_from(number)?));
        groups.push(context.runtime.block_on(Group::new(&stage.addresses, &name, 3, seed))?);
    }
    while report.injected < times && context.has_time() && !report.is_red() {
        let each = PART.min(times - report.injected).div_ceil(matches);
        let play = |group| context.runtime.spawn(contest_some(group, stage.addresses.clone(), each));
        let tasks: Vec<_> = groups.drain(..).map(play).collect();
        for task in tasks {
            let (group, found) = context.runtime.block_on(task)??;
            report.add(found);
            groups.push(group);
        }
        let (found, rest) = check(context, stage, groups, depth)?;
        report.add(found);
        groups = rest;
    }
    Ok(report)
}

async fn contest_some(
    mut group: Group,
    addresses: Vec<SocketAddr>,
    versions: usize,
) -> Result<(Group, Report), Error> {
    let mut report = Report::default();
    let mut lines: Vec<Line> =
        addresses.iter().cycle().take(WRITERS).map(|address| Line::new(*address)).collect();
    while report.injected < versions {
        let Some(match_id) = group.match_id.clone() else {
            group.open_with(&json!({"preset": "yaniv", "max_rounds": 3})).await?;
            continue;
        };
        let Some(mover) = mover(&mut group, &match_id).await? else { continue };
        let wishes = wishes(&mut group, &match_id, mover).await?;
        if wishes.is_empty() {
            continue;
        }
        let ops = volley(&group, &mut lines, &match_id, mover, &wishes).await?;
        report.injected += 1;
        judge(&ops, &mut report);
        group.ops.extend(ops);
    }
    Ok((group, report))
}

/// The seat to act; none if the match is over.
async fn mover(group: &mut Group, match_id: &str) -> Result<Option<usize>, Error> {
    let player = group.players.first_mut().ok_or("no player")?;
    let answer = player.read(&format!("/v1/matches/{match_id}")).await?;
    let view = View::read(&answer.body)?;
    let mover = view.table.and_then(|table| table.to_act.first().copied());
    if view.status == "finished" {
        group.match_id = None;
        return Ok(None);
    }
    Ok(mover)
}

/// Different legal actions of the seat to act.
async fn wishes(group: &mut Group, match_id: &str, mover: usize) -> Result<Vec<Wish>, Error> {
    let player = group.players.get_mut(mover).ok_or("no seat is to act")?;
    let answer = player.read(&format!("/v1/matches/{match_id}")).await?;
    let view = View::read(&answer.body)?;
    let mut random = Random(group.random.next());
    Ok((0..WRITERS).filter_map(|_| choose(&view, &mut random)).collect())
}

/// All writers at once: half are two clients of the player to act, the others clients of the other two players.
async fn volley(
    group: &Group,
    lines: &mut Vec<Line>,
    match_id: &str,
    mover: usize,
    wishes: &[Wish],
) -> Result<Vec<Op>, Error> {
    let count = group.players.len().max(1);
    let tasks: Vec<_> = lines
        .drain(..)
        .zip(wishes.iter().cycle())
        .enumerate()
        .map(|(writer, (mut line, wish))| {
            // Neighbours use different instances, and so do the two clients of each player.
            let seat = if writer % 4 < 2 { mover } else { (mover + 1 + writer % 2) % count };
            let mut op = Op::action(match_id, seat, &group.account(seat), wish);
            let token = group.players.get(seat).map(|player| player.token.clone()).unwrap_or_default();
            tokio::spawn(async move {
                match line.send(&op.request(&token)).await {
                    Ok(answer) => {
                        op.take(answer);
                    }
                    Err(_) => op.unknown += 1,
                }
                (line, op)
            })
        })
        .collect();
    let mut ops = Vec::new();
    for task in tasks {
        let (line, op) = task.await?;
        lines.push(line);
        ops.push(op);
    }
    Ok(ops)
}

fn judge(ops: &[Op], report: &mut Report) {
    let winners: Vec<Instant> = ops.iter().filter_map(|op| op.ended).collect();
    let failures = ops.iter().filter(|op| matches!(op.end, End::Open)).count();
    if winners.len() != 1 {
        report.twice += winners.len().saturating_sub(1);
        report.find(format!("{} winners on one version", winners.len()));
    }
    report.require(failures == 0, || format!("{failures} of {} got no final answer", ops.len()));
    for op in ops {
        if let End::Refused(status, code) = &op.end
            && ![403, 409, 422].contains(status)
        {
            report.find(format!("{status} {code} for an action too late"));
        }
    }
}
