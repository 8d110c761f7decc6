//! The inputs of a play: the own hand after the turn, and what it leaves to the next player.

use yaniv_engine::{Card, Draw};

use crate::expert::hand::{Hand, Values, place};
use crate::expert::inputs::{
    BEYOND_NEED, BEYOND_ROOM, CARDS, CARDS_LEFT, Inputs, JOKERS, LEFT_AND_NEXT, LIGHTEST, NEIGHBOURS,
    OFFERED, OFFERED_FITS, OFFERED_POINTS, OFFERED_UNSEEN, POINTS, POINTS_LEFT, POINTS_LEFT_LATER, RANKS,
    RUN_OUTS, SET_OUTS, SHOWN, SHOWN_POINTS, SOURCE, THROWN, beyond_level, beyond_room_level,
    few_points_level, known_level, later_level, points_level,
};
use crate::expert::totals::Total;
use crate::hands::{offered, without};
use crate::sight::Sight;
use crate::unseen::Unseen;

/// What the inputs of a hand need beside it.
pub(crate) struct Around {
    values: Values,
    /// The unseen cards as counts of ranks and suits.
    unseen: Hand,
    /// Cards of the next player, less one, at most 4.
    next: usize,
    /// The own total.
    total: Total,
}

impl Around {
    pub(crate) fn of(sight: &Sight<'_>, unseen: &Unseen) -> Around {
        let mut counted = Hand::default();
        for (card, count) in unseen.kinds() {
            (0..count).for_each(|_| counted.add(sight.rules, card));
        }
        let next = sight.next().map_or(1, |next| next.cards).clamp(1, 5) - 1;
        Around {
            values: Values::of(sight.rules),
            unseen: counted,
            next: usize::from(next),
            total: Total::of(sight, sight.total()),
        }
    }

    pub(crate) fn values(&self) -> &Values {
        &self.values
    }
}

/// Adds the inputs of a hand at the end of the turn.
pub(crate) fn hand_inputs(inputs: &mut Inputs, around: &Around, hand: &Hand) {
    let values = &around.values;
    for (block, count) in RANKS.into_iter().zip(hand.ranks) {
        inputs.count(block, usize::from(count));
    }
    inputs.count(JOKERS, usize::from(hand.jokers));
    inputs.set(CARDS, usize::from(hand.cards));
    inputs.set(POINTS, points_level(hand.points));
    let left = hand.after_heaviest(values);
    inputs.set(POINTS_LEFT, points_level(left.points));
    inputs.set(CARDS_LEFT, usize::from(left.cards));
    inputs.set(POINTS_LEFT_LATER, later_level(left.after_heaviest(values).points));
    inputs.set(NEIGHBOURS[0], hand.pairs_at(1));
    inputs.set(NEIGHBOURS[1], hand.pairs_at(2));
    inputs.set(LIGHTEST, usize::from(hand.lightest(values)));
    let [outs, heavy] = hand.set_outs(&around.unseen, values);
    inputs.set(SET_OUTS[0], outs);
    inputs.set(SET_OUTS[1], heavy);
    inputs.set(RUN_OUTS, hand.run_outs(&around.unseen));
    inputs.set(LEFT_AND_NEXT, around.next * 6 + few_points_level(left.points));
    let Total { need, room } = around.total;
    for (block, points) in BEYOND_NEED.into_iter().zip([hand.points, left.points]) {
        inputs.set(block, beyond_level(points, need));
    }
    inputs.set(BEYOND_ROOM, beyond_room_level(hand.points, room));
}

/// Adds the inputs of a discard.
pub(crate) fn discard_inputs(inputs: &mut Inputs, sight: &Sight<'_>, unseen: &Unseen, thrown: &[Card]) {
    let rules = sight.rules;
    let offers = offered(rules, thrown);
    let mut ranks = 0_u16;
    for card in &offers {
        ranks |= 1 << place(*card).map_or(13, |(rank, _)| rank);
    }
    for rank in (0..14).filter(|rank| ranks >> rank & 1 == 1) {
        inputs.set(OFFERED, rank);
    }
    inputs.set(THROWN, thrown.len());
    let Some(lightest) = offers.iter().copied().min_by_key(|card| (rules.card_points(*card), *card)) else {
        return;
    };
    inputs.set(OFFERED_POINTS, usize::from(rules.card_points(lightest)));
    let same_rank = unseen.kinds().filter(|(card, _)| card.rank() == lightest.rank());
    inputs.set(OFFERED_UNSEEN, same_rank.map(|(_, count)| usize::from(count)).sum());
    let known = sight.next().map_or(&[][..], |next| unseen.known(next.seat));
    let fits =
        |fit: fn(Card, Card) -> bool| offers.iter().any(|offer| known.iter().any(|held| fit(*offer, *held)));
    if fits(|one, other| one.rank() == other.rank()) {
        inputs.set(OFFERED_FITS, 0);
    }
    let near = |one: Card, other: Card| match (one.rank(), other.rank()) {
        (Some(first), Some(second)) => one.suit() == other.suit() && first.abs_diff(second) <= 2,
        _ => true,
    };
    if fits(near) {
        inputs.set(OFFERED_FITS, 1);
    }
}

/// Adds the inputs of where the card was drawn from, and of what the others know of the own hand afterwards.
pub(crate) fn draw_inputs(
    inputs: &mut Inputs,
    sight: &Sight<'_>,
    shown: &[Card],
    thrown: &[Card],
    draw: Draw,
) {
    let mut shown = without(shown, thrown);
    let source = match draw {
        Draw::Stock => 0,
        Draw::Pile(card) => {
            shown.push(card);
            1
        }
        Draw::Nothing => 2,
    };
    inputs.set(SOURCE, source);
    inputs.set(SHOWN, shown.len());
    inputs.set(SHOWN_POINTS, known_level(shown.len(), sight.rules.points(&shown)));
}
