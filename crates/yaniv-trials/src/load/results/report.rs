//! The output: tables in Markdown. `docs/performance.md` has the latest figures.

use std::fmt::Write as _;

use crate::load::phases::{WITHOUT_OUTBOX, WRITE};
use crate::load::results::figures::Phase;
use crate::load::results::number::pretty;
use crate::load::results::targets::targets;

/// The whole report. Writing to a string does not fail, so the results are ignored.
#[must_use]
pub fn report(phases: &[Phase], about: &[String], first_connections: usize) -> String {
    let mut text = String::new();
    for line in about {
        let _ = writeln!(text, "{line}  ");
    }
    let (writes, served): (Vec<&Phase>, Vec<&Phase>) = phases
        .iter()
        .partition(|phase| phase.name.starts_with(WRITE) || phase.name.starts_with(WITHOUT_OUTBOX));
    if !writes.is_empty() {
        yardstick(&mut text, &writes);
    }
    if !served.is_empty() {
        service(&mut text, &served);
        tables(&mut text, &served);
    }
    met(&mut text, phases, first_connections);
    refusals(&mut text, phases);
    text
}

fn yardstick(text: &mut String, writes: &[&Phase]) {
    text.push_str("\n| the same durable write without a service | /s | µs of Postgres CPU | WAL bytes (+ page images) |\n");
    text.push_str("|---|---|---|---|\n");
    for write in writes {
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} |",
            write.name,
            pretty(write.get("rate")),
            shown(write, "postgres"),
            wal(write)
        );
    }
}

fn service(text: &mut String, served: &[&Phase]) {
    text.push_str(
        "\n| the service | /s | p50 · p99 · p99.9 · max, ms | µs of CPU: service + Postgres + client ",
    );
    text.push_str("| WAL bytes (+ page images) | bytes on disk | HOT | looks: views, 304s | requests/s | bytes of a body | memory, peak MB | others' CPU |\n");
    text.push_str("|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for phase in served {
        let latencies = ["p50", "p99", "p999", "max"].map(|name| pretty(phase.get(name))).join(" · ");
        let costs = ["service", "postgres", "client"].map(|name| shown(phase, name)).join(" + ");
        let hot = percent(phase, "hot");
        let _ = writeln!(
            text,
            "| {} | {} | {latencies} | {costs} | {} | {} | {hot} | {}, {} | {} | {} | {}, {} | {} |",
            phase.name,
            pretty(phase.get("rate")),
            wal(phase),
            shown(phase, "grown"),
            pretty(phase.get("views")),
            pretty(phase.get("unchanged")),
            pretty(phase.get("requests")),
            shown(phase, "body"),
            shown(phase, "resident"),
            shown(phase, "peak"),
            percent(phase, "others"),
        );
    }
    text.push_str(
        "\nCosts are for each of what the phase is about; looking that went with it is in them. The last ",
    );
    text.push_str(
        "column is how busy the machine was with anything else: where it is not small, figures say little.\n",
    );
}

fn tables(text: &mut String, served: &[&Phase]) {
    let grown = |phase: &&&Phase| phase.name.starts_with("actions,");
    let Some(phase) = served.iter().find(grown) else { return };
    let _ = writeln!(text, "\nGrowth for an action, {}, each table with its indexes:\n", phase.name);
    text.push_str("| table | bytes |\n|---|---|\n");
    for (name, bytes) in &phase.figures {
        if let Some(table) = name.strip_prefix("table ") {
            let _ = writeln!(text, "| {table} | {} |", pretty(*bytes));
        }
    }
}

fn met(text: &mut String, phases: &[Phase], first_connections: usize) {
    text.push_str("\n| figure | target | measured | met |\n|---|---|---|---|\n");
    for target in targets(phases, first_connections) {
        let met = if target.met { "yes" } else { "**no**" };
        let _ = writeln!(text, "| {} | {} | {} | {met} |", target.figure, target.target, target.measured);
    }
}

fn refusals(text: &mut String, phases: &[Phase]) {
    let mut none = true;
    for phase in phases {
        for (what, count) in &phase.refused {
            let _ = writeln!(text, "\nNOT AS IT SHOULD BE, {}: {count} × {what}", phase.name);
            none = false;
        }
    }
    if none {
        text.push_str("\nEvery answer was as it should be: each action was legal and was accepted.\n");
    }
}

fn shown(phase: &Phase, name: &str) -> String {
    phase.find(name).map_or_else(|| "–".to_owned(), pretty)
}

fn percent(phase: &Phase, name: &str) -> String {
    phase.find(name).map_or_else(|| "–".to_owned(), |share| format!("{:.1} %", share * 100.0))
}

fn wal(phase: &Phase) -> String {
    format!("{} (+ {})", shown(phase, "wal"), shown(phase, "images"))
}
