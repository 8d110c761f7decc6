//! Errors of a match: refused events and damaged data. Errors of use cases are in `yaniv_app`.

use yaniv_engine::{BadRules, PlayError};

/// Refusal of an event, or damaged data. The state is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// The rules do not allow the action.
    #[error("the rules refuse the action: {}", .0.detail)]
    Rejected(PlayError),
    /// The match waits for players; no cards are dealt.
    #[error("the match has not started")]
    NotStarted,
    /// The rules are not valid, or not valid for this number of players.
    #[error(transparent)]
    BadRules(#[from] BadRules),
    /// Stored data that this version of the program cannot have written.
    #[error("stored data is damaged: {0}")]
    Damaged(String),
}

impl MatchError {
    /// A `Damaged` error.
    pub fn damaged(what: impl Into<String>) -> Self {
        Self::Damaged(what.into())
    }
}
