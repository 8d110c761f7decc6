//! Retries: of writes with an unknown outcome until it is known, and of acknowledged ones to compare the answers.

use std::fmt::Write as _;
use std::path::Path;

use crate::Error;
use crate::faults::clients::group::Group;
use crate::faults::clients::op::{End, Op};
use crate::faults::report::Report;
use crate::player::{Answer, Lost};

/// Retries every write with an unknown outcome until it is known, or patience ends.
///
/// # Errors
/// If a client cannot log in any more.
pub async fn close(group: &mut Group) -> Result<(), Error> {
    for op in group.ops.iter_mut().filter(|op| matches!(op.end, End::Open)) {
        if let Some(player) = group.players.get_mut(op.player) {
            player.settle(op).await?;
        }
    }
    Ok(())
}

/// Repeats up to this many acknowledged writes: first those that needed a retry, then random ones.
///
/// # Errors
/// If a client cannot log in any more.
pub async fn compare(group: &mut Group, most: usize, report: &mut Report) -> Result<(), Error> {
    let acknowledged = |op: &&Op| matches!(op.end, End::Ok { .. });
    let count = group.ops.iter().filter(acknowledged).count().max(1);
    let random = &mut group.random;
    let chosen =
        group.ops.iter().filter(acknowledged).filter(|op| op.unknown > 0 || random.below(count) < most);
    for op in chosen.take(most.saturating_mul(2)) {
        let Some(player) = group.players.get_mut(op.player) else { continue };
        let mut again = Op { end: End::Open, ..op.clone() };
        player.settle(&mut again).await?;
        if let Err(difference) = same(op, &again) {
            report.differ += 1;
            report.find(difference);
        }
    }
    Ok(())
}

/// Whether a repeated write had the same outcome, byte for byte.
///
/// # Errors
/// With the difference.
pub fn same(first: &Op, again: &Op) -> Result<(), String> {
    let here = format!("{} {}", first.path, first.key);
    let (End::Ok { answer: first, .. }, End::Ok { answer: again, .. }) = (&first.end, &again.end) else {
        return Err(format!("{here}: first {}, then {}", brief(&first.end), brief(&again.end)));
    };
    same_answer(first, again, true).map_err(|difference| format!("{here}: {difference}"))
}

/// Checks the answer of a write that was sent twice at once: if there is one, it is the same. Either may have been
/// first.
///
/// # Errors
/// With the difference.
pub fn same_twin(first: &Op, twin: &Result<Answer, Lost>) -> Result<(), String> {
    match (&first.end, twin) {
        (End::Ok { answer, .. }, Ok(twin)) if twin.status < 500 && twin.status != 401 => {
            same_answer(answer, twin, false)
                .map_err(|difference| format!("{} {}: {difference}", first.path, first.key))
        }
        _ => Ok(()),
    }
}

/// Compares two answers; with `marked`, the second must be marked as a replay.
///
/// # Errors
/// With the difference.
pub fn same_answer(first: &Answer, again: &Answer, marked: bool) -> Result<(), String> {
    if (first.status, &first.body) != (again.status, &again.body) {
        let text = |answer: &Answer| {
            let body = String::from_utf8_lossy(&answer.body);
            format!("{} {}", answer.status, body.chars().take(3000).collect::<String>())
        };
        return Err(format!("first {}, then {}", text(first), text(again)));
    }
    for name in ["content-type", "location", "cache-control", "content-length"] {
        if first.header(name) != again.header(name) {
            return Err(format!("the header {name} differs"));
        }
    }
    if marked && !again.replayed() { Err("it is not marked as a repetition".to_owned()) } else { Ok(()) }
}

/// Writes the history of these groups, with outcomes.
///
/// # Errors
/// Those of the file system.
pub fn write_history(file: &Path, groups: &[Group]) -> Result<(), Error> {
    let mut text = String::new();
    for (number, group) in groups.iter().enumerate() {
        for op in &group.ops {
            writeln!(
                text,
                "{number} {} {} {} {} unknown {} {}",
                op.match_id,
                op.player,
                op.path,
                op.key,
                op.unknown,
                brief(&op.end)
            )?;
        }
    }
    Ok(std::fs::write(file, text)?)
}

fn brief(end: &End) -> String {
    match end {
        End::Open => "open".to_owned(),
        End::Ok { version, answer } => format!("{} version {version}", answer.status),
        End::Refused(status, code) => format!("{status} {code}"),
    }
}
