//! The safe turn, which is played for an absent player. It is documented for players, and simple on purpose.

use yaniv_engine::{Action, Cards, Draw, Rules, SeatView};

/// The safe turn: throws the heaviest legal discard and draws from the stock. It never calls, challenges, exchanges
/// hands or gives cards away.
///
/// Among equally heavy discards, the first of the list. Without a stock, it draws the lightest card of the pile. With
/// an empty hand, which has no other action, it calls. `None` if the seat is not to act.
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
    // `max_by_key` returns the last of equal items, so the list is reversed.
    let heaviest = legal.discards.iter().rev().max_by_key(points);
    if let (Some(cards), Some(draw)) = (heaviest, draw) {
        return Some(Action::Play { cards: cards.clone(), draw });
    }
    if legal.pass {
        return Some(Action::Pass);
    }
    legal.call.then_some(Action::Call { word: None })
}
