//! Replays the events of one round, from its deal, for a [`RoundVisitor`], which gets the position before and
//! after each action. Loading and scheduling of replays are in `yaniv_app`.

use std::ops::ControlFlow;
use std::sync::Arc;

use yaniv_engine::{Match, Played, Shuffler};

use crate::error::MatchError;
use crate::event::{ActionEvent, LoggedEvent};

/// Visitor of a round during replay.
pub trait RoundVisitor {
    /// The round was dealt.
    fn dealt(&mut self, _: &Match) {}

    /// An action of the round is about to be played.
    fn before(&mut self, _: &Match, _: &LoggedEvent, _: &ActionEvent) {}

    /// The action was played. If it ended the round, the match is in the next round, or over. `Break` stops
    /// the replay.
    fn after(
        &mut self,
        game: &Match,
        entry: &LoggedEvent,
        action: &ActionEvent,
        played: &Played,
    ) -> ControlFlow<()>;
}

/// A replay of one round.
pub struct RoundReplay<V> {
    game: Match,
    shuffler: Arc<Shuffler>,
    visitor: V,
}

impl<V: RoundVisitor> RoundReplay<V> {
    /// Begins with the round just dealt.
    pub fn new(game: Match, shuffler: Arc<Shuffler>, mut visitor: V) -> Self {
        visitor.dealt(&game);
        Self { game, shuffler, visitor }
    }

    /// Replays the next events of the log; breaks at the end of the round, or when the visitor breaks.
    ///
    /// # Errors
    /// `Damaged` if the rules refuse an action.
    pub fn play(&mut self, events: &[LoggedEvent]) -> Result<ControlFlow<()>, MatchError> {
        for (entry, action) in events.iter().filter_map(|entry| Some((entry, entry.action()?))) {
            self.visitor.before(&self.game, entry, action);
            let played = self.game.play(action.seat, &action.action, &self.shuffler).map_err(|refused| {
                MatchError::Damaged(format!("action {}: {}", entry.version, refused.detail))
            })?;
            let flow = self.visitor.after(&self.game, entry, action, &played);
            if flow.is_break() || played.round_ended.is_some() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    /// Returns the visitor.
    pub fn into_visitor(self) -> V {
        self.visitor
    }
}
