//! Results of a trial: counts, findings, and its row of the table.

use std::collections::BTreeMap;
use std::time::Duration;

use super::trial::Trial;

/// Findings kept as text; all are counted.
const KEPT: usize = 12;

/// Counts and findings.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Faults that were injected.
    pub injected: usize,
    /// Acknowledged requests.
    pub acknowledged: usize,
    /// Finally refused requests.
    pub refused: usize,
    /// Sends with an unknown outcome: no answer, or a 5xx.
    pub unknown: usize,
    /// Acknowledged, but not stored.
    pub lost: usize,
    /// Done more than once, though refused, or without a request.
    pub twice: usize,
    /// Logs with gaps, or that do not end at the match's version.
    pub gaps: usize,
    /// Repeated answers that differ, and logs that do not lead to the stored state.
    pub differ: usize,
    /// The longest time from a fault's end to the first acknowledged write.
    pub first_ok: Option<Duration>,
    /// The longest time of retries until a write was acknowledged.
    pub slowest: Duration,
    /// The first findings, in words.
    pub findings: Vec<String>,
    /// Number of findings.
    pub wrong: usize,
    /// Other measurements.
    pub notes: Vec<String>,
    /// Answers by status and code.
    pub answers: BTreeMap<String, usize>,
}

impl Report {
    /// Records a finding: the promise is broken.
    pub fn find(&mut self, finding: impl Into<String>) {
        self.wrong += 1;
        if self.findings.len() < KEPT {
            self.findings.push(finding.into());
        }
    }

    /// Records a measurement.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// Records a finding unless the condition holds.
    pub fn require(&mut self, holds: bool, otherwise: impl FnOnce() -> String) {
        if !holds {
            self.find(otherwise());
        }
    }

    /// Keeps the longest recovery time.
    pub fn recovered(&mut self, after: Duration) {
        self.first_ok = self.first_ok.max(Some(after));
    }

    /// Whether the promise was broken.
    #[must_use]
    pub fn is_red(&self) -> bool {
        self.wrong > 0
    }

    /// Adds the counts of another part of the trial.
    pub fn add(&mut self, other: Self) {
        self.injected += other.injected;
        self.acknowledged += other.acknowledged;
        self.refused += other.refused;
        self.unknown += other.unknown;
        self.lost += other.lost;
        self.twice += other.twice;
        self.gaps += other.gaps;
        self.differ += other.differ;
        self.first_ok = self.first_ok.max(other.first_ok);
        self.slowest = self.slowest.max(other.slowest);
        self.wrong += other.wrong;
        self.findings.extend(other.findings);
        self.findings.truncate(KEPT);
        self.notes.extend(other.notes);
        for (answer, count) in other.answers {
            *self.answers.entry(answer).or_default() += count;
        }
    }

    /// Whether the checker found an error in the history; that play is stuck does not suffice.
    #[must_use]
    pub fn sees(&self) -> bool {
        self.lost + self.twice + self.gaps + self.differ > 0
    }

    /// Answers by status and code, on one line.
    #[must_use]
    pub fn answers(&self) -> String {
        let all: Vec<String> =
            self.answers.iter().map(|(answer, count)| format!("{count} × {answer}")).collect();
        all.join(", ")
    }

    /// The counts of errors, for the line about a planted bug.
    #[must_use]
    pub fn caught(&self) -> String {
        let counts =
            [(self.lost, "lost"), (self.twice, "twice"), (self.gaps, "gaps"), (self.differ, "differ")];
        let counted = counts.iter().filter(|(count, _)| *count > 0);
        let counted: Vec<String> = counted.map(|(count, what)| format!("{count} {what}")).collect();
        counted.join(", ")
    }

    /// A row of the table.
    #[must_use]
    pub fn row(&self, trial: &Trial, verdict: &str) -> String {
        let first_ok =
            self.first_ok.map_or_else(|| "–".to_owned(), |time| format!("{} ms", time.as_millis()));
        format!(
            "| {} | {} × {} | {} | {} | {} | {} | {} | {} | {} | {first_ok} | {verdict} |",
            trial.name.to_uppercase(),
            trial.injects,
            self.injected,
            self.acknowledged,
            self.refused,
            self.unknown,
            self.lost,
            self.twice,
            self.gaps,
            self.differ,
        )
    }
}

/// The head of the table.
pub const HEAD: &str = "\
| | injected | acknowledged | refused | unknown | lost | twice | gaps | differ | first ok | verdict |
|---|---|---|---|---|---|---|---|---|---|---|";
