//! Card requests and offers to exchange hands.

use yaniv_engine::{Action, Card, Legal};

use crate::dice::Dice;
use crate::estimate::Worth;
use crate::hands::{Weights, cost};
use crate::level::Level;
use crate::sight::Sight;
use crate::unseen::Unseen;

/// Estimated gain of the player who asks for a card, in points.
const ASKED: f64 = 3.0;
/// Minimum improvement of the hand for a request: the asked player may keep the card.
const WORTH_ASKING: f64 = 2.0;
/// Minimum advantage of another hand, which is taken unseen.
const WORTH_SWAPPING: f64 = 6.0;

/// Whether to give the requested card or to keep it.
pub(crate) fn request(sight: &Sight<'_>, level: Level) -> Action {
    let keeps = match (level, sight.view.request) {
        (Level::Easy, Some((_, card))) => sight.rules.card_points(card) <= 3,
        (Level::Easy, None) => true,
        (Level::Medium | Level::Hard | Level::Expert, _) => {
            keep_gain(sight, level).is_none_or(|gain| gain > 0.0)
        }
    };
    if keeps { Action::Keep } else { Action::Give }
}

/// How many points keeping the requested card is worth more than giving it; `None` without a request.
pub(crate) fn keep_gain(sight: &Sight<'_>, level: Level) -> Option<f64> {
    let (_, card) = sight.view.request?;
    Some(gain(sight, level, card) + ASKED)
}

/// A card to ask for, if one is worth it.
pub(crate) fn ask(sight: &Sight<'_>, legal: &Legal, level: Level) -> Option<Action> {
    if level == Level::Easy {
        return None;
    }
    let gains = legal.ask.iter().map(|card| (gain(sight, level, *card), *card));
    let (most, card) = gains.max_by(|(one, _), (other, _)| one.total_cmp(other))?;
    (most > WORTH_ASKING).then_some(Action::Ask(card))
}

/// Whether to exchange hands with a caller who is over the limit.
pub(crate) fn offer(sight: &Sight<'_>, unseen: &Unseen, level: Level, dice: &mut Dice) -> Action {
    let swaps = match level {
        Level::Easy => dice.one_in(8),
        Level::Medium | Level::Hard | Level::Expert => {
            swap_gain(sight, unseen).is_some_and(|gain| gain > 0.0)
        }
    };
    if swaps { Action::Swap } else { Action::Stay }
}

/// Estimated advantage of the caller's hand in points, less the margin for taking it unseen; `None` without a call.
pub(crate) fn swap_gain(sight: &Sight<'_>, unseen: &Unseen) -> Option<f64> {
    let caller = sight.others().find(|other| Some(other.seat) == sight.view.caller)?;
    let theirs = Worth::of(caller, unseen, sight.rules).mean();
    let limit = f64::from(sight.rules.options().call_limit.unwrap_or(0));
    Some(f64::from(sight.points()) - (theirs.max(limit + 1.0) + WORTH_SWAPPING))
}

/// Improvement of the hand by one more card.
fn gain(sight: &Sight<'_>, level: Level, card: Card) -> f64 {
    let weights = Weights::of(level);
    let mut hand = sight.hand().to_vec();
    let before = cost(sight, weights, &hand, false);
    hand.push(card);
    before - cost(sight, weights, &hand, false)
}
