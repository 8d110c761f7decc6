//! Estimates of other hands: the distribution of the points of a hand of which some cards are known and the rest are
//! unseen.

#![expect(
    clippy::indexing_slicing,
    reason = "places are below the lengths of the tables that were just made"
)]

use yaniv_engine::{Card, PublicSeat, Rules};

use crate::unseen::Unseen;

/// Highest number of cards considered one by one; the rest of a longer hand is ignored, as no player calls against it.
const MOST_CARDS: usize = 8;
/// Upper bound of distinguished points: no player calls with more.
const MOST_POINTS: usize = 80;

/// Decrease of the probability that a card is held, per point, after one turn of the holder: players discard heavy
/// cards.
const THROWN: f64 = 0.965;
/// Number of turns after which the hand no longer gets lighter.
const SETTLED: u16 = 6;

/// Probability that a hand has 0, 1, 2 … points; the last entry is for all higher values.
#[derive(Clone, Debug)]
pub(crate) struct Worth(Vec<f64>);

impl Worth {
    /// The distribution of a player's hand.
    pub(crate) fn of(seat: &PublicSeat, unseen: &Unseen, rules: &Rules) -> Worth {
        let known = unseen.known(seat.seat);
        let hidden = usize::from(seat.cards).saturating_sub(known.len()).min(MOST_CARDS);
        let base = THROWN.powi(i32::from(seat.turns.min(SETTLED)));
        let ways = ways(unseen, rules, hidden, base);
        let shift = usize::from(rules.points(known));
        let mut worth = vec![0.0; MOST_POINTS + 1];
        let all: f64 = ways.iter().sum();
        if all <= 0.0 {
            // Unseen cards are unknown: the history is incomplete.
            worth[shift.min(MOST_POINTS)] = 1.0;
            return Worth(worth);
        }
        for (points, way) in ways.iter().enumerate() {
            worth[(points + shift).min(MOST_POINTS)] += way / all;
        }
        Worth(worth)
    }

    /// Probability of fewer than this number of points.
    pub(crate) fn below(&self, points: u16) -> f64 {
        self.0.iter().take(usize::from(points)).sum()
    }

    /// The mean.
    pub(crate) fn mean(&self) -> f64 {
        self.0.iter().zip(0_u32..).map(|(share, points)| share * f64::from(points)).sum()
    }

    /// The distribution, given at most this number of points.
    pub(crate) fn at_most(mut self, points: u16) -> Worth {
        self.0.truncate(usize::from(points) + 1);
        let left: f64 = self.0.iter().sum();
        if left > 0.0 {
            self.0.iter_mut().for_each(|share| *share /= left);
        } else if let Some(last) = self.0.last_mut() {
            *last = 1.0;
        }
        self
    }

    /// The distribution with fewer points, after one more turn.
    pub(crate) fn less(mut self, points: usize) -> Worth {
        let cut = points.min(self.0.len().saturating_sub(1));
        let low: f64 = self.0.drain(..cut).sum();
        if let Some(first) = self.0.first_mut() {
            *first += low;
        }
        self
    }
}

/// Weights of all choices of this number of unseen cards, by their points.
fn ways(unseen: &Unseen, rules: &Rules, cards: usize, base: f64) -> Vec<f64> {
    let mut table = vec![vec![0.0; MOST_POINTS + 1]; cards + 1];
    table[0][0] = 1.0;
    let each = |(card, count): (Card, u8)| std::iter::repeat_n(card, usize::from(count));
    for card in unseen.kinds().flat_map(each) {
        let points = rules.card_points(card);
        let weight = base.powi(i32::from(points));
        let points = usize::from(points);
        for taken in (0..cards).rev() {
            for sum in (0..=MOST_POINTS).rev() {
                let way = table[taken][sum];
                if way > 0.0 {
                    table[taken + 1][(sum + points).min(MOST_POINTS)] += way * weight;
                }
            }
        }
    }
    table.pop().unwrap_or_default()
}
