//! Request for a time control: the clock, and the handling of absent players. Flat, with a field for each number.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use yaniv_clock::{AbsentSettings, AfterMisses, Clock, ClockSettings, SettingsError};
use yaniv_match::time_control::TimeControl;

use crate::kernel::error::ApiError;
use crate::kernel::problem::ProblemCode;
use crate::values::words::{AbsentRule, ClockKind};

/// A time control.
///
/// Defaults: a bank of 72 hours, plus 12 hours for each turn, at most 120 hours; after three missed deadlines in a row
/// a bot holds the seat until its player takes it back.
#[derive(Clone, Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = TimeControlRequest)]
pub struct TimeControlRequest {
    /// `bank` (default): a turn uses time from a bank and adds a gain to it; `turn`: a fixed time for each turn;
    /// `none`: no clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    clock: Option<ClockKind>,
    /// With the clock `turn`: seconds for each turn; 259200 (three days) if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false, minimum = 60, maximum = 2_592_000, examples(86_400))]
    turn_seconds: Option<u32>,
    /// With the clock `bank`: seconds in the bank at the start; 259200 (72 hours) if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false, minimum = 300, maximum = 2_592_000, examples(259_200))]
    bank_seconds: Option<u32>,
    /// With the clock `bank`: seconds that each turn adds; 43200 (12 hours) if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false, minimum = 60, maximum = 604_800, examples(43_200))]
    gain_seconds: Option<u32>,
    /// With the clock `bank`: most seconds in the bank, at least `bank_seconds`; 432000 (120 hours), or `bank_seconds`
    /// if that is more, if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false, minimum = 300, maximum = 2_592_000, examples(432_000))]
    cap_seconds: Option<u32>,
    /// Whether vacations pause a player's clock; `true` if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false, examples(true))]
    vacation: Option<bool>,
    /// Whether quiet hours pause a player's clock; `true` if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false, examples(true))]
    quiet_hours: Option<bool>,
    /// Number of missed deadlines in a row after which `then` applies; until then each one leads to a safe turn; 3 if
    /// left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false, minimum = 1, maximum = 10, examples(3))]
    misses: Option<u16>,
    /// What happens after `misses`. `bot` (default): a bot holds the seat until its player takes it back; `out`: the
    /// player is out; `safe_turns`: only safe turns, as before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(required = false, nullable = false)]
    then: Option<AbsentRule>,
}

impl TimeControlRequest {
    /// Whether all fields are absent.
    pub fn is_default(&self) -> bool {
        let numbers = [self.turn_seconds, self.bank_seconds, self.gain_seconds, self.cap_seconds];
        let flags = [self.vacation, self.quiet_hours];
        numbers.iter().all(Option::is_none)
            && flags.iter().all(Option::is_none)
            && self.misses.is_none()
            && self.clock.is_none()
            && self.then.is_none()
    }

    /// Validates the request and fills in the defaults.
    ///
    /// # Errors
    /// `invalid_body`, with the field.
    pub fn time_control(&self) -> Result<TimeControl, ApiError> {
        let clock = self.clock()?;
        let settings = ClockSettings {
            clock,
            vacation: self.vacation.unwrap_or(true),
            quiet_hours: self.quiet_hours.unwrap_or(true),
        };
        settings.check().map_err(|error| match error {
            SettingsError::Bounds { field: name, .. } => field(name, &error.to_string()),
            _ => field("cap_seconds", "must be at least bank_seconds"),
        })?;
        let default = AbsentSettings::default();
        let then = self.then.map_or(default.then(), AfterMisses::from);
        let absent = AbsentSettings::new(self.misses.unwrap_or(default.misses()), then);
        let absent = absent.ok_or_else(|| field("misses", "must be 1 to 10"))?;
        Ok(TimeControl { clock: settings, absent })
    }

    fn clock(&self) -> Result<Clock, ApiError> {
        let kind = self.clock.unwrap_or(ClockKind::Bank);
        let fields = [
            ("turn_seconds", self.turn_seconds, kind == ClockKind::Turn),
            ("bank_seconds", self.bank_seconds, kind == ClockKind::Bank),
            ("gain_seconds", self.gain_seconds, kind == ClockKind::Bank),
            ("cap_seconds", self.cap_seconds, kind == ClockKind::Bank),
        ];
        if let Some((name, ..)) = fields.iter().find(|(_, value, fits)| value.is_some() && !fits) {
            return Err(field(name, "is not allowed with this clock"));
        }
        let Clock::Bank { bank_seconds, gain_seconds, cap_seconds } = ClockSettings::default().clock else {
            return Err(ApiError::plain(ProblemCode::Internal));
        };
        match kind {
            ClockKind::None => Ok(Clock::None),
            ClockKind::Turn => Ok(Clock::Turn { turn_seconds: self.turn_seconds.unwrap_or(bank_seconds) }),
            ClockKind::Bank => {
                let bank = self.bank_seconds.unwrap_or(bank_seconds);
                Ok(Clock::Bank {
                    bank_seconds: bank,
                    gain_seconds: self.gain_seconds.unwrap_or(gain_seconds),
                    cap_seconds: self.cap_seconds.unwrap_or(cap_seconds.max(bank)),
                })
            }
        }
    }
}

fn field(name: &str, detail: &str) -> ApiError {
    ApiError::field(ProblemCode::InvalidBody, format!("time_control.{name}"), detail)
}
