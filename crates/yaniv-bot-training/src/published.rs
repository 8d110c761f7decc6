//! Two published heuristics for Yaniv, as opponents that no network was trained with: those of york-rwsa/yaniv-rl, by
//! their description. Both call as soon as they may.

use yaniv_bot::Sight;
use yaniv_engine::{Action, Card, Cards, Draw, Legal, PhaseKind};

/// Cards of at most this number of points are picked up.
const LOW: u8 = 2;

/// Throws the most points; picks up an ace or a two. `None` outside of turns.
pub(crate) fn novice(sight: &Sight<'_>) -> Option<Action> {
    turn(sight, |cards| (sight.rules.points(cards), 0), |_, _| false)
}

/// Throws the most cards, of those the most points; also picks up a card that makes a combination with the rest of the
/// hand. `None` outside of turns.
pub(crate) fn intermediate(sight: &Sight<'_>) -> Option<Action> {
    let cards_first = |cards: &Cards| (u16::try_from(cards.len()).unwrap_or(0), sight.rules.points(cards));
    turn(sight, cards_first, |rest, card| {
        let mut hand = rest.to_vec();
        hand.push(card);
        // More than the heaviest single card goes together.
        let single = hand.iter().map(|card| u16::from(sight.rules.card_points(*card))).max().unwrap_or(0);
        let before = sight.rules.heaviest_discard(rest);
        sight.rules.heaviest_discard(&hand) > single.max(before)
    })
}

fn turn(
    sight: &Sight<'_>,
    order: impl Fn(&Cards) -> (u16, u16),
    picks_up: impl Fn(&[Card], Card) -> bool,
) -> Option<Action> {
    let legal: &Legal = sight.view.legal.as_ref()?;
    if !matches!(sight.view.phase, PhaseKind::Turn | PhaseKind::MustPlay) {
        return None;
    }
    let hand = sight.view.hand.as_ref()?;
    let within = sight.rules.options().call_limit.is_none_or(|limit| hand.points <= limit);
    if legal.call && within {
        return Some(Action::Call { word: None });
    }
    let cards = legal.discards.iter().max_by_key(|cards| order(cards))?;
    let mut rest = hand.cards.clone();
    for thrown in cards {
        if let Some(place) = rest.iter().position(|card| card == thrown) {
            rest.swap_remove(place);
        }
    }
    let wanted = |draw: &&Draw| match draw {
        Draw::Pile(card) => sight.rules.card_points(*card) <= LOW || picks_up(&rest, *card),
        Draw::Stock | Draw::Nothing => false,
    };
    let stock = legal.draws.iter().find(|draw| !matches!(draw, Draw::Pile(_)));
    let draw = legal.draws.iter().find(wanted).or(stock).or(legal.draws.first())?;
    Some(Action::Play { cards: cards.clone(), draw: *draw })
}
