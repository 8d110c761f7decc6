//! A finished round, with nothing hidden. The round in play is in the engine's position.

use chrono::{DateTime, Utc};
use yaniv_engine::{RecordResult, Seat};

/// A finished round.
#[derive(Clone, Debug)]
pub struct FinishedRound {
    /// Number of the round, from 1.
    pub round: u16,
    /// Seat that played first.
    pub starter: Seat,
    /// Version of the action that ended it.
    pub last_version: i32,
    /// The result; `None` if the round ended unscored.
    pub result: Option<RecordResult>,
    /// When it ended.
    pub ended_at: DateTime<Utc>,
}
