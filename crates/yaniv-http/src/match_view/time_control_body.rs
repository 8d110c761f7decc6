//! The time control of a match on the wire: one flat object, with a field for each number.

use serde::Serialize;
use utoipa::ToSchema;
use yaniv_clock::Clock;
use yaniv_match::time_control::TimeControl;

use crate::values::words::{AbsentRule, ClockKind};

/// Time control of a match, and what happens after missed deadlines.
///
/// After each missed deadline the service plays a safe turn for the player: it draws from the stock, and does not call
/// unless nothing else is possible.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = TimeControl)]
pub struct TimeControlBody {
    /// `bank`: a turn takes time from the player's bank, then adds the gain; `turn`: the same time for each turn;
    /// `none`: no clock.
    #[schema(max_length = 16, examples("bank"))]
    pub clock: String,
    /// Seconds for each turn. Only with the clock `turn`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples(86_400))]
    pub turn_seconds: Option<u32>,
    /// Seconds in the bank at the start. Only with the clock `bank`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples(259_200))]
    pub bank_seconds: Option<u32>,
    /// Seconds that each turn adds to the bank. Only with the clock `bank`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples(43_200))]
    pub gain_seconds: Option<u32>,
    /// Maximum of the bank, in seconds. Only with the clock `bank`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples(432_000))]
    pub cap_seconds: Option<u32>,
    /// Whether a player's clock stops while they are on vacation.
    pub vacation: bool,
    /// Whether a player's clock stops in their quiet hours.
    pub quiet_hours: bool,
    /// Number of missed deadlines in a row after which `then` applies.
    #[schema(minimum = 1, maximum = 10, examples(3))]
    pub misses: i32,
    /// `bot`: a bot holds the seat until the player takes it back; `out`: the player is out; `safe_turns`: more safe
    /// turns; after 30 in a row a bot holds the seat.
    #[schema(max_length = 16, examples("bot"))]
    pub then: String,
}

impl From<TimeControl> for TimeControlBody {
    fn from(time_control: TimeControl) -> Self {
        let mut body = Self {
            clock: ClockKind::None.as_str().to_owned(),
            turn_seconds: None,
            bank_seconds: None,
            gain_seconds: None,
            cap_seconds: None,
            vacation: time_control.clock.vacation,
            quiet_hours: time_control.clock.quiet_hours,
            misses: i32::from(time_control.absent.misses()),
            then: AbsentRule::from(time_control.absent.then()).as_str().to_owned(),
        };
        match time_control.clock.clock {
            Clock::None => {}
            Clock::Turn { turn_seconds } => {
                ClockKind::Turn.as_str().clone_into(&mut body.clock);
                body.turn_seconds = Some(turn_seconds);
            }
            Clock::Bank { bank_seconds, gain_seconds, cap_seconds } => {
                ClockKind::Bank.as_str().clone_into(&mut body.clock);
                body.bank_seconds = Some(bank_seconds);
                body.gain_seconds = Some(gain_seconds);
                body.cap_seconds = Some(cap_seconds);
            }
        }
        body
    }
}
