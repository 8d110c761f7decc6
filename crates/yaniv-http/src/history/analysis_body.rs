//! Analysis of the decisions of a round.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use yaniv_app::history::reasons::Reason;
use yaniv_app::history::round_analysis::{Considered, Decision, RoundAnalysis};
use yaniv_engine::{Action, Draw};

use crate::match_view::table_body::DrawFrom;
use crate::values::card_code::{CardCode, codes};

/// Analysis of the decisions of a finished round by a bot.
///
/// Costs are score points, as estimated by it; with level `expert`, a reduction or elimination counts by what it is worth
/// for the match (docs/history.md).
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
    /// Level of the analysing bot: `expert` for rules that its networks were trained for, otherwise `hard`.
    #[schema(max_length = 16, examples("expert"))]
    pub level: String,
    /// The decisions, oldest first.
    #[schema(max_items = 1000)]
    pub decisions: Vec<AnalysedDecisionBody>,
    /// Whether the round has more decisions than were analysed.
    pub truncated: bool,
    /// Versions of the decisions that cost the most, the dearest first: those that decided the round. Losses below one
    /// point, or below their error, are not listed.
    #[schema(max_items = 3, examples(json!([12])))]
    pub decisive: Vec<i32>,
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
    /// Typical error of `cost`, in points, measured for decisions of this kind (docs/bots.md). 0 for the best action. Left
    /// out if it is not known, as with level `hard`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, examples(0.6))]
    pub cost_error: Option<f64>,
    /// Estimated loss of the chance to have the lowest score of the round, against the best action. Left out if there is
    /// no estimate, as with level `hard`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 1, examples(0.08))]
    pub chance_cost: Option<f64>,
    /// The same for `chance_cost`. Left out as `chance_cost`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 1, examples(0.03))]
    pub chance_cost_error: Option<f64>,
    /// Why the best action is better than the one taken. Left out if it costs less than one point or than the
    /// error, and for answers to others.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub reason: Option<AnalysisReasonBody>,
    /// The best action by the bot's estimate and its alternatives, best first, at most five.
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
    /// Estimated chance to have the lowest score of the round. Left out if there is no estimate, as with level `hard`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 1, examples(0.62))]
    pub chance: Option<f64>,
}

/// Why one action is better than another: a code with figures, to be put into words.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AnalysisReason)]
pub struct AnalysisReasonBody {
    /// `call`: a call was better; `no_call`: playing on was better; `draw`: the same cards with another draw;
    /// `points_left`: other cards leave fewer points; `cards_kept`: other cards leave better ones; `fewer_points`: one of the
    /// first three, which loses fewer points on average, though it wins the round less often. New codes may be added.
    #[schema(max_length = 32, pattern = "^[a-z_]+$", examples("no_call"))]
    pub code: String,
    /// Chance to have the lowest score of the round with the action taken. Left out with the codes `points_left` and
    /// `cards_kept`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 1, examples(0.41))]
    pub chance: Option<f64>,
    /// The same with the better action.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 1, examples(0.58))]
    pub better_chance: Option<f64>,
    /// Points that the action taken leaves in the hand, before the draw. Only with the codes `points_left` and
    /// `cards_kept`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, examples(14))]
    pub points_left: Option<i32>,
    /// The same with the better action.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, examples(9))]
    pub better_points_left: Option<i32>,
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
            level: analysis.level.to_string(),
            decisions: analysis.decisions.iter().map(AnalysedDecisionBody::from).collect(),
            truncated: analysis.truncated,
            decisive: analysis.decisive.clone(),
        }
    }
}

impl From<&Decision> for AnalysedDecisionBody {
    fn from(decision: &Decision) -> Self {
        Self {
            version: decision.version,
            seat: i32::from(decision.seat.number()),
            automatic: decision.origin.name().map(str::to_owned),
            played: AnalysedActionBody::from(&decision.played),
            cost: decision.cost.map(|cost| rounded(cost.points)),
            cost_error: decision.cost.and_then(|cost| cost.points_error).map(rounded),
            chance_cost: decision.cost.and_then(|cost| cost.chance).map(rounded_chance),
            chance_cost_error: decision.cost.and_then(|cost| cost.chance_error).map(rounded_chance),
            reason: decision.reason.as_ref().map(AnalysisReasonBody::from),
            considered: decision.considered.iter().map(ConsideredActionBody::from).collect(),
        }
    }
}

impl From<&Considered> for ConsideredActionBody {
    fn from(considered: &Considered) -> Self {
        Self {
            action: AnalysedActionBody::from(&considered.action),
            cost: rounded(considered.cost),
            chance: considered.chance.map(rounded_chance),
        }
    }
}

impl From<&Reason> for AnalysisReasonBody {
    fn from(reason: &Reason) -> Self {
        let chance =
            |which: usize| reason.chances.and_then(|both| both.get(which).copied()).map(rounded_chance);
        let left = |which: usize| reason.points_left.and_then(|both| both.get(which).copied()).map(i32::from);
        Self {
            code: reason.code.to_owned(),
            chance: chance(0),
            better_chance: chance(1),
            points_left: left(0),
            better_points_left: left(1),
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

/// Rounds to thousandths.
fn rounded_chance(chance: f64) -> f64 {
    (chance * 1000.0).round() / 1000.0
}

/// Rounds to hundredths of a point: more digits would suggest more precision than there is.
fn rounded(points: f64) -> f64 {
    (points * 100.0).round() / 100.0
}
