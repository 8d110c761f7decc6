//! Card counting: the cards that a seat has not seen, and those that it knows others to hold.

use yaniv_engine::{Action, Card, Draw, Seat};

use crate::sight::{Event, Sight};

/// The result of counting.
#[derive(Debug)]
pub(crate) struct Unseen {
    /// Number of each card whose place is unknown: in the stock or in another hand.
    counts: [u8; 54],
    /// By seat: cards that were picked up in public and not thrown since.
    known: Vec<Vec<Card>>,
    /// The seat's own cards that others know.
    shown: Vec<Card>,
}

/// The course of a round, from its events.
#[derive(Default)]
struct Course {
    known: Vec<Vec<Card>>,
    pile: Vec<Card>,
    /// Cards thrown since the last refill of the stock that are not in the pile any more.
    buried: Vec<Card>,
    asked: Option<(Seat, Card)>,
    caller: Option<Seat>,
}

impl Unseen {
    pub(crate) fn count(sight: &Sight<'_>) -> Unseen {
        let view = sight.view;
        let mut course = Course { known: vec![Vec::new(); view.seats.len()], ..Course::default() };
        for event in sight.events() {
            course.go_on(event);
        }
        let mut counts = pack(sight);
        let mut seen = |cards: &[Card]| {
            for card in cards {
                if let Some(count) = counts.get_mut(usize::from(card.index())) {
                    *count = count.saturating_sub(1);
                }
            }
        };
        seen(sight.hand());
        seen(&view.pile);
        seen(&course.buried);
        let shown = course.known.get(sight.seat.index()).cloned().unwrap_or_default();
        for (seat, known) in view.seats.iter().zip(&mut course.known) {
            if let Some(exposed) = &seat.exposed {
                known.clone_from(exposed);
            }
            // The seat's own hand is counted already, and an incomplete history must not count more cards than exist.
            if seat.seat == sight.seat || seat.out {
                known.clear();
            }
            known.truncate(usize::from(seat.cards));
            seen(known);
        }
        Unseen { counts, known: course.known, shown }
    }

    /// The cards whose place is unknown, each kind once with its number.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = (Card, u8)> + '_ {
        Card::all().zip(self.counts).filter(|(_, count)| *count > 0)
    }

    /// The seat's own cards that were picked up in public.
    pub(crate) fn shown(&self) -> &[Card] {
        &self.shown
    }

    /// The cards that a seat is known to hold.
    pub(crate) fn known(&self, seat: Seat) -> &[Card] {
        self.known.get(seat.index()).map_or(&[], Vec::as_slice)
    }
}

/// Number of each card in the match's packs.
fn pack(sight: &Sight<'_>) -> [u8; 54] {
    let options = sight.rules.options();
    let packs = sight.rules.packs(u8::try_from(sight.view.seats.len()).unwrap_or(u8::MAX));
    let mut counts = [0; 54];
    for (count, card) in counts.iter_mut().zip(Card::all()) {
        let there = match card.suit() {
            None if card == Card::RED_JOKER => options.jokers >= 1,
            None => options.jokers >= 2,
            Some(suit) => options.suits == 4 || suit >= yaniv_engine::Suit::Hearts,
        };
        *count = if there { packs } else { 0 };
    }
    counts
}

impl Course {
    fn go_on(&mut self, event: &Event) {
        match &event.action {
            Action::Play { cards, draw } => {
                for card in cards {
                    remove(self.known_of(event.seat), *card);
                }
                if let Draw::Pile(card) = draw {
                    remove(&mut self.pile, *card);
                    self.known_of(event.seat).push(*card);
                }
                let old = std::mem::replace(&mut self.pile, cards.to_vec());
                self.buried.extend(old);
            }
            Action::Slam { .. } => {
                if let Some(card) = event.slammed {
                    remove(self.known_of(event.seat), card);
                    self.pile.push(card);
                }
            }
            Action::Ask(card) => self.asked = Some((event.seat, *card)),
            Action::Give | Action::Keep => self.hand_over(event),
            Action::Call { .. } => self.caller = Some(event.seat),
            Action::Swap => self.exchange(event.seat),
            Action::Resign => {
                let left = std::mem::take(self.known_of(event.seat));
                self.buried.extend(left);
            }
            Action::Challenge | Action::Expose | Action::Stay | Action::Pass => {}
        }
        if event.recycled {
            self.buried.clear();
        }
    }

    fn hand_over(&mut self, event: &Event) {
        if let Some((asker, card)) = self.asked.take() {
            let to = if event.action == Action::Give { asker } else { event.seat };
            remove(&mut self.pile, card);
            self.known_of(to).push(card);
        }
    }

    fn exchange(&mut self, seat: Seat) {
        if let Some(caller) = self.caller {
            let theirs = std::mem::take(self.known_of(caller));
            let own = std::mem::replace(self.known_of(seat), theirs);
            *self.known_of(caller) = own;
        }
    }

    #[expect(clippy::indexing_slicing, reason = "the place has just been made")]
    fn known_of(&mut self, seat: Seat) -> &mut Vec<Card> {
        if self.known.len() <= seat.index() {
            self.known.resize(seat.index() + 1, Vec::new());
        }
        &mut self.known[seat.index()]
    }
}

fn remove(cards: &mut Vec<Card>, card: Card) {
    if let Some(place) = cards.iter().position(|here| *here == card) {
        cards.swap_remove(place);
    }
}
