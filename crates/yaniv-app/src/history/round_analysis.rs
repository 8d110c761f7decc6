//! Analysis of a finished round: the bots' look-ahead evaluates each decision from the view of its seat.
//!
//! It is CPU-heavy: it runs in `matches::replay_pool`, and `history::analysis_cache` keeps the result.

use std::ops::ControlFlow;
use std::sync::Arc;

use yaniv_bot::{Appraisal, History, Sight, appraise};
use yaniv_engine::{Action, Match, Played, Rules, Seat};
use yaniv_match::MatchState;
use yaniv_match::event::{ActionEvent, LoggedEvent};
use yaniv_match::origin::ActionOrigin;
use yaniv_match::round_visitor::RoundVisitor;
use yaniv_model::ids::{AccountId, MatchId};

use crate::kernel::boxed;
use crate::{ServiceError, Services};

/// Maximum number of analysed decisions of a round; longer rounds are truncated.
pub const MOST_DECISIONS: usize = 1_000;
/// Maximum number of alternatives shown per decision, best first.
pub const MOST_SHOWN: usize = 5;

/// The analysis of a round.
#[derive(Debug)]
pub struct RoundAnalysis {
    /// Number of the round.
    pub round: u16,
    /// Decisions, oldest first.
    pub decisions: Vec<Decision>,
    /// Whether the round has further decisions.
    pub truncated: bool,
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
    /// Estimated loss in points against the look-ahead's choice; `None` without an estimate.
    pub cost: Option<f64>,
    /// The look-ahead's choice and its alternatives, each with its estimated loss.
    pub considered: Vec<(Action, f64)>,
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
        let analysis = Arc::new(judging.analysis);
        self.analyses.keep(key, &analysis);
        Ok(analysis)
    }
}

impl Judging {
    fn new(state: &MatchState, round: u16) -> Self {
        let analysis = RoundAnalysis { round, decisions: Vec::new(), truncated: false };
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
        let Some(best) = list.first().map(|best| best.worth) else { return };
        let cost = |one: &Appraisal| (best - one.worth).max(0.0);
        self.analysis.decisions.push(Decision {
            version: entry.version,
            seat: action.seat,
            origin: action.origin,
            played: action.action.clone(),
            cost: list.iter().find(|one| is_same(&one.action, &action.action)).map(cost),
            considered: list.iter().take(MOST_SHOWN).map(|one| (one.action.clone(), cost(one))).collect(),
        });
    }

    fn after(&mut self, _: &Match, _: &LoggedEvent, action: &ActionEvent, _: &Played) -> ControlFlow<()> {
        self.history.note(action.seat, &action.action, action.slammed(), action.recycled);
        if self.analysis.truncated { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// Whether two actions are the same decision: the word of a call does not matter.
fn is_same(one: &Action, other: &Action) -> bool {
    one == other || matches!((one, other), (Action::Call { .. }, Action::Call { .. }))
}
