//! What came of a trial: counts, findings, and the line of the table.

use std::collections::BTreeMap;
use std::time::Duration;

use super::trial::Trial;

/// Findings that are kept as text; all are counted.
const KEPT: usize = 12;

/// What was counted, and what was found to be wrong.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Faults that were injected.
    pub injected: usize,
    /// Requests that were acknowledged.
    pub acknowledged: usize,
    /// Requests that were refused for good.
    pub refused: usize,
    /// Sends that left the outcome open: no answer, or a 5xx.
    pub unknown: usize,
    /// Acknowledged, but not there.
    pub lost: usize,
    /// Done more than once, or done though refused, or done though nobody asked.
    pub twice: usize,
    /// Logs with gaps, or that do not end where the match stands.
    pub gaps: usize,
    /// Answers given again that differ, and logs that do not make the stored state.
    pub differ: usize,
    /// The longest time from a fault's end to the first acknowledged write.
    pub first_ok: Option<Duration>,
    /// The longest that a client had to try until a write was acknowledged.
    pub slowest: Duration,
    /// What was wrong, in words: the first of it.
    pub findings: Vec<String>,
    /// How much was wrong.
    pub wrong: usize,
    /// What else was measured.
    pub notes: Vec<String>,
    /// Answers by status and code.
    pub answers: BTreeMap<String, usize>,
}

impl Report {
    /// Notes something that breaks the promise.
    pub fn find(&mut self, finding: impl Into<String>) {
        self.wrong += 1;
        if self.findings.len() < KEPT {
            self.findings.push(finding.into());
        }
    }

    /// Notes a figure that is no fault.
    pub fn note(&mut self, note: impl Into<String>) {
        self.notes.push(note.into());
    }

    /// Finds something unless it holds.
    pub fn require(&mut self, holds: bool, otherwise: impl FnOnce() -> String) {
        if !holds {
            self.find(otherwise());
        }
    }

    /// Keeps the longest time to the first acknowledged write.
    pub fn recovered(&mut self, after: Duration) {
        self.first_ok = self.first_ok.max(Some(after));
    }

    /// Whether the promise was broken.
    #[must_use]
    pub fn is_red(&self) -> bool {
        self.wrong > 0
    }

    /// Adds what another part of the same trial has counted.
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

    /// Whether the checker has seen something in what was said and done; that nothing went on is not enough.
    #[must_use]
    pub fn sees(&self) -> bool {
        self.lost + self.twice + self.gaps + self.differ > 0
    }

    /// Answers by status and code, on a line.
    #[must_use]
    pub fn answers(&self) -> String {
        let all: Vec<String> =
            self.answers.iter().map(|(answer, count)| format!("{count} × {answer}")).collect();
        all.join(", ")
    }

    /// The counts of what is wrong, for the line about a planted bug.
    #[must_use]
    pub fn caught(&self) -> String {
        let counts =
            [(self.lost, "lost"), (self.twice, "twice"), (self.gaps, "gaps"), (self.differ, "differ")];
        let counted = counts.iter().filter(|(count, _)| *count > 0);
        let counted: Vec<String> = counted.map(|(count, what)| format!("{count} {what}")).collect();
        counted.join(", ")
    }

    /// A line of the table.
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
