//! Measurements of a trial, each with its bound.

use std::fmt::Display;
use std::time::Duration;

/// One figure.
#[derive(Clone, Debug)]
struct Figure {
    what: String,
    measured: String,
    bound: String,
    holds: bool,
}

/// The figures of a trial.
#[derive(Clone, Debug, Default)]
pub struct Figures(Vec<Figure>);

impl Figures {
    /// Adds a figure, and whether it is within its bound.
    pub fn add(
        &mut self,
        what: impl Into<String>,
        measured: impl Display,
        bound: impl Into<String>,
        holds: bool,
    ) {
        let (what, bound) = (what.into(), bound.into());
        self.0.push(Figure { what, measured: measured.to_string(), bound, holds });
    }

    /// An upper bound of a count.
    pub fn at_most(&mut self, what: impl Into<String>, measured: usize, most: usize) {
        self.add(what, measured, format!("≤ {most}"), measured <= most);
    }

    /// A lower bound of a count: below it, the trial has tested nothing.
    pub fn at_least(&mut self, what: impl Into<String>, measured: usize, least: usize) {
        self.add(what, measured, format!("≥ {least}"), measured >= least);
    }

    /// An upper bound of a duration.
    pub fn within(&mut self, what: impl Into<String>, measured: Duration, most: Duration) {
        self.add(what, format!("{measured:.1?}"), format!("≤ {most:?}"), measured <= most);
    }

    /// A condition that must hold.
    pub fn require(&mut self, what: impl Into<String>, holds: bool) {
        self.add(what, if holds { "yes" } else { "no" }, "yes", holds);
    }

    /// Whether any bound is broken.
    #[must_use]
    pub fn is_red(&self) -> bool {
        self.0.iter().any(|figure| !figure.holds)
    }

    /// The broken bounds, on one line.
    #[must_use]
    pub fn broken(&self) -> String {
        let broken = self.0.iter().filter(|figure| !figure.holds);
        let broken: Vec<String> =
            broken.map(|figure| format!("{} {} ({})", figure.what, figure.measured, figure.bound)).collect();
        broken.join("; ")
    }

    /// Rows of the table.
    #[must_use]
    pub fn rows(&self, trial: &str) -> String {
        let row = |figure: &Figure| {
            let Figure { what, measured, bound, holds } = figure;
            let verdict = if *holds { "green" } else { "**red**" };
            format!("| {trial} | {what} | {measured} | {bound} | {verdict} |\n")
        };
        self.0.iter().map(row).collect()
    }
}

/// The head of the table.
pub const HEAD: &str = "| | what | measured | bound | verdict |\n|---|---|---|---|---|";
