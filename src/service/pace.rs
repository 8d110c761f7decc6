//! What the creator of a match says about time: its clock, and what is done for players who let deadlines pass.

use serde::{Deserialize, Serialize};
use yaniv_clock::{AbsentSettings, Clock, ClockSettings};

use super::ServiceError;
use crate::store::StoreError;

/// The pace of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pace {
    /// How time is counted, and what stops the clocks.
    pub clock: ClockSettings,
    /// What is done for absent players.
    pub absent: AbsentSettings,
}

impl Pace {
    /// No clock: nobody is ever late.
    pub fn unlimited() -> Self {
        let clock = ClockSettings { clock: Clock::None, ..ClockSettings::default() };
        Self { clock, absent: AbsentSettings::default() }
    }

    /// From its stored form; nothing is stored of matches from before there were clocks.
    ///
    /// # Errors
    /// `Damaged` if it is none.
    pub fn from_stored(stored: Option<&serde_json::Value>) -> Result<Self, StoreError> {
        let Some(stored) = stored else { return Ok(Self::unlimited()) };
        Self::deserialize(stored).map_err(|error| StoreError::Damaged(format!("pace: {error}")))
    }

    /// As it is stored.
    ///
    /// # Errors
    /// Only if it cannot be printed.
    pub fn to_stored(self) -> Result<serde_json::Value, ServiceError> {
        serde_json::to_value(self).map_err(ServiceError::internal)
    }

    /// The longest time that one turn can take with the clock running, in seconds; none without a clock.
    pub fn longest_turn(self) -> Option<i64> {
        self.clock.bank().map(|bank| bank.cap.seconds())
    }
}
