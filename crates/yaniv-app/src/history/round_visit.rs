//! Replays a round from the log for a `RoundVisitor` in the replay pool. The visitors are in
//! `history::round_replay` and `history::round_analysis`.

use std::sync::Arc;

use yaniv_engine::Match;
use yaniv_match::MatchState;
use yaniv_match::round_visitor::{RoundReplay, RoundVisitor};

use crate::matches::fold_log::LogRange;
use crate::matches::replay_pool::ReplayPermit;
use crate::{ServiceError, Services};

impl Services {
    /// Replays a dealt round to its end or to its current state.
    ///
    /// # Errors
    /// `NotStarted`; `Busy`; damaged data.
    pub(crate) async fn walk<V: RoundVisitor + Send + 'static>(
        &self,
        place: &Arc<ReplayPermit>,
        state: &MatchState,
        round: u16,
        visitor: V,
    ) -> Result<V, ServiceError> {
        let shuffler = Arc::clone(state.shuffler().ok_or(ServiceError::NotStarted)?);
        let before = state.rounds().iter().rev().find(|played| played.round < round);
        let (after, game) = match before {
            Some(before) => {
                let dealt = self.at_version(place, state, before.last_version).await?;
                (before.last_version, dealt.game().cloned().ok_or(ServiceError::NotStarted)?)
            }
            None => {
                let players = u8::try_from(state.players().len()).map_err(ServiceError::internal)?;
                (0, Match::start(state.rules(), players, &shuffler)?)
            }
        };
        let over = state.rounds().iter().find(|played| played.round == round);
        let up_to = over.map_or(state.version(), |played| played.last_version);
        let range = LogRange { id: state.id(), after, up_to };
        let replay = RoundReplay::new(game, shuffler, visitor);
        let replay = self.work_through(place, range, replay, |replay, log, _| Ok(replay.play(log)?)).await?;
        Ok(replay.into_visitor())
    }
}
