//! Card requests and offers to exchange hands.

use yaniv_engine::{Action, Card, Legal};

use crate::dice::Dice;
use crate::estimate::Worth;
use crate::hands::{Weights, cost};
use crate::level::Level;
use crate::sight::Sight;
use crate::unseen::Unseen;

/// What somebody who asks for a card is thought to gain by it.
const ASKED: f64 = 3.0;
/// A card is asked for when it makes the hand better by so much; whoever is asked may keep it.
const WORTH_ASKING: f64 = 2.0;
/// What another hand has to be better by before it is taken unseen.
const WORTH_SWAPPING: f64 = 6.0;

/// Whether to give the card that was asked for, or to take it.
pub(crate) fn request(sight: &Sight<'_>, level: Level) -> Action {
    let Some((_, card)) = sight.view.request else {
        return Action::Keep;
    };
    let keeps = match level {
        Level::Easy => sight.rules.card_points(card) <= 3,
        Level::Medium | Level::Hard => gain(sight, level, card) > -ASKED,
    };
    if keeps { Action::Keep } else { Action::Give }
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
    let caller = sight.others().find(|other| Some(other.seat) == sight.view.caller);
    let swaps = match (level, caller) {
        (Level::Easy, _) => dice.one_in(8),
        (_, None) => false,
        (_, Some(caller)) => {
            let theirs = Worth::of(caller, unseen, sight.rules).mean();
            let limit = f64::from(sight.rules.options().call_limit.unwrap_or(0));
            f64::from(sight.points()) > theirs.max(limit + 1.0) + WORTH_SWAPPING
        }
    };
    if swaps { Action::Swap } else { Action::Stay }
}

/// How much better the hand is with one card more.
fn gain(sight: &Sight<'_>, level: Level, card: Card) -> f64 {
    let weights = Weights::of(level);
    let mut hand = sight.hand().to_vec();
    let before = cost(sight, weights, &hand, false);
    hand.push(card);
    before - cost(sight, weights, &hand, false)
}
