//! Analysis of the decisions of a round.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use yaniv_app::history::round_analysis::{Decision, RoundAnalysis};
use yaniv_engine::{Action, Draw};

use crate::match_view::table_body::DrawFrom;
use crate::values::card_code::{CardCode, codes};

/// Analysis of the decisions of a finished round by the bots' look-ahead. Costs are score points, as estimated by it
/// (docs/history.md).
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
    /// Level of the analysing bot.
    #[schema(max_length = 16, examples("hard"))]
    pub level: String,
    /// The decisions, oldest first.
    #[schema(max_items = 1000)]
    pub decisions: Vec<AnalysedDecisionBody>,
    /// Whether the round has more decisions than were analysed.
    pub truncated: bool,
}

/// A decision: an action that the match waited for, so no slam-down, request for a card or resignation.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AnalysedDecision)]
pub struct AnalysedDecisionBody {
    /// Version of its log entry.
    #[schema(minimum = 1, examples(5))]
    pub version: i32,
    /// Seat that decided.
    #[schema(minimum = 0, maximum = 9, examples(0))]
    pub seat: i32,
    /// What acted for the player, as in `LogEntry`. Left out if the player acted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, pattern = "^[a-z_]+$", examples("absent"))]
    pub automatic: Option<String>,
    /// The action taken.
    pub played: AnalysedActionBody,
    /// Estimated loss in points against the best action, the first of `considered`. Left out if there is no estimate,
    /// as for a call over the limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, examples(1.25))]
    pub cost: Option<f64>,
    /// The best action by the look-ahead and its alternatives, best first, at most five.
    #[schema(min_items = 1, max_items = 5)]
    pub considered: Vec<ConsideredActionBody>,
}

/// An action that was considered.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ConsideredAction)]
pub struct ConsideredActionBody {
    /// The action.
    pub action: AnalysedActionBody,
    /// Estimated loss in points against the best action, for which it is 0.
    #[schema(minimum = 0, examples(0.0))]
    pub cost: f64,
}

/// An action, without its outcome.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AnalysedAction)]
pub struct AnalysedActionBody {
    /// `play`, `call`, `pass`, `expose`, `challenge`, `swap`, `stay`, `give`, `keep`; `resign`, if the round would
    /// never end. New types may be added.
    #[serde(rename = "type")]
    #[schema(max_length = 32, pattern = "^[a-z_]+$", examples("play"))]
    pub kind: String,
    /// The cards of a `play`, in the order thrown; empty for other types.
    #[schema(max_items = 20)]
    pub cards: Vec<CardCode>,
    /// Where a `play` draws from. Left out for other types.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub draw_from: Option<DrawFrom>,
    /// The card that a `play` draws from the pile. Left out otherwise.
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

/// Rounds to hundredths of a point: more digits would suggest more precision than there is.
fn rounded(points: f64) -> f64 {
    (points * 100.0).round() / 100.0
}
