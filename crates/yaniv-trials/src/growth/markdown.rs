//! Markdown tables.

use crate::load::results::number::{pretty, real};

/// A table, built row by row.
#[derive(Clone, Debug)]
pub struct Table {
    lines: Vec<String>,
}

impl Table {
    /// An empty table with these columns.
    #[must_use]
    pub fn new(columns: &[&str]) -> Self {
        let rule = format!("|{}", "---|".repeat(columns.len()));
        Self { lines: vec![format!("| {} |", columns.join(" | ")), rule] }
    }

    /// Adds a row.
    pub fn row<T: AsRef<str>>(&mut self, cells: &[T]) {
        let cells: Vec<&str> = cells.iter().map(AsRef::as_ref).collect();
        self.lines.push(format!("| {} |", cells.join(" | ")));
    }

    /// Prints it under a heading.
    pub fn print(&self, heading: &str) {
        println!("\n### {heading}\n\n{}", self.lines.join("\n"));
    }
}

/// Converts an integer of the database to a float.
#[must_use]
pub fn number(count: i64) -> f64 {
    real(u64::try_from(count).unwrap_or_default())
}

/// Megabytes.
#[must_use]
pub fn megabytes(bytes: i64) -> String {
    pretty(number(bytes) / 1_048_576.0)
}
