//! Cards, their codes and their orders (rules §2). The points of a card depend on the rule set: see
//! `rules/rule_set.rs`.

#![expect(clippy::indexing_slicing, reason = "a card's index is below 54 by construction")]

use std::fmt;
use std::str::FromStr;

use crate::error::BadNotation;

/// One card: a rank and a suit, or one of the two jokers.
///
/// `Ord` is the canonical order of rules §2: ranks A to K, within a rank C, D, H, S; then `XB`, `XR`.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Card(u8);

/// The suit of a natural card, in canonical order.
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Suit {
    /// Clubs, `C`.
    Clubs,
    /// Diamonds, `D`.
    Diamonds,
    /// Hearts, `H`.
    Hearts,
    /// Spades, `S`.
    Spades,
}

impl Card {
    /// Number of different cards: 52 and two jokers.
    pub const COUNT: u8 = 54;
    /// The black joker, `XB`.
    pub const BLACK_JOKER: Card = Card(52);
    /// The red joker, `XR`.
    pub const RED_JOKER: Card = Card(53);

    /// All 54 cards in canonical order.
    pub fn all() -> impl DoubleEndedIterator<Item = Card> + Clone {
        (0..Card::COUNT).map(Card)
    }

    /// The two characters of rules §2, for example `4D` or `XR`.
    pub fn code(self) -> &'static str {
        CODES[usize::from(self.0)]
    }

    /// The place in the canonical order, 0 to 53.
    pub const fn index(self) -> u8 {
        self.0
    }

    /// The card at this place of the canonical order; `None` from 54 on.
    pub const fn from_index(index: u8) -> Option<Card> {
        if index < Card::COUNT { Some(Card(index)) } else { None }
    }

    /// Whether it is `XB` or `XR`.
    pub const fn is_joker(self) -> bool {
        self.0 >= 52
    }

    /// 1 (ace) to 13 (king); `None` for a joker.
    pub const fn rank(self) -> Option<u8> {
        if self.is_joker() { None } else { Some(self.0 / 4 + 1) }
    }

    /// The suit; `None` for a joker.
    pub const fn suit(self) -> Option<Suit> {
        if self.is_joker() {
            return None;
        }
        Some(match self.0 % 4 {
            0 => Suit::Clubs,
            1 => Suit::Diamonds,
            2 => Suit::Hearts,
            _ => Suit::Spades,
        })
    }

    /// The natural card of this rank (1 to 13) in the suit with this number (0 to 3 for C, D, H, S).
    pub(crate) const fn natural(rank: u8, suit: u8) -> Card {
        Card((rank - 1) % 13 * 4 + suit % 4)
    }

    /// Rank number 0 to 12, 13 for jokers; equal for the cards of a set.
    pub(crate) const fn group(self) -> u8 {
        self.0 / 4
    }

    /// The number of the suit, 0 to 3; meaningless for a joker.
    pub(crate) const fn suit_index(self) -> u8 {
        self.0 % 4
    }

    /// The place, 0 to 53, in the order of the codes as ASCII text.
    pub(crate) fn ascii_rank(self) -> u8 {
        ASCII_GROUP[usize::from(self.group())] * 4 + self.suit_index()
    }

    /// The inverse of [`Card::ascii_rank`]; meaningless from 54 on.
    pub(crate) fn from_ascii_rank(rank: u8) -> Card {
        Card((GROUP_OF_ASCII[usize::from(rank / 4 % 14)] * 4 + rank % 4).min(53))
    }
}

impl fmt::Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl fmt::Debug for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

impl FromStr for Card {
    type Err = BadNotation;

    fn from_str(text: &str) -> Result<Card, BadNotation> {
        match text.as_bytes() {
            &[rank, suit] => parse_code(rank, suit).ok_or(BadNotation::CARD),
            _ => Err(BadNotation::CARD),
        }
    }
}

/// The card with these two characters.
pub(crate) fn parse_code(rank: u8, suit: u8) -> Option<Card> {
    if rank == b'X' {
        return match suit {
            b'B' => Some(Card::BLACK_JOKER),
            b'R' => Some(Card::RED_JOKER),
            _ => None,
        };
    }
    let rank = (1..=13).zip(b"A23456789TJQK").find(|(_, code)| **code == rank)?.0;
    let suit = (0..4).zip(b"CDHS").find(|(_, code)| **code == suit)?.0;
    Some(Card::natural(rank, suit))
}

/// Group (rank number, jokers last) to its place among the rank characters as ASCII.
const ASCII_GROUP: [u8; 14] = [8, 0, 1, 2, 3, 4, 5, 6, 7, 12, 9, 11, 10, 13];
const GROUP_OF_ASCII: [u8; 14] = [1, 2, 3, 4, 5, 6, 7, 8, 0, 10, 12, 11, 9, 13];

#[rustfmt::skip]
const CODES: [&str; 54] = [
    "AC", "AD", "AH", "AS", "2C", "2D", "2H", "2S", "3C", "3D", "3H", "3S", "4C", "4D", "4H", "4S",
    "5C", "5D", "5H", "5S", "6C", "6D", "6H", "6S", "7C", "7D", "7H", "7S", "8C", "8D", "8H", "8S",
    "9C", "9D", "9H", "9S", "TC", "TD", "TH", "TS", "JC", "JD", "JH", "JS", "QC", "QD", "QH", "QS",
    "KC", "KD", "KH", "KS", "XB", "XR",
];

#[cfg(feature = "serde")]
impl serde::Serialize for Card {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

#[cfg(feature = "serde")]
impl<'de> serde::Deserialize<'de> for Card {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Card, D::Error> {
        let code = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        code.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_orders_agree() {
        let mut by_text: Vec<Card> = Card::all().collect();
        for card in Card::all() {
            assert_eq!(card.code().parse(), Ok(card));
            assert_eq!(Card::from_ascii_rank(card.ascii_rank()), card);
            assert_eq!(Card::from_index(card.index()), Some(card));
        }
        by_text.sort_by_key(|card| card.code());
        assert!(by_text.iter().map(|card| card.ascii_rank()).eq(0..54));
        assert!("10C".parse::<Card>().is_err() && "1C".parse::<Card>().is_err());
    }
}
