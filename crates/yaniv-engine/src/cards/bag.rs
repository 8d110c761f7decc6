//! Unordered cards: hands and the buried cards. With several packs, equal cards occur more than once. Iteration is in
//! canonical order.

#![expect(clippy::indexing_slicing, reason = "a card's index is below 54, the size of the array")]

use std::fmt;

use crate::cards::card::Card;

/// A multiset of at most 255 cards.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Bag {
    /// Bit `i` is set if card `i` occurs.
    mask: u64,
    counts: [u8; 54],
    len: u8,
}

impl Bag {
    pub(crate) const EMPTY: Bag = Bag { mask: 0, counts: [0; 54], len: 0 };

    /// A bag of these cards; cards beyond 255 are dropped, see `Bag::add`.
    pub(crate) fn of(cards: &[Card]) -> Bag {
        let mut bag = Bag::EMPTY;
        bag.add_all(cards);
        bag
    }

    pub(crate) fn len(&self) -> usize {
        usize::from(self.len)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds a card. The 256th is ignored: validation admits fewer (`check.rs`).
    pub(crate) fn add(&mut self, card: Card) {
        if self.len < u8::MAX {
            self.len += 1;
            self.counts[usize::from(card.index())] += 1;
            self.mask |= 1 << card.index();
        }
    }

    pub(crate) fn add_all(&mut self, cards: &[Card]) {
        for card in cards {
            self.add(*card);
        }
    }

    /// Removes a card; `false`, and no change, if it does not occur.
    pub(crate) fn remove(&mut self, card: Card) -> bool {
        let count = &mut self.counts[usize::from(card.index())];
        if *count == 0 {
            return false;
        }
        *count -= 1;
        if *count == 0 {
            self.mask &= !(1 << card.index());
        }
        self.len -= 1;
        true
    }

    pub(crate) fn count(&self, card: Card) -> u8 {
        self.counts[usize::from(card.index())]
    }

    /// Bit `i` is set if card `i` occurs.
    pub(crate) fn mask(&self) -> u64 {
        self.mask
    }

    /// Whether any card occurs more than once.
    pub(crate) fn has_equal_cards(&self) -> bool {
        u32::from(self.len) != self.mask.count_ones()
    }

    /// Whether the bag contains all these cards, with multiplicity.
    pub(crate) fn contains_all(&self, cards: &[Card]) -> bool {
        if !self.has_equal_cards() {
            let mut left = self.mask;
            return cards.iter().all(|card| {
                let bit = 1 << card.index();
                let here = left & bit != 0;
                left &= !bit;
                here
            });
        }
        let mut left = self.clone();
        cards.iter().all(|card| left.remove(*card))
    }

    /// The cards in canonical order, equal ones adjacent.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Card> + '_ {
        bits(self.mask)
            .flat_map(|card| std::iter::repeat_n(card, usize::from(self.counts[usize::from(card.index())])))
    }

    pub(crate) fn to_vec(&self) -> Vec<Card> {
        self.iter().collect()
    }

    /// Moves all cards of another bag into this one.
    pub(crate) fn take_all(&mut self, other: &mut Bag) {
        for card in other.iter() {
            self.add(card);
        }
        *other = Bag::EMPTY;
    }
}

impl fmt::Debug for Bag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// The cards whose bits are set, in canonical order.
pub(crate) fn bits(mut mask: u64) -> impl Iterator<Item = Card> + Clone {
    std::iter::from_fn(move || {
        let card = u8::try_from(mask.trailing_zeros()).ok().and_then(Card::from_index)?;
        mask &= mask - 1;
        Some(card)
    })
}
