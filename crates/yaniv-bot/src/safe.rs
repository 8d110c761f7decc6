//! The safe turn: what is played for somebody who is absent. It is announced, and it is dull.

use yaniv_engine::{Action, Cards, Draw, Rules, SeatView};

/// What is played for an absent player: the heaviest cards that can be thrown together are thrown and a card is drawn from
/// the stock; nothing is called, challenged, exchanged or given away.
///
/// Of equally heavy discards it is the first in the order of the list; without a stock it draws the lightest card of the
/// pile. An empty hand, which can do nothing else, is called with. None if the seat is not to act.
pub fn safe_turn(view: &SeatView, rules: &Rules) -> Option<Action> {
    let legal = view.legal.as_ref()?;
    if legal.challenge {
        return Some(Action::Expose);
    }
    if legal.swap {
        return Some(Action::Stay);
    }
    if legal.give {
        return Some(Action::Keep);
    }
    let draw = legal.draws.iter().copied().min_by_key(|draw| match draw {
        Draw::Stock => 0,
        Draw::Pile(card) => u16::from(rules.card_points(*card)) + 1,
        Draw::Nothing => u16::MAX,
    });
    let points = |cards: &&Cards| rules.points(cards);
    // The last of equals is what `max_by_key` finds: hence from the end.
    let heaviest = legal.discards.iter().rev().max_by_key(points);
    if let (Some(cards), Some(draw)) = (heaviest, draw) {
        return Some(Action::Play { cards: cards.clone(), draw });
    }
    if legal.pass {
        return Some(Action::Pass);
    }
    legal.call.then_some(Action::Call { word: None })
}
