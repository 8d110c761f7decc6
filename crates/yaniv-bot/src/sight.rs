//! All that a bot gets: the view of its seat, and what everybody has seen happen in the round. What is worked out of it is in
//! `unseen`.

use yaniv_engine::{Action, Card, PublicSeat, Rules, Seat, SeatView};

/// What a seat may know: all that a bot decides by.
#[derive(Copy, Clone, Debug)]
pub struct Sight<'a> {
    /// The engine's view of the seat.
    pub view: &'a SeatView,
    /// The rule set.
    pub rules: &'a Rules,
    /// The seat.
    pub seat: Seat,
    /// What has happened in the round, as far as it is at hand. An empty one does.
    pub history: &'a History,
}

/// What everybody has seen happen in a round, oldest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    round: u16,
    pub(crate) events: Vec<Event>,
}

/// Something that everybody has seen. An action has nothing hidden in it: what was drawn from the stock is no part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) seat: Seat,
    pub(crate) action: Action,
    /// The card that was slammed down, which lies on the pile.
    pub(crate) slammed: Option<Card>,
    /// The buried cards became the stock.
    pub(crate) recycled: bool,
}

impl History {
    /// Of a round in which nothing has happened.
    pub fn new(round: u16) -> History {
        History { round, events: Vec::new() }
    }

    /// The round.
    pub fn round(&self) -> u16 {
        self.round
    }

    /// Notes an action of the round that was accepted: the card that it slammed down, and whether the stock was refilled.
    pub fn note(&mut self, seat: Seat, action: &Action, slammed: Option<Card>, recycled: bool) {
        self.events.push(Event { seat, action: action.clone(), slammed, recycled });
    }
}

impl<'a> Sight<'a> {
    /// The cards in the hand.
    pub(crate) fn hand(&self) -> &'a [Card] {
        self.view.hand.as_ref().map_or(&[], |hand| &hand.cards)
    }

    /// What they are worth.
    pub(crate) fn points(&self) -> u16 {
        self.view.hand.as_ref().map_or(0, |hand| hand.points)
    }

    /// What has happened in the round that is in play; nothing if the history is of another one.
    pub(crate) fn events(&self) -> &'a [Event] {
        if self.history.round == self.view.round { &self.history.events } else { &[] }
    }

    /// The others who are in the match.
    pub(crate) fn others(&self) -> impl Iterator<Item = &'a PublicSeat> + use<'a> {
        let seat = self.seat;
        self.view.seats.iter().filter(move |other| other.seat != seat && !other.out)
    }

    /// The turns that the seat has had in this round.
    pub(crate) fn turns(&self) -> u16 {
        self.view.seats.iter().find(|one| one.seat == self.seat).map_or(0, |one| one.turns)
    }

    /// Who plays next after the seat.
    pub(crate) fn next(&self) -> Option<&'a PublicSeat> {
        let clockwise = self.rules.options().direction == yaniv_engine::Direction::Clockwise;
        let count = self.view.seats.len();
        let step = if clockwise { 1 } else { count.saturating_sub(1) };
        (1..count)
            .filter_map(|far| self.view.seats.get((self.seat.index() + far * step) % count))
            .find(|other| !other.out)
    }

    /// Whether a hand of so many points may be called with, as far as the limit goes.
    pub(crate) fn within_limit(&self, points: u16) -> bool {
        self.rules.options().call_limit.is_none_or(|limit| points <= limit)
    }
}
