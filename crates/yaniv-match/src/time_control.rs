//! Time control of a match: its clock, and the handling of players who miss deadlines. The clock arithmetic
//! is in `yaniv_clock`.

use serde::{Deserialize, Serialize};
use yaniv_clock::{AbsentSettings, Clock, ClockSettings};

use crate::error::MatchError;

/// The time control of a match.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TimeControl {
    /// Clock settings: kind of clock, and pauses.
    pub clock: ClockSettings,
    /// Handling of absent players.
    pub absent: AbsentSettings,
}

impl TimeControl {
    /// No clock, no deadlines.
    pub fn unlimited() -> Self {
        let clock = ClockSettings { clock: Clock::None, ..ClockSettings::default() };
        Self { clock, absent: AbsentSettings::default() }
    }

    /// Parses the stored form; matches created before clocks existed have none stored.
    ///
    /// # Errors
    /// `Damaged` if the value is not valid.
    pub fn from_stored(stored: Option<&serde_json::Value>) -> Result<Self, MatchError> {
        let Some(stored) = stored else { return Ok(Self::unlimited()) };
        Self::deserialize(stored).map_err(|error| MatchError::Damaged(format!("time_control: {error}")))
    }

    /// Serializes to the stored form.
    ///
    /// # Errors
    /// If serialization fails.
    pub fn to_stored(self) -> Result<serde_json::Value, MatchError> {
        serde_json::to_value(self).map_err(|error| MatchError::Damaged(format!("time_control: {error}")))
    }

    /// The longest time of one turn with the clock running, in seconds; `None` without a clock.
    pub fn longest_turn(self) -> Option<i64> {
        self.clock.bank().map(|bank| bank.cap.seconds())
    }
}
