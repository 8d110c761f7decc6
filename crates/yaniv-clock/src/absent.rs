//! Handling of players who miss deadlines: the steps that a match announces.

use serde::{Deserialize, Serialize};

/// The steps of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "AbsentForm")]
pub struct AbsentSettings {
    misses: u16,
    then: AfterMisses,
}

/// What follows after a number of misses in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AfterMisses {
    /// Only safe turns, without end.
    SafeTurns,
    /// A bot holds the seat, and the owner may take it back.
    Bot,
    /// The player is eliminated.
    Out,
}

/// What to do after a missed deadline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AbsentStep {
    /// Play a safe turn for the player.
    SafeTurn,
    /// A bot takes the seat and plays this turn.
    Bot,
    /// Eliminate the player.
    Out,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AbsentForm {
    misses: u16,
    then: AfterMisses,
}

impl TryFrom<AbsentForm> for AbsentSettings {
    type Error = &'static str;

    fn try_from(form: AbsentForm) -> Result<Self, Self::Error> {
        Self::new(form.misses, form.then).ok_or("misses must be from 1 to 10")
    }
}

impl AbsentSettings {
    /// After this number of misses in a row, 1 to 10; `None` out of bounds.
    #[must_use]
    pub fn new(misses: u16, then: AfterMisses) -> Option<Self> {
        (1..=10).contains(&misses).then_some(Self { misses, then })
    }

    /// The number of misses.
    #[must_use]
    pub const fn misses(&self) -> u16 {
        self.misses
    }

    /// What follows.
    #[must_use]
    pub const fn then(&self) -> AfterMisses {
        self.then
    }

    /// The step after a miss; `missed_turns` is that of the clock after it.
    #[must_use]
    pub const fn step(&self, missed_turns: u16) -> AbsentStep {
        match self.then {
            _ if missed_turns < self.misses => AbsentStep::SafeTurn,
            AfterMisses::SafeTurns => AbsentStep::SafeTurn,
            AfterMisses::Bot => AbsentStep::Bot,
            AfterMisses::Out => AbsentStep::Out,
        }
    }
}

impl Default for AbsentSettings {
    fn default() -> Self {
        Self { misses: 3, then: AfterMisses::Bot }
    }
}
