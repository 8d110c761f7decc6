//! The state of one round in progress, and the elementary steps of actions. The rules of actions are in `play.rs` and
//! its neighbours.

#![expect(clippy::indexing_slicing, reason = "`place_of` is below the number of places, which is not 0")]

use crate::cards::bag::Bag;
use crate::cards::card::Card;
use crate::cards::set::List;
use crate::round::meld;
use crate::round::phase::{Answers, Phase};
use crate::rules::rule_set::Rules;
use crate::shuffle::seeds::MAX_ROUNDS;
use crate::shuffle::shuffler::Shuffler;

/// Maximum numbers of players, and of cards in a match: four packs with two jokers each.
pub(crate) const MAX_PLAYERS: usize = 10;
pub(crate) const MAX_CARDS: usize = 216;

/// Maximum number of turns in a round (rules §8).
const MAX_TURNS: u32 = 1000;

/// Maximum number of actions in a match (rules §8).
pub const MAX_ACTIONS: u16 = 20_000;

/// One round in progress.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RoundState {
    pub(crate) players: u8,
    /// A place for each of them, and one without cards for seats that do not exist: never that of another player.
    pub(crate) seats: Box<[Place]>,
    /// The top of the stock is the last card.
    pub(crate) stock: List<MAX_CARDS>,
    pub(crate) pile: Pile,
    pub(crate) buried: Bag,
    pub(crate) round: u16,
    pub(crate) starter: u8,
    pub(crate) turn: u8,
    pub(crate) phase: Phase,
    /// This turn has had its card request.
    pub(crate) asked: bool,
    /// The seat that may slam down, and the card.
    pub(crate) slam: Option<(u8, Card)>,
    pub(crate) sudden_death: bool,
    /// Number of refills of the stock in this round.
    pub(crate) recycles: u16,
    /// Actions played in the match; `None`: unknown, and not bounded (see `Match::set_actions`).
    pub(crate) actions: Option<u16>,
}

/// One seat.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Place {
    pub(crate) hand: Bag,
    pub(crate) total: i32,
    /// When the seat went out; `None` while it is active.
    pub(crate) departure: Option<Departure>,
    pub(crate) successes: u16,
    /// Turns in this round.
    pub(crate) turns: u16,
}

/// When a seat went out; later is greater.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Departure {
    pub(crate) round: u16,
    /// Order among the departures in the middle of the round; `AT_END` at its end.
    pub(crate) order: u8,
}

impl Departure {
    pub(crate) const AT_END: u8 = u8::MAX;
}

/// The last discard, and which of its cards can be picked up (bit `i` for card `i`).
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pile {
    pub(crate) cards: List<{ meld::LONGEST }>,
    pub(crate) pickable: u64,
}

impl Place {
    pub(crate) const EMPTY: Place =
        Place { hand: Bag::EMPTY, total: 0, departure: None, successes: 0, turns: 0 };

    pub(crate) fn is_active(&self) -> bool {
        self.departure.is_none()
    }
}

impl Pile {
    pub(crate) const EMPTY: Pile = Pile { cards: List::new(), pickable: 0 };

    /// Puts down a discard in the order thrown. It is a meld or a single card, so it fits.
    pub(crate) fn throw(&mut self, rules: &Rules, cards: &[Card]) {
        self.cards.set(cards);
        self.pickable = meld::pickable(rules, &self.cards);
    }

    /// The cards that can be picked up, in the order thrown.
    pub(crate) fn pickable(&self) -> impl Iterator<Item = Card> + '_ {
        self.cards.iter().zip(0..).filter(|(_, i)| self.pickable >> *i & 1 == 1).map(|(card, _)| *card)
    }

    /// Removes a card that can be picked up; `false`, and no change, if it cannot.
    pub(crate) fn take(&mut self, card: Card) -> bool {
        let Some((_, i)) =
            self.cards.iter().zip(0..).find(|(here, i)| **here == card && self.pickable >> *i & 1 == 1)
        else {
            return false;
        };
        let old = std::mem::replace(self, Pile::EMPTY);
        for (card, j) in old.cards.iter().zip(0..).filter(|(_, j)| *j != i) {
            self.pickable |= (old.pickable >> j & 1) << self.cards.len();
            self.cards.push(*card);
        }
        true
    }
}

impl RoundState {
    /// Seats without cards and totals, before the deal of round 1.
    pub(crate) fn empty(players: u8) -> RoundState {
        RoundState {
            players,
            seats: vec![Place::EMPTY; usize::from(players) + 1].into(),
            stock: List::new(),
            pile: Pile::EMPTY,
            buried: Bag::EMPTY,
            round: 1,
            starter: 0,
            turn: 0,
            phase: Phase::Turn,
            asked: false,
            slam: None,
            sudden_death: false,
            recycles: 0,
            actions: Some(0),
        }
    }

    pub(crate) fn seat(&self, seat: u8) -> &Place {
        &self.seats[self.place_of(seat)]
    }

    pub(crate) fn seat_mut(&mut self, seat: u8) -> &mut Place {
        &mut self.seats[self.place_of(seat)]
    }

    /// The place of a seat, or the last one.
    fn place_of(&self, seat: u8) -> usize {
        usize::from(seat).min(self.seats.len() - 1)
    }

    /// All seats of the match, with their numbers.
    pub(crate) fn places(&self) -> impl DoubleEndedIterator<Item = (u8, &Place)> + Clone {
        (0..self.players).zip(&self.seats)
    }

    /// The numbers of the seats that are not out.
    pub(crate) fn active(&self) -> impl DoubleEndedIterator<Item = u8> + Clone + '_ {
        self.places().filter(|(_, place)| place.is_active()).map(|(seat, _)| seat)
    }

    /// The next active seat in the direction of play; the seat itself if no other is active.
    pub(crate) fn next_active(&self, rules: &Rules, seat: u8) -> u8 {
        let mut next = rules.step(seat, self.players);
        while next != seat && !self.seat(next).is_active() {
            next = rules.step(next, self.players);
        }
        next
    }

    /// All seats in the direction of play, beginning after this one, which comes last.
    pub(crate) fn after(&self, rules: &Rules, seat: u8) -> impl Iterator<Item = u8> {
        let (rules, players) = (rules.clone(), self.players);
        let mut at = seat;
        (0..players).map(move |_| {
            at = rules.step(at, players);
            at
        })
    }

    /// The points of a hand.
    pub(crate) fn points(&self, rules: &Rules, seat: u8) -> u16 {
        self.seat(seat).hand.iter().map(|card| u16::from(rules.card_points(card))).sum()
    }

    /// Whether every player has had the turns required for a call.
    pub(crate) fn enough_turns(&self, rules: &Rules) -> bool {
        let needed = u16::from(rules.options().min_turns);
        needed == 0 || self.active().all(|seat| self.seat(seat).turns >= needed)
    }

    /// Whether the round has reached its limit of turns (rules §8).
    pub(crate) fn out_of_turns(&self) -> bool {
        self.places().map(|(_, place)| u32::from(place.turns)).sum::<u32>() >= MAX_TURNS
    }

    /// Whether the match has reached its limit of actions (rules §8).
    pub(crate) fn out_of_actions(&self) -> bool {
        self.actions.is_some_and(|actions| actions >= MAX_ACTIONS)
    }

    /// Whether this is the last round, however it ends (rules §8).
    pub(crate) fn is_last_round(&self) -> bool {
        self.round >= MAX_ROUNDS || self.out_of_actions()
    }

    /// Whether nothing can be drawn.
    pub(crate) fn nothing_to_draw(&self) -> bool {
        self.stock.is_empty() && self.pile.pickable == 0
    }

    /// Seats that still have to answer a call or an offer of this caller, in order.
    pub(crate) fn pending(&self, caller: u8, answers: Answers) -> impl Iterator<Item = u8> + '_ {
        self.active().filter(move |seat| *seat != caller && !answers.has(*seat))
    }

    /// Whether the seat has to act; slam-downs and requests are optional.
    pub(crate) fn is_to_act(&self, seat: u8) -> bool {
        match self.phase {
            Phase::Turn | Phase::MustPlay | Phase::FinalTurn { .. } | Phase::Request { .. } => {
                seat == self.turn
            }
            Phase::Challenge { caller, answers, .. } | Phase::Swap { caller, answers } => {
                seat != caller && self.seat(seat).is_active() && !answers.has(seat)
            }
            Phase::RoundOver | Phase::MatchOver { .. } => false,
        }
    }

    /// The seats that have to act, in order.
    pub(crate) fn to_act(&self) -> impl Iterator<Item = u8> + '_ {
        self.active().filter(|seat| self.is_to_act(*seat))
    }

    /// Refills an empty stock with the buried cards (rules §4); `true` if there were any.
    pub(crate) fn refill(&mut self, shuffler: &Shuffler) -> bool {
        if !self.stock.is_empty() || self.buried.is_empty() {
            return false;
        }
        self.recycles = self.recycles.saturating_add(1);
        let mut cards = self.buried.to_vec();
        shuffler.shuffle(self.round, &format!("recycle-{}", self.recycles), &mut cards);
        cards.reverse();
        self.stock.set(&cards);
        self.buried = Bag::EMPTY;
        true
    }
}
