//! The number of a place at the table. Who sits there is none of the engine's business.

use std::fmt;

/// A seat, counted from 0 and increasing clockwise (rules §1).
#[derive(Copy, Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct Seat(u8);

impl Seat {
    /// The seat with this number. Numbers that a match does not have are refused where they are used.
    pub const fn new(number: u8) -> Seat {
        Seat(number)
    }

    /// The number, for lists by seat.
    pub fn index(self) -> usize {
        usize::from(self.0)
    }

    /// The number as it is written.
    pub const fn number(self) -> u8 {
        self.0
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
