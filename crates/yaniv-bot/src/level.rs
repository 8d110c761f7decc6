//! The playing strength of a bot.

use std::fmt;
use std::str::FromStr;

/// The playing strength of a bot.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// As medium, with careless turns and careless calls.
    Easy,
    /// Considers each discard with each possible draw, one turn ahead.
    Medium,
    /// As medium; also counts cards, decides calls by the estimated hands of the others, and avoids discards that help
    /// the next player.
    Hard,
    /// Plays and calls by the value that trained networks give them; otherwise as hard.
    Expert,
}

impl Level {
    /// All levels, the weakest first.
    pub const ALL: [Level; 4] = [Level::Easy, Level::Medium, Level::Hard, Level::Expert];

    /// The written form.
    pub const fn as_str(self) -> &'static str {
        match self {
            Level::Easy => "easy",
            Level::Medium => "medium",
            Level::Hard => "hard",
            Level::Expert => "expert",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The error for a word that is not a level.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct NoLevel;

impl fmt::Display for NoLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a level is easy, medium, hard or expert")
    }
}

impl std::error::Error for NoLevel {}

impl FromStr for Level {
    type Err = NoLevel;

    fn from_str(text: &str) -> Result<Level, NoLevel> {
        Level::ALL.into_iter().find(|level| level.as_str() == text).ok_or(NoLevel)
    }
}
