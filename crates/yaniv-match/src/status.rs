//! Lifecycle status of a match.

use crate::error::MatchError;

/// Lifecycle status of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Waiting for players: they may join and leave.
    Waiting,
    /// In play.
    Running,
    /// Over, with a result.
    Finished,
    /// All players left before the start.
    Cancelled,
}

impl Status {
    /// The stored and printed form.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Finished => "finished",
            Self::Cancelled => "cancelled",
        }
    }

    /// Parses the stored form.
    ///
    /// # Errors
    /// `Damaged` if the text is not a status.
    pub fn parse(text: &str) -> Result<Self, MatchError> {
        [Self::Waiting, Self::Running, Self::Finished, Self::Cancelled]
            .into_iter()
            .find(|status| status.as_str() == text)
            .ok_or_else(|| MatchError::Damaged(format!("status {text}")))
    }
}
