//! Compares the ledger of a match, as the API returns it, with the log: each turn was played before its deadline or
//! missed after it, and nothing else changed a deadline.

use std::collections::HashMap;

use serde_json::Value;

use crate::Error;
use crate::faults::checks::checker::check_versions;
use crate::faults::checks::replay;
use crate::faults::clients::client::Client;
use crate::faults::deadlines::timed::{GRACE, time_at};
use crate::faults::report::Report;
use crate::faults::setup::database::{Entry, Stored};

/// A line of the ledger; times in microseconds.
#[derive(Clone, Debug)]
pub struct Line {
    /// Version of the log entry that caused it.
    pub version: i64,
    /// The seat whose clock it is.
    pub seat: i64,
    /// Time of the change.
    pub at: Option<i64>,
    /// Reason of the change.
    pub reason: String,
    /// The deadline before.
    pub before: Option<i64>,
    /// The deadline after.
    pub after: Option<i64>,
}

/// The whole ledger of a match.
///
/// # Errors
/// If it cannot be read.
pub async fn read(client: &mut Client, id: &str, version: i32) -> Result<Vec<Line>, Error> {
    let (mut lines, mut after) = (Vec::new(), 0);
    while after < i64::from(version) {
        let answer = client.read(&format!("/v1/matches/{id}/clock-changes?after={after}")).await?;
        let page: Value = serde_json::from_slice(&answer.body)?;
        let items = page.get("items").and_then(Value::as_array);
        lines.extend(items.into_iter().flatten().map(line));
        let next = number(&page, "version");
        if next <= after {
            return Err(format!("the ledger of {id} stands still at {after}").into());
        }
        after = next;
    }
    Ok(lines)
}

fn line(item: &Value) -> Line {
    Line {
        version: number(item, "version"),
        seat: number(item, "seat"),
        at: time_at(item, "/at"),
        reason: item.get("reason").and_then(Value::as_str).unwrap_or_default().to_owned(),
        before: time_at(item, "/deadline_before"),
        after: time_at(item, "/deadline_after"),
    }
}

fn number(item: &Value, name: &str) -> i64 {
    item.get(name).and_then(Value::as_i64).unwrap_or_default()
}

/// Checks the log and ledger of a match. If the clock was set back, waits may end without a following action.
pub fn check(stored: &Stored, lines: &[Line], set_back: bool, report: &mut Report) {
    check_versions(stored, report);
    if let Err(error) = replay::check(stored) {
        report.differ += 1;
        report.find(format!("{}: {error}", stored.id));
    }
    let mut deadlines: HashMap<i64, Option<i64>> = HashMap::new();
    for line in lines {
        let known = deadlines.insert(line.seat, line.after).flatten();
        if known != line.before {
            report.differ += 1;
            report.find(format!("{}: the ledger does not add up: {known:?}, then {line:?}", stored.id));
        }
    }
    for entry in stored.log.iter().filter(|entry| entry.kind == "action") {
        check_entry(stored, entry, lines, set_back, report);
    }
}

fn check_entry(stored: &Stored, entry: &Entry, lines: &[Line], set_back: bool, report: &mut Report) {
    let ends = |line: &&Line| {
        line.version == i64::from(entry.version)
            && line.before.is_some()
            && line.after.is_none()
            && entry.seat.map(i64::from) == Some(line.seat)
    };
    let here = || format!("{} {}", stored.id, entry.version);
    let ended: Vec<&Line> = lines.iter().filter(ends).collect();
    let [line] = ended.as_slice() else {
        report.differ += 1;
        return report.find(format!("{}: {} lines end this turn", here(), ended.len()));
    };
    let expected = if entry.missed { "turn_missed" } else { "turn_used" };
    let is_withdrawn = set_back && line.reason == "turn_withdrawn";
    if (line.reason != expected && !is_withdrawn) || line.at != Some(entry.at) {
        report.differ += 1;
        report.find(format!("{}: {line:?}, but {expected} at {}", here(), entry.at));
    }
    let late = line.before.is_some_and(|deadline| entry.at >= deadline.saturating_add(GRACE));
    if entry.missed && !late {
        report.lost += 1;
        report.find(format!("{}: missed before its deadline: {line:?}", here()));
    }
    if !entry.missed && late && !is_withdrawn {
        report.twice += 1;
        report.find(format!("{}: played after its deadline: {line:?}", here()));
    }
    if entry.missed == entry.mark.is_some() {
        report.twice += 1;
        report.find(format!("{}: both a player's and done for an absent one, or neither", here()));
    }
}
