//! A match in play with the public events of its round.

use yaniv_bot::{History, Sight};
use yaniv_engine::{Action, Match, Played, RoundResult, Rules, Seat, SeatView, SeedChain, Shuffler};

use crate::learner::Outcome;

/// A match between bots.
#[derive(Clone)]
pub(crate) struct Table {
    pub(crate) state: Match,
    shuffler: Shuffler,
    pub(crate) history: History,
}

impl Table {
    /// Deals; the same seed gives the same cards.
    pub(crate) fn deal(rules: &Rules, players: u8, seed: u64) -> Option<Table> {
        let mut root = [0; 32];
        root[..8].copy_from_slice(&seed.to_le_bytes());
        let client_seeds = vec![String::new(); usize::from(players)];
        let shuffler = Shuffler::new(SeedChain::new(root), "training", &client_seeds);
        let state = Match::start(rules, players, &shuffler).ok()?;
        Some(Table { history: History::new(state.round()), state, shuffler })
    }

    pub(crate) fn sight<'a>(&'a self, view: &'a SeatView, seat: Seat) -> Sight<'a> {
        Sight { view, rules: self.state.rules(), seat, history: &self.history }
    }

    /// Plays an action; `None` if it is refused.
    pub(crate) fn play(&mut self, seat: Seat, action: &Action) -> Option<Played> {
        let played = self.state.play(seat, action, &self.shuffler).ok()?;
        self.history.note(seat, action, None, played.recycled);
        if self.history.round() != self.state.round() {
            self.history = History::new(self.state.round());
        }
        Some(played)
    }

    /// The seats that are not out.
    pub(crate) fn active(&self) -> Vec<Seat> {
        (0..self.state.players()).map(Seat::new).filter(|seat| !self.state.is_out(*seat)).collect()
    }
}

/// The outcome of a round for a seat, of those that took part.
#[expect(clippy::as_conversions, reason = "scores are exact in a float")]
pub(crate) fn outcome(result: &RoundResult, active: &[Seat], seat: Seat) -> Outcome {
    let score = |seat: Seat| result.scores.get(seat.index()).copied().unwrap_or(0);
    let own = score(seat);
    let others: Vec<i32> = active.iter().filter(|one| **one != seat).map(|one| score(*one)).collect();
    let mean = others.iter().sum::<i32>() as f32 / others.len().max(1) as f32;
    let least = others.iter().copied().min().unwrap_or(i32::MAX);
    let ties = others.iter().filter(|score| **score == own).count();
    let wins = if own <= least { 1.0 / (ties + 1) as f32 } else { 0.0 };
    [(mean - own as f32) / yaniv_bot::expert::POINTS_SCALE as f32, wins]
}
