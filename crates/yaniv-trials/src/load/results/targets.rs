//! Targets, and whether they are met: ratios to what the same run measured beside the service.

use crate::load::phases::{BARE, CLIENT, OPEN, UNCHANGED, VIEWS, WRITE, actions};
use crate::load::results::figures::Phase;
use crate::load::results::number::pretty;

/// Nakama's write of a stored object with its version, 32 clients, on the machine where the targets were set.
const NAKAMA: f64 = 2_910.0;
/// Tables whose rows are kept only for some time.
const PASSING: [&str; 3] = ["table outbox", "table idempotency_keys", "table idempotency"];

/// A target.
#[derive(Clone, Debug)]
pub struct Target {
    /// What is measured.
    pub figure: String,
    /// The target value.
    pub target: String,
    /// The measured value.
    pub measured: String,
    /// Whether it is enough.
    pub met: bool,
}

/// The targets whose figures were measured.
#[must_use]
pub fn targets(phases: &[Phase], first_connections: usize) -> Vec<Target> {
    let find = |name: &str| phases.iter().find(|phase| phase.name == name);
    let best = phases.iter().filter(|phase| phase.name.starts_with(WRITE)).map(|phase| phase.get("rate"));
    let best = best.max_by(f64::total_cmp);
    let mut all = Vec::new();
    for (connections, least) in [(64, 1.0), (256, 1.5)] {
        if let (Some(phase), Some(best)) = (find(&actions(connections)), best) {
            let figure = format!("actions/s, {connections} connections, against `c` at its best");
            all.push(at_least(figure, least, phase.get("rate") / best));
        }
    }
    let first = find(&actions(first_connections));
    if let Some(phase) = first {
        let figure = "the same against Nakama's 2,910 versioned writes/s (another machine, same size)";
        all.push(at_least(figure.to_owned(), 6.0, phase.get("rate") / NAKAMA));
        all.push(at_most(
            format!("p99 of actions, {first_connections} connections, ms"),
            10.0,
            phase.get("p99"),
        ));
    }
    if let Some(phase) = find(OPEN) {
        all.push(at_most("p99 at half that rate, ms".to_owned(), 5.0, phase.get("p99")));
    }
    if let Some(bare) = find(BARE) {
        let against = |name: &str| find(name).map(|phase| phase.get("rate") / bare.get("rate"));
        all.extend(
            against(VIEWS).map(|ratio| at_least("views/s against the bare SELECT".to_owned(), 0.6, ratio)),
        );
        all.extend(against(UNCHANGED).map(|ratio| at_least("304/s against the same".to_owned(), 0.9, ratio)));
    }
    if let Some(phase) = first {
        let passing: f64 = PASSING.iter().map(|table| phase.get(table)).sum();
        let grown = phase.get("grown");
        all.push(at_most("bytes on disk for an action while all rows live".to_owned(), 400.0, grown));
        all.push(at_most("– without the tables that are pruned".to_owned(), 160.0, grown - passing));
        all.push(at_most("WAL bytes for an action, without page images".to_owned(), 800.0, phase.get("wal")));
    }
    let peak = phases
        .iter()
        .filter(|phase| ![BARE, CLIENT].contains(&phase.name.as_str()))
        .filter_map(|phase| phase.find("peak"));
    if let Some(peak) = peak.max_by(f64::total_cmp) {
        all.push(at_most("memory of the service, its peak, MB (no event streams)".to_owned(), 64.0, peak));
    }
    all
}

fn at_least(figure: String, target: f64, measured: f64) -> Target {
    let met = measured >= target;
    Target { figure, target: format!("≥ {target}"), measured: pretty(measured), met }
}

fn at_most(figure: String, target: f64, measured: f64) -> Target {
    let met = measured <= target;
    Target { figure, target: format!("≤ {target}"), measured: pretty(measured), met }
}
