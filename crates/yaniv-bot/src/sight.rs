//! The input of a bot: the view of its seat, and the public events of the round. Conclusions from it are in `unseen`.

use yaniv_engine::{Action, Card, PublicSeat, Rules, Seat, SeatView};

/// What a seat may know: the complete input of a decision.
#[derive(Copy, Clone, Debug)]
pub struct Sight<'a> {
    /// The engine's view of the seat.
    pub view: &'a SeatView,
    /// The rule set.
    pub rules: &'a Rules,
    /// The seat.
    pub seat: Seat,
    /// Public events of the round, as far as they are known; may be empty.
    pub history: &'a History,
}

/// Public events of a round, oldest first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct History {
    round: u16,
    pub(crate) events: Vec<Event>,
}

/// A public event. It has no hidden information: cards drawn from the stock are not included.
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
    /// The empty history of a round.
    pub fn new(round: u16) -> History {
        History { round, events: Vec::new() }
    }

    /// The round.
    pub fn round(&self) -> u16 {
        self.round
    }

    /// Adds an accepted action of the round, with the card that it slammed down, and whether the stock was refilled.
    pub fn note(&mut self, seat: Seat, action: &Action, slammed: Option<Card>, recycled: bool) {
        self.events.push(Event { seat, action: action.clone(), slammed, recycled });
    }
}

impl<'a> Sight<'a> {
    /// Whether the lowest score of this round wins the match: in a match of one round, and in sudden death after a tie.
    pub(crate) fn decides_match(&self) -> bool {
        let mut totals = self.view.seats.iter().filter(|seat| !seat.out).map(|seat| seat.total);
        let total = totals.next();
        let tied = totals.all(|other| Some(other) == total);
        tied && (self.view.sudden_death || self.rules.options().max_rounds == Some(1))
    }

    /// The cards in the hand.
    pub(crate) fn hand(&self) -> &'a [Card] {
        self.view.hand.as_ref().map_or(&[], |hand| &hand.cards)
    }

    /// Their points.
    pub(crate) fn points(&self) -> u16 {
        self.view.hand.as_ref().map_or(0, |hand| hand.points)
    }

    /// Events of the round in play; none if the history is of another round.
    pub(crate) fn events(&self) -> &'a [Event] {
        if self.history.round == self.view.round { &self.history.events } else { &[] }
    }

    /// The other active seats.
    pub(crate) fn others(&self) -> impl Iterator<Item = &'a PublicSeat> + use<'a> {
        let seat = self.seat;
        self.view.seats.iter().filter(move |other| other.seat != seat && !other.out)
    }

    /// Number of turns that the seat has taken in this round.
    pub(crate) fn turns(&self) -> u16 {
        self.view.seats.iter().find(|one| one.seat == self.seat).map_or(0, |one| one.turns)
    }

    /// The total of the seat before this round.
    pub(crate) fn total(&self) -> i32 {
        self.view.seats.iter().find(|one| one.seat == self.seat).map_or(0, |one| one.total)
    }

    /// The next active seat in the direction of play.
    pub(crate) fn next(&self) -> Option<&'a PublicSeat> {
        let clockwise = self.rules.options().direction == yaniv_engine::Direction::Clockwise;
        let count = self.view.seats.len();
        let step = if clockwise { 1 } else { count.saturating_sub(1) };
        (1..count)
            .filter_map(|far| self.view.seats.get((self.seat.index() + far * step) % count))
            .find(|other| !other.out)
    }

    /// Whether the call limit allows a call with this number of points.
    pub(crate) fn within_limit(&self, points: u16) -> bool {
        self.rules.options().call_limit.is_none_or(|limit| points <= limit)
    }
}
