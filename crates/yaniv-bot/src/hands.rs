//! What a hand is worth to its holder: its points, and what is left of them after the next turn.

use yaniv_engine::{Card, Pickup, Rules};

use crate::level::Level;
use crate::sight::Sight;

/// What a hand is judged by.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Weights {
    /// What a point in the hand costs beside what is left after the next turn: somebody else may call before.
    held: f64,
    /// What it is worth to be able to call at the next turn.
    callable: f64,
    /// How much a gift to the next player counts.
    pub(crate) feed: f64,
}

impl Weights {
    /// Those of a level.
    pub(crate) fn of(level: Level) -> Weights {
        match level {
            Level::Easy | Level::Medium => Weights { held: 0.35, callable: 2.5, feed: 0.0 },
            Level::Hard => Weights { held: 0.25, callable: 2.5, feed: 0.25 },
        }
    }
}

/// What it costs to have these cards at the end of a turn. In a final turn it is what they are worth.
pub(crate) fn cost(sight: &Sight<'_>, weights: Weights, hand: &[Card], last_turn: bool) -> f64 {
    let points = sight.rules.points(hand);
    if last_turn {
        return f64::from(points);
    }
    let left = points.saturating_sub(sight.rules.heaviest_discard(hand));
    let callable = if sight.within_limit(points) { weights.callable } else { 0.0 };
    f64::from(left) + weights.held * f64::from(points) - callable
}

/// These cards without some of them, each taken once.
pub(crate) fn without(hand: &[Card], thrown: &[Card]) -> Vec<Card> {
    let mut left = hand.to_vec();
    for card in thrown {
        if let Some(place) = left.iter().position(|here| here == card) {
            left.swap_remove(place);
        }
    }
    left
}

/// What of a discard the next player could pick up.
pub(crate) fn offered(rules: &Rules, discard: &[Card]) -> Vec<Card> {
    let one_rank = discard.iter().filter_map(|card| card.rank()).min()
        == discard.iter().filter_map(|card| card.rank()).max();
    let ends = || [discard.first(), discard.last()].into_iter().flatten().copied().collect();
    match rules.options().pickup {
        Pickup::Any => discard.to_vec(),
        Pickup::EndsOfRuns if discard.len() <= 2 || one_rank => discard.to_vec(),
        Pickup::Ends | Pickup::EndsOfRuns => ends(),
        Pickup::Top => discard.last().copied().into_iter().collect(),
    }
}
