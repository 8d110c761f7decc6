//! Seat numbers. The engine does not know the players.

use std::fmt;

/// A seat, counted from 0 and increasing clockwise (rules §1).
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct Seat(u8);

impl Seat {
    /// The seat with this number. Numbers that do not exist in a match are refused at use.
    pub const fn new(number: u8) -> Seat {
        Seat(number)
    }

    /// The number, as an index of lists by seat.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The number.
    pub const fn number(self) -> u8 {
        self.0
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
