//! Analysis of a finished round: the bots' look-ahead evaluates each decision from the view of its seat.
//!
//! It is CPU-heavy: it runs in `matches::replay_pool`, and `history::analysis_cache` keeps the result.

use std::ops::ControlFlow;
use std::sync::Arc;

use yaniv_bot::expert::Expert;
use yaniv_bot::{Appraisal, Cost, History, Level, Sight, appraise};
use yaniv_engine::{Action, Match, Played, Rules, Seat};
use yaniv_match::MatchState;
use yaniv_match::event::{ActionEvent, LoggedEvent};
use yaniv_match::origin::ActionOrigin;
use yaniv_match::round_visitor::RoundVisitor;
use yaniv_model::ids::{AccountId, MatchId};

use crate::history::reasons::Reason;
use crate::kernel::boxed;
use crate::{ServiceError, Services};

/// Maximum number of analysed decisions of a round; longer rounds are truncated.
pub const MOST_DECISIONS: usize = 1_000;
/// Maximum number of alternatives shown per decision, best first.
pub const MOST_SHOWN: usize = 5;
/// Maximum number of decisions named as decisive.
pub const MOST_DECISIVE: usize = 3;
/// Smaller losses, in points, get no reason and are not decisive. Nor do losses below their error.
const SMALL: f64 = 1.0;

/// The analysis of a round.
#[derive(Debug)]
pub struct RoundAnalysis {
    /// Number of the round.
    pub round: u16,
    /// Decisions, oldest first.
    pub decisions: Vec<Decision>,
    /// Whether the round has further decisions.
    pub truncated: bool,
    /// Versions of the decisions that cost the most, at most three, the dearest first.
    pub decisive: Vec<i32>,
    /// The level of the bot that estimates.
    pub level: Level,
}

/// A decision: an action that the match waited for.
#[derive(Debug)]
pub struct Decision {
    /// Version of its log entry.
    pub version: i32,
    /// The deciding seat.
    pub seat: Seat,
    /// Origin of the action.
    pub origin: ActionOrigin,
    /// The action.
    pub played: Action,
    /// Estimated loss against the bot's choice; `None` without an estimate.
    pub cost: Option<Cost>,
    /// Why the bot's choice is better; `None` if the loss is small.
    pub reason: Option<Reason>,
    /// The bot's choice and its alternatives.
    pub considered: Vec<Considered>,
}

/// An action that was considered.
#[derive(Debug)]
pub struct Considered {
    /// The action.
    pub action: Action,
    /// Estimated loss in points against the bot's choice.
    pub cost: f64,
    /// Estimated chance to win the round, 0 to 1.
    pub chance: Option<f64>,
}

/// Visitor that evaluates each decision during a replay.
struct Judging {
    rules: Rules,
    history: History,
    analysis: RoundAnalysis,
}

impl Services {
    /// Analyses the decisions of a round.
    ///
    /// # Errors
    /// `MatchNotFound` unless the caller may read the match; `NotStarted`, `RoundNotFound`, `RoundNotOver`;
    /// `Busy`.
    #[boxed]
    pub async fn round_analysis(
        &self,
        account: AccountId,
        id: MatchId,
        round: u16,
    ) -> Result<Arc<RoundAnalysis>, ServiceError> {
        let state = self.match_to_read(account, id).await?;
        let game = state.game().ok_or(ServiceError::NotStarted)?;
        if !(1..=game.round()).contains(&round) {
            return Err(ServiceError::RoundNotFound);
        }
        let played = state.rounds().iter().find(|played| played.round == round);
        let played = played.ok_or(ServiceError::RoundNotOver)?;
        let key = (id.0, round, played.last_version, played.ended_at);
        if let Some(analysis) = self.analyses.get(&key) {
            return Ok(analysis);
        }
        let place = self.replay_pool.place(account)?;
        let judging = self.walk(&place, &state, round, Judging::new(&state, round)).await?;
        let mut analysis = judging.analysis;
        analysis.decisive = decisive(&analysis.decisions);
        let analysis = Arc::new(analysis);
        self.analyses.keep(key, &analysis);
        Ok(analysis)
    }
}

impl Judging {
    fn new(state: &MatchState, round: u16) -> Self {
        let level = if Expert::fitting(state.rules()).is_some() { Level::Expert } else { Level::Hard };
        let (decisions, decisive) = (Vec::new(), Vec::new());
        let analysis = RoundAnalysis { round, decisions, truncated: false, decisive, level };
        Self { rules: state.rules().clone(), history: History::new(round), analysis }
    }
}

impl RoundVisitor for Judging {
    fn before(&mut self, game: &Match, entry: &LoggedEvent, action: &ActionEvent) {
        // The match does not wait for slams, requests for a slam, or resignations.
        if matches!(action.action, Action::Slam { .. } | Action::Ask(_) | Action::Resign) {
            return;
        }
        if self.analysis.decisions.len() >= MOST_DECISIONS {
            self.analysis.truncated = true;
            return;
        }
        let view = game.view(Some(action.seat));
        let sight = Sight { view: &view, rules: &self.rules, seat: action.seat, history: &self.history };
        let list = appraise(&sight, Some(&action.action));
        let Some(best) = list.first() else { return };
        let cost = |one: &Appraisal| Cost::of(&sight, one, best);
        let played = list.iter().find(|one| is_same(&one.action, &action.action));
        let shown = list.iter().take(MOST_SHOWN);
        self.analysis.decisions.push(Decision {
            version: entry.version,
            seat: action.seat,
            origin: action.origin,
            played: action.action.clone(),
            cost: played.map(cost),
            reason: played.filter(|one| counts(&cost(one))).and_then(|one| Reason::find(&sight, one, best)),
            considered: shown
                .map(|one| Considered {
                    action: one.action.clone(),
                    cost: cost(one).points,
                    chance: one.chance,
                })
                .collect(),
        });
    }

    fn after(&mut self, _: &Match, _: &LoggedEvent, action: &ActionEvent, _: &Played) -> ControlFlow<()> {
        self.history.note(action.seat, &action.action, action.slammed(), action.recycled);
        if self.analysis.truncated { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Whether a loss is large enough to speak of.
fn counts(cost: &Cost) -> bool {
    cost.points >= SMALL.max(cost.points_error.unwrap_or(0.0))
}

/// The versions of the decisions that cost the most, the dearest first, without small losses.
fn decisive(decisions: &[Decision]) -> Vec<i32> {
    let cost = |decision: &Decision| {
        let cost = decision.cost.filter(counts)?;
        Some((cost.points, decision.version))
    };
    let mut costs: Vec<(f64, i32)> = decisions.iter().filter_map(cost).collect();
    costs.sort_by(|(one, first), (other, second)| other.total_cmp(one).then(first.cmp(second)));
    costs.into_iter().take(MOST_DECISIVE).map(|(_, version)| version).collect()
}

/// Whether two actions are the same decision: the word of a call does not matter.
fn is_same(one: &Action, other: &Action) -> bool {
    one == other || matches!((one, other), (Action::Call { .. }, Action::Call { .. }))
}
