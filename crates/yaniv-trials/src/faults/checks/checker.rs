//! Consistency checker: compares what clients were told with the database.
//!
//! As in Jepsen: each `ok` once, each `fail` never, each `info` at most once. In addition, what only this service
//! promises: the same answer for the same key, a log without gaps, and a stored position that equals the replayed log.

use std::collections::HashMap;
use std::time::Duration;

use crate::Error;
use crate::faults::checks::replay;
use crate::faults::clients::group::Group;
use crate::faults::clients::op::{End, Op};
use crate::faults::clients::resend;
use crate::faults::report::Report;
use crate::faults::setup::database::{Database, Entry, Mark, Stored};
use crate::faults::setup::stage::Stage;
use crate::faults::trial::Context;

/// How much is checked.
#[derive(Clone, Copy, Debug)]
pub struct Depth {
    /// Acknowledged writes of each group to repeat; those whose outcome was unknown come first.
    pub resend: usize,
    /// How long to retry until a final answer.
    pub patience: Duration,
    /// Whether each match must accept another action.
    pub alive: bool,
}

impl Depth {
    /// Full depth, for the trial itself.
    #[must_use]
    pub fn full(context: &Context) -> Self {
        Self { resend: context.long_or_short(250, 25), patience: Duration::from_secs(30), alive: true }
    }

    /// Less depth, after a planted bug that may cause hangs.
    #[must_use]
    pub fn quick() -> Self {
        Self { resend: 4, patience: Duration::from_millis(400), alive: false }
    }
}

/// Checks everything that these groups have done, and returns them with an empty history.
///
/// If the check itself fails.
/// If the check itself cannot be made.
pub fn check(
    context: &Context,
    stage: &Stage,
    groups: Vec<Group>,
    depth: Depth,
) -> Result<(Report, Vec<Group>), Error> {
    let mut report = Report::default();
    let tasks: Vec<_> = groups
        .into_iter()
        .map(|group| context.runtime.spawn(examine(group, stage.url.clone(), depth)))
        .collect();
    let mut groups = Vec::new();
    for task in tasks {
        let (group, found) = context.runtime.block_on(task)??;
        report.add(found);
        groups.push(group);
    }
    let idle = context.runtime.block_on(async { stage.database().await?.idle_in_transaction().await })?;
    report.require(idle == 0, || format!("{idle} sessions are idle in a transaction"));
    if report.is_red() {
        let file = context.directory.join("history.txt");
        resend::write_history(&file, &groups)?;
        report.note(format!("history: {}", file.display()));
    }
    groups.iter_mut().for_each(Group::begin_anew);
    Ok((report, groups))
}

async fn examine(mut group: Group, url: String, depth: Depth) -> Result<(Group, Report), Error> {
    let mut report = Report::default();
    group.set_patience(depth.patience);
    resend::close(&mut group).await?;
    if depth.alive
        && let Err(error) = group.is_alive(depth.patience).await
    {
        report.find(error.to_string());
    }
    resend::compare(&mut group, depth.resend, &mut report).await?;
    report.findings.extend(group.findings.drain(..).inspect(|_| report.wrong += 1));
    let mut database = Database::connect(&url).await?;
    let mut matches: HashMap<&str, Vec<&Op>> = HashMap::new();
    for op in &group.ops {
        count(op, &mut report);
        if !op.match_id.is_empty() {
            matches.entry(&op.match_id).or_default().push(op);
        }
    }
    for (id, ops) in matches {
        match database.load(id).await {
            Ok(stored) => check_match(&stored, &ops, &mut report),
            Err(error) => {
                report.lost += ops.iter().filter(|op| matches!(op.end, End::Ok { .. })).count();
                report.find(error.to_string());
            }
        }
    }
    Ok((group, report))
}

fn count(op: &Op, report: &mut Report) {
    report.unknown += op.unknown;
    let answer = match &op.end {
        End::Ok { answer, .. } => {
            report.acknowledged += 1;
            let took = op.ended.and_then(|ended| ended.checked_duration_since(op.begun));
            report.slowest = report.slowest.max(took.unwrap_or_default());
            answer.status.to_string()
        }
        End::Refused(status, code) => {
            report.refused += 1;
            format!("{status} {code}")
        }
        End::Open => "open".to_owned(),
    };
    *report.answers.entry(answer).or_default() += 1;
    for failure in &op.failures {
        *report.answers.entry(failure.clone()).or_default() += 1;
    }
}

/// Compares a match with all writes that were sent for it.
pub fn check_match(stored: &Stored, ops: &[&Op], report: &mut Report) {
    let marks: HashMap<Mark, &Op> = ops.iter().map(|op| (mark(op), *op)).collect();
    check_versions(stored, report);
    if let Err(error) = replay::check(stored) {
        report.differ += 1;
        report.find(format!("{}: {error}", stored.id));
    }
    for entry in &stored.log {
        let known = entry.mark.as_ref().is_some_and(|mark| marks.contains_key(mark));
        if !known {
            report.twice += 1;
            report.find(format!("{} {}: no request for {}", stored.id, entry.version, entry.detail));
        }
    }
    for op in ops {
        check_op(stored, op, report);
    }
}

/// Checks that versions are 1, 2, 3 … up to the match's.
pub fn check_versions(stored: &Stored, report: &mut Report) {
    let gaps = (1..).zip(&stored.log).filter(|(version, entry)| *version != entry.version).count();
    let last = stored.log.last().map_or(0, |entry| entry.version);
    if gaps > 0 || last != stored.version {
        report.gaps += 1;
        report.find(format!("{}: {gaps} gaps, ends at {last} of {}", stored.id, stored.version));
    }
}

fn check_op(stored: &Stored, op: &Op, report: &mut Report) {
    let mark = mark(op);
    let entries: Vec<&Entry> = stored.log.iter().filter(|entry| entry.mark.as_ref() == Some(&mark)).collect();
    let here = || format!("{} {} {}", stored.id, op.detail, op.key);
    match (&op.end, entries.as_slice()) {
        (End::Ok { version, .. }, [entry]) => {
            if entry.version != *version || !fits(entry, op) {
                report.lost += 1;
                let found = (entry.version, &entry.kind, &entry.detail, entry.seat);
                report.find(format!("{}: acknowledged as {version}, stored as {found:?}", here()));
            }
        }
        (End::Ok { version, .. }, []) => {
            report.lost += 1;
            report.find(format!("{}: acknowledged as {version}, not there", here()));
        }
        (End::Refused(status, code), [entry, ..]) => {
            report.twice += 1;
            report.find(format!("{}: refused with {status} {code}, done as {}", here(), entry.version));
        }
        (_, [_, _, ..]) => {
            report.twice += 1;
            report.find(format!("{}: done {} times", here(), entries.len()));
        }
        (End::Refused(..) | End::Open, []) | (End::Open, [_]) => {}
    }
}

fn fits(entry: &Entry, op: &Op) -> bool {
    let seat = entry.seat.map(usize::from);
    entry.kind == op.kind && entry.detail == op.detail && (op.kind != "action" || seat == Some(op.player))
}

fn mark(op: &Op) -> Mark {
    Database::mark(&op.account, &op.key)
}
