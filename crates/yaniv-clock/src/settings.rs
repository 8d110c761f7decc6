//! Clock settings of a match, chosen by its creator, and the bounds of each number.

use serde::{Deserialize, Serialize};

use crate::span::Span;

const MINUTE: u32 = 60;
const DAY: u32 = 86_400;

/// Clock settings of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "SettingsForm", into = "SettingsForm")]
pub struct ClockSettings {
    /// The kind of clock.
    pub clock: Clock,
    /// Whether vacation stops a player's clock.
    pub vacation: bool,
    /// Whether quiet hours stop a player's clock.
    pub quiet_hours: bool,
}

/// The kind of clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// No clock: no deadlines.
    None,
    /// The same time for each wait, in seconds.
    Turn {
        /// Length in seconds.
        turn_seconds: u32,
    },
    /// A bank, reduced by every wait and increased after each.
    Bank {
        /// Bank at the start, in seconds.
        bank_seconds: u32,
        /// Increment after each wait, in seconds.
        gain_seconds: u32,
        /// Cap of the bank, in seconds.
        cap_seconds: u32,
    },
}

/// A clock as a bank. A fixed time per turn is a bank that is full again after each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bank {
    /// At the start.
    pub start: Span,
    /// After each wait.
    pub gain: Span,
    /// The cap.
    pub cap: Span,
}

impl ClockSettings {
    /// Time per turn: at least a minute, as less is too short on a bad network; at most 30 days.
    pub const TURN_SECONDS: (u32, u32) = (MINUTE, 30 * DAY);
    /// Bank at the start: at least five minutes, as a player has to notice the first turn; at most 30 days.
    pub const BANK_SECONDS: (u32, u32) = (5 * MINUTE, 30 * DAY);
    /// Increment after each wait: at least a minute, so that every turn has time; at most a week.
    pub const GAIN_SECONDS: (u32, u32) = (MINUTE, 7 * DAY);
    /// Cap: between the start of the bank and 30 days, which bounds how long one wait can take.
    pub const CAP_SECONDS: (u32, u32) = (5 * MINUTE, 30 * DAY);

    /// Checks the bounds.
    ///
    /// # Errors
    /// The first field out of bounds.
    pub fn check(&self) -> Result<(), SettingsError> {
        let within = |field, value, (least, most): (u32, u32)| {
            if (least..=most).contains(&value) {
                Ok(())
            } else {
                Err(SettingsError::Bounds { field, least, most })
            }
        };
        match self.clock {
            Clock::None => Ok(()),
            Clock::Turn { turn_seconds } => within("turn_seconds", turn_seconds, Self::TURN_SECONDS),
            Clock::Bank { bank_seconds, gain_seconds, cap_seconds } => {
                within("bank_seconds", bank_seconds, Self::BANK_SECONDS)?;
                within("gain_seconds", gain_seconds, Self::GAIN_SECONDS)?;
                within("cap_seconds", cap_seconds, Self::CAP_SECONDS)?;
                if cap_seconds < bank_seconds { Err(SettingsError::CapBelowBank) } else { Ok(()) }
            }
        }
    }

    /// The clock as a bank; `None` without a clock.
    #[must_use]
    pub const fn bank(&self) -> Option<Bank> {
        match self.clock {
            Clock::None => None,
            Clock::Turn { turn_seconds } => {
                let turn = Span::from_seconds(turn_seconds);
                Some(Bank { start: turn, gain: turn, cap: turn })
            }
            Clock::Bank { bank_seconds, gain_seconds, cap_seconds } => Some(Bank {
                start: Span::from_seconds(bank_seconds),
                gain: Span::from_seconds(gain_seconds),
                cap: Span::from_seconds(cap_seconds),
            }),
        }
    }
}

impl Default for ClockSettings {
    fn default() -> Self {
        let clock = Clock::Bank { bank_seconds: 3 * DAY, gain_seconds: DAY / 2, cap_seconds: 5 * DAY };
        Self { clock, vacation: true, quiet_hours: true }
    }
}

/// Why settings are refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// A number is out of its bounds.
    #[error("{field} must be from {least} to {most}")]
    Bounds {
        /// The field.
        field: &'static str,
        /// The minimum.
        least: u32,
        /// The maximum.
        most: u32,
    },
    /// The bank at the start is above the cap.
    #[error("cap_seconds must be bank_seconds at least")]
    CapBelowBank,
    /// A field that this kind of clock does not have, or that it requires.
    #[error("{0} does not fit the clock, or is missing")]
    Field(&'static str),
}

/// Stored and wire form of the settings: flat, absent values are omitted.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SettingsForm {
    clock: Kind,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    turn_seconds: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bank_seconds: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gain_seconds: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cap_seconds: Option<u32>,
    vacation: bool,
    quiet_hours: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    None,
    Turn,
    Bank,
}

impl TryFrom<SettingsForm> for ClockSettings {
    type Error = SettingsError;

    fn try_from(form: SettingsForm) -> Result<Self, SettingsError> {
        let fields = [
            ("turn_seconds", form.turn_seconds, matches!(form.clock, Kind::Turn)),
            ("bank_seconds", form.bank_seconds, matches!(form.clock, Kind::Bank)),
            ("gain_seconds", form.gain_seconds, matches!(form.clock, Kind::Bank)),
            ("cap_seconds", form.cap_seconds, matches!(form.clock, Kind::Bank)),
        ];
        if let Some((name, ..)) = fields.iter().find(|(_, value, wanted)| value.is_some() != *wanted) {
            return Err(SettingsError::Field(name));
        }
        let clock = match form.clock {
            Kind::None => Clock::None,
            Kind::Turn => Clock::Turn { turn_seconds: form.turn_seconds.unwrap_or_default() },
            Kind::Bank => Clock::Bank {
                bank_seconds: form.bank_seconds.unwrap_or_default(),
                gain_seconds: form.gain_seconds.unwrap_or_default(),
                cap_seconds: form.cap_seconds.unwrap_or_default(),
            },
        };
        let settings = Self { clock, vacation: form.vacation, quiet_hours: form.quiet_hours };
        settings.check()?;
        Ok(settings)
    }
}

impl From<ClockSettings> for SettingsForm {
    fn from(settings: ClockSettings) -> Self {
        let (vacation, quiet_hours) = (settings.vacation, settings.quiet_hours);
        let mut form = Self {
            clock: Kind::None,
            turn_seconds: None,
            bank_seconds: None,
            gain_seconds: None,
            cap_seconds: None,
            vacation,
            quiet_hours,
        };
        match settings.clock {
            Clock::None => {}
            Clock::Turn { turn_seconds } => {
                form.clock = Kind::Turn;
                form.turn_seconds = Some(turn_seconds);
            }
            Clock::Bank { bank_seconds, gain_seconds, cap_seconds } => {
                form.clock = Kind::Bank;
                form.bank_seconds = Some(bank_seconds);
                form.gain_seconds = Some(gain_seconds);
                form.cap_seconds = Some(cap_seconds);
            }
        }
        form
    }
}
