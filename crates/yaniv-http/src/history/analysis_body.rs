//! What the look-ahead thinks of the decisions of a round.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use yaniv_app::history::round_analysis::{Decision, RoundAnalysis};
use yaniv_engine::{Action, Draw};

use crate::match_view::table_body::DrawFrom;
use crate::values::card_code::{CardCode, codes};

/// What the look-ahead of the bots thinks of the decisions of a round that is over. Costs are points of the score sheet, by its own
/// estimate (docs/history.md).
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RoundAnalysis)]
pub struct RoundAnalysisBody {
    /// The server's time when it answered. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// Number of the round, from 1.
    #[schema(minimum = 1, maximum = 1000, examples(1))]
    pub round: i32,
    /// Level of the bot that was asked.
    #[schema(max_length = 16, examples("hard"))]
    pub level: String,
    /// What was decided, oldest first.
    #[schema(max_items = 1000)]
    pub decisions: Vec<AnalysedDecisionBody>,
    /// The round has more decisions than are looked at.
    pub truncated: bool,
}

/// A decision: an action that the match waited for. Slam-downs, requests for a card and resignations are none.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AnalysedDecision)]
pub struct AnalysedDecisionBody {
    /// Its entry of the log.
    #[schema(minimum = 1, examples(5))]
    pub version: i32,
    /// Whose it was.
    #[schema(minimum = 0, maximum = 9, examples(0))]
    pub seat: i32,
    /// What did it in the player's place, as in `LogEntry`. Left out where the player did it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, pattern = "^[a-z_]+$", examples("absent"))]
    pub automatic: Option<String>,
    /// What was done.
    pub played: AnalysedActionBody,
    /// By how many points that is thought to be worse than what the look-ahead would have done, which is the first of `considered`.
    /// Left out where there is no estimate, as for a call over the limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, examples(1.25))]
    pub cost: Option<f64>,
    /// What the look-ahead would have done, and what it weighed besides, the best first: five at most.
    #[schema(min_items = 1, max_items = 5)]
    pub considered: Vec<ConsideredActionBody>,
}

/// An action that was considered.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ConsideredAction)]
pub struct ConsideredActionBody {
    /// The action.
    pub action: AnalysedActionBody,
    /// By how many points it is thought to be worse than the best; 0 for that.
    #[schema(minimum = 0, examples(0.0))]
    pub cost: f64,
}

/// An action, before it is known what comes of it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AnalysedAction)]
pub struct AnalysedActionBody {
    /// What it is: `play`, `call`, `pass`, `expose`, `challenge`, `swap`, `stay`, `give`, `keep`; `resign`, where a round would never end.
    /// New types may come.
    #[serde(rename = "type")]
    #[schema(max_length = 32, pattern = "^[a-z_]+$", examples("play"))]
    pub kind: String,
    /// The cards of a `play`, in the order thrown; empty for all others.
    #[schema(max_items = 20)]
    pub cards: Vec<CardCode>,
    /// Where a `play` draws from.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub draw_from: Option<DrawFrom>,
    /// The card of the pile that a `play` draws.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub draw_card: Option<CardCode>,
}

impl From<&RoundAnalysis> for RoundAnalysisBody {
    fn from(analysis: &RoundAnalysis) -> Self {
        Self {
            server_time: None,
            round: i32::from(analysis.round),
            level: yaniv_bot::Level::Hard.to_string(),
            decisions: analysis.decisions.iter().map(AnalysedDecisionBody::from).collect(),
            truncated: analysis.truncated,
        }
    }
}

impl From<&Decision> for AnalysedDecisionBody {
    fn from(decision: &Decision) -> Self {
        let considered = decision.considered.iter().map(|(action, cost)| ConsideredActionBody {
            action: AnalysedActionBody::from(action),
            cost: rounded(*cost),
        });
        Self {
            version: decision.version,
            seat: i32::from(decision.seat.number()),
            automatic: decision.origin.name().map(str::to_owned),
            played: AnalysedActionBody::from(&decision.played),
            cost: decision.cost.map(rounded),
            considered: considered.collect(),
        }
    }
}

impl From<&Action> for AnalysedActionBody {
    fn from(action: &Action) -> Self {
        let kind = action.kind().to_owned();
        let Action::Play { cards, draw } = action else {
            return Self { kind, cards: Vec::new(), draw_from: None, draw_card: None };
        };
        let (draw_from, draw_card) = match draw {
            Draw::Stock => (DrawFrom::Stock, None),
            Draw::Pile(card) => (DrawFrom::Pile, Some(CardCode(*card))),
            Draw::Nothing => (DrawFrom::Nothing, None),
        };
        Self { kind, cards: codes(cards.iter().copied()), draw_from: Some(draw_from), draw_card }
    }
}

/// To hundredths of a point: more would look like more than is known.
fn rounded(points: f64) -> f64 {
    (points * 100.0).round() / 100.0
}
