//! Lists of cards: [`Cards`] for the public API, and the fixed-size [`List`] for ordered cards of the state. Unordered
//! cards are a `Bag` (`bag.rs`).

use std::fmt;
use std::ops::Deref;

use crate::cards::card::Card;

const INLINE: usize = 22;

/// An ordered list of cards, usually as thrown. Up to 22 cards need no allocation.
#[derive(Clone)]
pub struct Cards(Repr);

#[derive(Clone)]
enum Repr {
    Inline(u8, [Card; INLINE]),
    Heap(Box<[Card]>),
}

impl Cards {
    /// No cards.
    pub const fn new() -> Cards {
        Cards(Repr::Inline(0, [Card::BLACK_JOKER; INLINE]))
    }

    /// The cards as a slice.
    pub fn as_slice(&self) -> &[Card] {
        match &self.0 {
            Repr::Inline(len, cards) => cards.get(..usize::from(*len)).unwrap_or(&[]),
            Repr::Heap(cards) => cards,
        }
    }
}

impl Default for Cards {
    fn default() -> Cards {
        Cards::new()
    }
}

impl Deref for Cards {
    type Target = [Card];

    fn deref(&self) -> &[Card] {
        self.as_slice()
    }
}

impl From<&[Card]> for Cards {
    fn from(cards: &[Card]) -> Cards {
        let mut inline = [Card::BLACK_JOKER; INLINE];
        match (inline.get_mut(..cards.len()), u8::try_from(cards.len())) {
            (Some(place), Ok(len)) => {
                place.copy_from_slice(cards);
                Cards(Repr::Inline(len, inline))
            }
            _ => Cards(Repr::Heap(cards.into())),
        }
    }
}

impl From<Vec<Card>> for Cards {
    fn from(cards: Vec<Card>) -> Cards {
        Cards::from(cards.as_slice())
    }
}

impl FromIterator<Card> for Cards {
    fn from_iter<I: IntoIterator<Item = Card>>(cards: I) -> Cards {
        let mut inline = [Card::BLACK_JOKER; INLINE];
        let mut cards = cards.into_iter();
        for (place, len) in inline.iter_mut().zip(0..) {
            let Some(card) = cards.next() else {
                return Cards(Repr::Inline(len, inline));
            };
            *place = card;
        }
        let mut all = inline.to_vec();
        all.extend(cards);
        Cards::from(all)
    }
}

impl<'a> IntoIterator for &'a Cards {
    type Item = &'a Card;
    type IntoIter = std::slice::Iter<'a, Card>;

    fn into_iter(self) -> Self::IntoIter {
        self.as_slice().iter()
    }
}

impl PartialEq for Cards {
    fn eq(&self, other: &Cards) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Eq for Cards {}

impl std::hash::Hash for Cards {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.as_slice().hash(state);
    }
}

impl fmt::Debug for Cards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_slice().fmt(f)
    }
}

impl fmt::Display for Cards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.iter().try_for_each(|card| f.write_str(card.code()))
    }
}

/// Up to `N` ordered cards without allocation. Pushing beyond `N` is refused, never a panic.
#[derive(Clone)]
pub(crate) struct List<const N: usize> {
    len: u8,
    cards: [Card; N],
}

impl<const N: usize> List<N> {
    pub(crate) const fn new() -> List<N> {
        List { len: 0, cards: [Card::BLACK_JOKER; N] }
    }

    pub(crate) fn as_slice(&self) -> &[Card] {
        self.cards.get(..usize::from(self.len)).unwrap_or(&[])
    }

    /// Replaces the content; `false`, and no change, if it does not fit.
    pub(crate) fn set(&mut self, cards: &[Card]) -> bool {
        match (self.cards.get_mut(..cards.len()), u8::try_from(cards.len())) {
            (Some(place), Ok(len)) => {
                place.copy_from_slice(cards);
                self.len = len;
                true
            }
            _ => false,
        }
    }

    /// Appends a card; `false`, and no change, if it does not fit.
    pub(crate) fn push(&mut self, card: Card) -> bool {
        match self.cards.get_mut(usize::from(self.len)) {
            Some(place) => {
                *place = card;
                self.len += 1;
                true
            }
            None => false,
        }
    }

    pub(crate) fn pop(&mut self) -> Option<Card> {
        let last = self.as_slice().last().copied()?;
        self.len -= 1;
        Some(last)
    }
}

impl<const N: usize> Deref for List<N> {
    type Target = [Card];

    fn deref(&self) -> &[Card] {
        self.as_slice()
    }
}

impl<const N: usize> PartialEq for List<N> {
    fn eq(&self, other: &List<N>) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl<const N: usize> fmt::Debug for List<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.as_slice().fmt(f)
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Cards {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}
