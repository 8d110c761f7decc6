//! A finished round, with nothing hidden. The round in play is in the engine's position.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use yaniv_engine::{RecordResult, RoundResult, Seat};

/// A finished round.
#[derive(Clone, Debug)]
pub struct FinishedRound {
    /// Number of the round, from 1.
    pub round: u16,
    /// Seat that played first.
    pub starter: Seat,
    /// Version of the action that ended it.
    pub last_version: i32,
    /// The score; `None` if the round ended unscored.
    pub score: Option<RoundScore>,
    /// When it ended.
    pub ended_at: DateTime<Utc>,
}

/// The score of a round, as in the record, and whether the call was right. Stored as one JSON object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundScore {
    /// The score as in the record.
    #[serde(flatten)]
    pub result: RecordResult,
    /// Absent in rounds that were stored before it was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    call_right: Option<bool>,
}

impl RoundScore {
    /// Whether the call was right (rules §5). For a round that was stored without it: whether it cost nothing.
    pub fn is_call_right(&self) -> bool {
        let costs_nothing = || self.result.scores.get(self.result.caller.index()) == Some(&0);
        self.call_right.unwrap_or_else(costs_nothing)
    }

    /// Whether this stored score is the replayed one.
    pub fn is(&self, replayed: &Self) -> bool {
        self.result == replayed.result
            && (self.call_right.is_none() || self.call_right == replayed.call_right)
    }
}

impl From<&RoundResult> for RoundScore {
    fn from(result: &RoundResult) -> Self {
        Self { result: RecordResult::from(result), call_right: Some(result.right) }
    }
}
