//! What the look-ahead of the bots thinks of each decision of a round that is over, seeing what its seat saw. It takes a core for
//! some time: `replaying` says when, and keeps what came of it.

use std::sync::Arc;

use yaniv_bot::{Appraised, History, Sight, appraise};
use yaniv_engine::{Action, Card, Match, Played, Rules, Seat};

use super::cause::Cause;
use super::round_walk::{Onlooker, WalkedStep, walk};
use super::table::Table;
use super::{ServiceError, Services};
use crate::ids::{AccountId, MatchId};
use crate::store::actions::{FLAG_RECYCLED, action_list};

/// Decisions of a round that are looked at; longer rounds are cut off.
pub const MOST_DECISIONS: usize = 1_000;
/// Actions that are shown of each decision at most, the best ones.
pub const MOST_SHOWN: usize = 5;

/// What is thought of the decisions of a round.
#[derive(Debug)]
pub struct RoundAnalysis {
    /// Its number.
    pub round: u16,
    /// Oldest first.
    pub decisions: Vec<Decision>,
    /// The round has more.
    pub truncated: bool,
}

/// A decision: an action that the match waited for.
#[derive(Debug)]
pub struct Decision {
    /// Its entry of the log.
    pub version: i32,
    /// Whose it was.
    pub seat: Seat,
    /// Who or what has made it.
    pub cause: Cause,
    /// What was done.
    pub played: Action,
    /// By how many points that is thought to be worse than what the look-ahead would have done; none if it has no estimate.
    pub cost: Option<f64>,
    /// What the look-ahead would have done, and what it weighed besides, each with what it would have cost instead.
    pub considered: Vec<(Action, f64)>,
}

/// Looks at each decision while the round is played again.
struct Judging<'a> {
    rules: &'a Rules,
    history: History,
    analysis: RoundAnalysis,
}

impl Services {
    /// What is thought of the decisions of a round.
    ///
    /// # Errors
    /// `MatchNotFound` unless the caller may read the match; `NotStarted`, `RoundNotFound`, `RoundNotOver`; `Busy`.
    pub async fn round_analysis(
        &self,
        account: AccountId,
        id: MatchId,
        round: u16,
    ) -> Result<Arc<RoundAnalysis>, ServiceError> {
        let table = self.table_to_read(account, id).await?;
        let game = table.game.as_ref().ok_or(ServiceError::NotStarted)?;
        if !(1..=game.round()).contains(&round) {
            return Err(ServiceError::RoundNotFound);
        }
        let played = table.rounds.iter().find(|played| played.round == round);
        let played = played.ok_or(ServiceError::RoundNotOver)?;
        let key = (id.0, round, played.last_version, played.ended_at);
        if let Some(analysis) = self.replaying.analysis(&key) {
            return Ok(analysis);
        }
        let place = self.replaying.place(account)?;
        let rows = {
            let connection = self.store.connection().await?;
            action_list(&connection, id, 0, played.last_version, i64::MAX).await?
        };
        let of = Arc::clone(&table);
        let work = move || {
            let mut judging = Judging::new(&of, round);
            walk(&of, &rows, round, &mut judging)?;
            Ok(Arc::new(judging.analysis))
        };
        let analysis = self.replaying.run(place, work).await?;
        self.replaying.keep(key, &analysis);
        Ok(analysis)
    }
}

impl<'a> Judging<'a> {
    fn new(table: &'a Table, round: u16) -> Self {
        let analysis = RoundAnalysis { round, decisions: Vec::new(), truncated: false };
        Self { rules: table.rules(), history: History::new(round), analysis }
    }
}

impl Onlooker for Judging<'_> {
    fn before(&mut self, game: &Match, step: &WalkedStep<'_>) {
        // Nobody is waited for to slam a card down, to ask for one, or to leave.
        if matches!(step.action, Action::Slam { .. } | Action::Ask(_) | Action::Resign) {
            return;
        }
        if self.analysis.decisions.len() >= MOST_DECISIONS {
            self.analysis.truncated = true;
            return;
        }
        let view = game.view(Some(step.seat));
        let sight = Sight { view: &view, rules: self.rules, seat: step.seat, history: &self.history };
        let list = appraise(&sight, Some(step.action));
        let Some(best) = list.first().map(|best| best.worth) else { return };
        let cost = |one: &Appraised| (best - one.worth).max(0.0);
        self.analysis.decisions.push(Decision {
            version: step.row.version,
            seat: step.seat,
            cause: Cause::of(step.row.flags),
            played: step.action.clone(),
            cost: list.iter().find(|one| is_same(&one.action, step.action)).map(cost),
            considered: list.iter().take(MOST_SHOWN).map(|one| (one.action.clone(), cost(one))).collect(),
        });
    }

    fn after(&mut self, _: &Match, step: &WalkedStep<'_>, _: &Played) -> Result<(), ServiceError> {
        let shown = matches!(step.action, Action::Slam { .. });
        let drew = step.row.drew.iter().flatten().find(|_| shown);
        let slammed = drew.copied().and_then(Card::from_index);
        self.history.note(step.seat, step.action, slammed, step.row.flags & FLAG_RECYCLED != 0);
        Ok(())
    }
}

/// Whether two actions are the same decision: the word of a call is none.
fn is_same(one: &Action, other: &Action) -> bool {
    one == other || matches!((one, other), (Action::Call { .. }, Action::Call { .. }))
}
