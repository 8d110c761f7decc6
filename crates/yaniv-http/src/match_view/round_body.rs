//! Finished rounds, and the result of a match.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use yaniv_engine::MatchResult;
use yaniv_match::finished_round::{FinishedRound, RoundScore};

use crate::values::card_code::{CardCode, codes};

/// A finished round, with all hands open. Lists by seat have an entry for each seat of the match.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Round)]
pub struct RoundBody {
    /// Number of the round, from 1.
    #[schema(minimum = 1, maximum = 1000, examples(1))]
    pub round: i32,
    /// Seat that played first.
    #[schema(minimum = 0, maximum = 9, examples(0))]
    pub starter: i32,
    /// When the round ended.
    #[serde(serialize_with = "crate::values::time::print")]
    pub ended_at: DateTime<Utc>,
    /// Version of the action that ended it.
    #[schema(minimum = 1, examples(17))]
    pub last_version: i32,
    /// The scores. Left out if the round was not scored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub result: Option<RoundResultBody>,
}

/// The scores of a round. `hands`, `points`, `scores` and `totals` are by seat, from seat 0.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = RoundResult)]
pub struct RoundResultBody {
    /// Seat that called.
    #[schema(minimum = 0, maximum = 9, examples(0))]
    pub caller: i32,
    /// Whether the call was right. `false`: Asaf, or a call that the rules count as wrong whatever the others hold.
    pub call_right: bool,
    /// Hand of each seat at the end.
    #[schema(max_items = 10)]
    pub hands: Vec<Vec<CardCode>>,
    /// Points of each hand.
    #[schema(max_items = 10)]
    pub points: Vec<i32>,
    /// Score of each seat in the round.
    #[schema(max_items = 10)]
    pub scores: Vec<i32>,
    /// Total of each seat after the round.
    #[schema(max_items = 10)]
    pub totals: Vec<i32>,
    /// Seats whose total was reduced. Left out if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, max_items = 10)]
    pub reduced: Vec<i32>,
    /// Seats that went out. Left out if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, max_items = 10)]
    pub out: Vec<i32>,
}

/// A line of the score sheet.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = RoundScore)]
pub struct RoundScoreBody {
    /// Number of the round, from 1.
    #[schema(minimum = 1, maximum = 1000, examples(1))]
    pub round: i32,
    /// Seat that called. Left out if the round was not scored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 9, examples(0))]
    pub caller: Option<i32>,
    /// Score of each seat in the round; empty if it was not scored.
    #[schema(max_items = 10)]
    pub scores: Vec<i32>,
    /// Total of each seat after the round; empty if it was not scored.
    #[schema(max_items = 10)]
    pub totals: Vec<i32>,
}

/// All finished rounds of a match.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RoundList)]
pub struct RoundListBody {
    /// The server's time when it answered. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// Oldest first.
    #[schema(max_items = 1000)]
    pub items: Vec<RoundBody>,
}

/// Result of a match.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = MatchResult)]
pub struct MatchResultBody {
    /// Seat that won. Left out if the win is shared.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 9, examples(0))]
    pub winner: Option<i32>,
    /// Place of each seat, 1 is the best; places can be shared.
    #[schema(max_items = 10)]
    pub ranking: Vec<i32>,
}

impl From<&FinishedRound> for RoundBody {
    fn from(round: &FinishedRound) -> Self {
        Self {
            round: i32::from(round.round),
            starter: i32::from(round.starter.number()),
            ended_at: round.ended_at,
            last_version: round.last_version,
            result: round.score.as_ref().map(RoundResultBody::from),
        }
    }
}

impl From<&RoundScore> for RoundResultBody {
    fn from(score: &RoundScore) -> Self {
        let result = &score.result;
        Self {
            caller: i32::from(result.caller.number()),
            call_right: score.is_call_right(),
            hands: result.hands.iter().map(|hand| codes(hand.iter().copied())).collect(),
            points: result.points.clone(),
            scores: result.scores.clone(),
            totals: result.totals.clone(),
            reduced: result.reduced.iter().map(|seat| i32::from(seat.number())).collect(),
            out: result.out.iter().map(|seat| i32::from(seat.number())).collect(),
        }
    }
}

impl From<&FinishedRound> for RoundScoreBody {
    fn from(round: &FinishedRound) -> Self {
        let result = round.score.as_ref().map(|score| &score.result);
        Self {
            round: i32::from(round.round),
            caller: result.map(|result| i32::from(result.caller.number())),
            scores: result.map(|result| result.scores.clone()).unwrap_or_default(),
            totals: result.map(|result| result.totals.clone()).unwrap_or_default(),
        }
    }
}

impl From<&MatchResult> for MatchResultBody {
    fn from(result: &MatchResult) -> Self {
        Self {
            winner: result.winner.map(|seat| i32::from(seat.number())),
            ranking: result.ranking.iter().map(|&place| i32::from(place)).collect(),
        }
    }
}
