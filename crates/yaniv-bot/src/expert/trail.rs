//! What each seat did in its last two turns of the round.

use yaniv_engine::{Action, Card, Draw, Rules};

use crate::hands::offered;
use crate::sight::Event;

/// The last turns of a seat, the latest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trail {
    /// Points thrown.
    pub(crate) thrown: [Option<u16>; 2],
    /// What was drawn last; the outer `None` is before the first turn, the inner one is the stock.
    pub(crate) drew: Option<Option<Card>>,
    /// Points of the lightest card that was left on the pile for one of the stock; `None` if a card was picked up.
    pub(crate) refused: [Option<u8>; 2],
}

/// The trails by seat.
pub(crate) fn trails(rules: &Rules, events: &[Event], seats: usize) -> Vec<Trail> {
    let mut trails = vec![Trail::default(); seats];
    let mut before: Option<&[Card]> = None;
    for event in events {
        let Action::Play { cards, draw } = &event.action else { continue };
        if let Some(trail) = trails.get_mut(event.seat.index()) {
            trail.thrown = [Some(rules.points(cards)), trail.thrown[0]];
            let lightest = || {
                let offers = before.map(|before| offered(rules, before)).unwrap_or_default();
                offers.into_iter().map(|card| rules.card_points(card)).min()
            };
            let (drew, refused) = match draw {
                Draw::Pile(card) => (Some(*card), None),
                Draw::Stock | Draw::Nothing => (None, lightest()),
            };
            trail.drew = Some(drew);
            trail.refused = [refused, trail.refused[0]];
        }
        before = Some(cards);
    }
    trails
}
