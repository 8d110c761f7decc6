//! The runs of a hand, in canonical form (rules §12): a part of `discards.rs`.

#![expect(clippy::indexing_slicing, reason = "a run has at most 14 places")]

use crate::cards::bag::Bag;
use crate::cards::card::Card;
use crate::round::discards::Sink;
use crate::rules::choices::Pickup;
use crate::rules::rule_set::Rules;

/// Emits every run; `false` if the sink has enough.
pub(crate) fn generate(rules: &Rules, hand: &Bag, sink: &mut impl Sink) -> bool {
    let options = rules.options();
    let count = |joker| {
        if options.jokers_in_runs { hand.count(joker) } else { 0 }
    };
    let jokers = [count(Card::BLACK_JOKER), count(Card::RED_JOKER)];
    // The next rank of a suit is four bits on; a high ace is above the kings.
    let naturals = hand.mask() & ((1 << 52) - 1);
    let places = if options.ace_high { naturals | (naturals & 15) << 52 } else { naturals };
    if jokers == [0, 0] && places & (places >> 4) & (places >> 8) == 0 {
        return true;
    }
    (0..4_u8).all(|suit| {
        // Bit `p` is set when the hand has the card of place `p`, 1 to 14.
        let mut places = 0_u16;
        for rank in 1..=13_u8 {
            places |= u16::from(hand.mask() >> (4 * (rank - 1) + suit) & 1 == 1) << rank;
        }
        if options.ace_high && places & 2 != 0 {
            places |= 1 << 14;
        }
        if jokers == [0, 0] && places & (places >> 1) & (places >> 2) == 0 {
            return true;
        }
        let mut search =
            Search { rules, sink, suit, places, jokers, aces: 0, naturals: 0, slots: [false; 14] };
        search.aces = hand.count(Card::natural(1, suit));
        search.run()
    })
}

/// The runs of one suit.
struct Search<'a, S> {
    rules: &'a Rules,
    sink: &'a mut S,
    suit: u8,
    places: u16,
    /// Number of black and red jokers in the hand.
    jokers: [u8; 2],
    aces: u8,
    naturals: u8,
    /// Which cards of the run so far are jokers.
    slots: [bool; 14],
}

impl<S: Sink> Search<'_, S> {
    fn run(&mut self) -> bool {
        let jokers = self.jokers[0] + self.jokers[1];
        (1..self.rules.top_place() - 1).all(|low| {
            // A run from here must reach a natural card before the jokers are used up.
            let reach = (1_u16 << (low + jokers.min(14 - low) + 1).min(15)) - (1 << low);
            self.places & reach == 0 || self.extend(low, low, jokers)
        })
    }

    /// Continues at `place` with a natural card and with a joker.
    fn extend(&mut self, low: u8, place: u8, jokers: u8) -> bool {
        if place > self.rules.top_place() {
            return true;
        }
        let slot = usize::from(place - low);
        let is_ace = place == 1 || place == 14;
        if self.places & (1 << place) != 0 && !(is_ace && self.aces == 0) {
            self.slots[slot] = false;
            self.naturals += 1;
            self.aces -= u8::from(is_ace);
            let more = self.emit(low, place) && self.extend(low, place + 1, jokers);
            self.aces += u8::from(is_ace);
            self.naturals -= 1;
            if !more {
                return false;
            }
        }
        if jokers > 0 {
            self.slots[slot] = true;
            return self.emit(low, place) && self.extend(low, place + 1, jokers - 1);
        }
        true
    }

    /// Emits the run from `low` to `high`, with each choice of jokers, if it is valid.
    fn emit(&mut self, low: u8, high: u8) -> bool {
        let options = self.rules.options();
        let len = usize::from(high - low) + 1;
        let used = u8::try_from(len).unwrap_or(0) - self.naturals;
        let reads_as_set = self.naturals == 1 && options.jokers_in_sets;
        if len < 3 || self.naturals < options.min_naturals || reads_as_set {
            return true;
        }
        (used.saturating_sub(self.jokers[1])..=used.min(self.jokers[0])).all(|black| {
            self.put(low, high, black, false)
                && (options.pickup != Pickup::Top || self.put(low, high, black, true))
        })
    }

    fn put(&mut self, low: u8, high: u8, mut black: u8, descending: bool) -> bool {
        let mut cards = [Card::BLACK_JOKER; 14];
        let len = usize::from(high - low) + 1;
        for (card, i) in cards[..len].iter_mut().zip(0..) {
            let place = if descending { high - i } else { low + i };
            *card = if !self.slots[usize::from(place - low)] {
                Card::natural(place, self.suit)
            } else if black > 0 {
                black -= 1;
                Card::BLACK_JOKER
            } else {
                Card::RED_JOKER
            };
        }
        self.sink.put(&cards[..len])
    }
}
