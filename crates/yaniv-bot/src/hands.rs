//! The value of a hand to its holder: its points, and those left after the next turn.

use yaniv_engine::{Card, Pickup, Rules};

use crate::level::Level;
use crate::sight::Sight;

/// Weights of the estimate.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Weights {
    /// Cost of a point in the hand, beside those left after the next turn: another player may call before.
    held: f64,
    /// Value of being able to call at the next turn.
    callable: f64,
    /// Weight of what the next player gains from the discard.
    pub(crate) feed: f64,
}

impl Weights {
    /// The weights of a level.
    pub(crate) fn of(level: Level) -> Weights {
        match level {
            Level::Easy | Level::Medium => Weights { held: 0.35, callable: 2.5, feed: 0.0 },
            Level::Hard | Level::Expert => Weights { held: 0.25, callable: 2.5, feed: 0.25 },
        }
    }
}

/// Cost of holding these cards at the end of a turn. In a final turn, their points.
pub(crate) fn cost(sight: &Sight<'_>, weights: Weights, hand: &[Card], last_turn: bool) -> f64 {
    let points = sight.rules.points(hand);
    if last_turn {
        return f64::from(points);
    }
    let left = points.saturating_sub(sight.rules.heaviest_discard(hand));
    let callable = if sight.within_limit(points) { weights.callable } else { 0.0 };
    f64::from(left) + weights.held * f64::from(points) - callable
}

/// These cards without others, each removed once.
pub(crate) fn without(hand: &[Card], thrown: &[Card]) -> Vec<Card> {
    let mut left = hand.to_vec();
    for card in thrown {
        if let Some(place) = left.iter().position(|here| here == card) {
            left.swap_remove(place);
        }
    }
    left
}

/// Cards of a discard that the next player could pick up.
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
