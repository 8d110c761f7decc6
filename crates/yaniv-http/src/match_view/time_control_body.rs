//! The pace of a match on the wire: its clock, and what is done for absent players. Flat, with a field for each number.

use serde::Serialize;
use utoipa::ToSchema;
use yaniv_clock::{AfterMisses, Clock};
use yaniv_match::time_control::TimeControl;

/// How time is counted in a match, and what is done for players who let deadlines pass.
///
/// First a safe turn is played for
/// them, which draws from the stock and never calls unless nothing else can be done.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Pace)]
pub struct PaceBody {
    /// `bank`: each turn takes from a bank, and adds to it; `turn`: the same time for each turn; `none`: no clock.
    #[schema(max_length = 16, examples("bank"))]
    pub clock: String,
    /// Seconds for each turn. Left out but with the clock `turn`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples(86_400))]
    pub turn_seconds: Option<u32>,
    /// Seconds in the bank at the start. Left out but with the clock `bank`, like the next two.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples(259_200))]
    pub bank_seconds: Option<u32>,
    /// Seconds that each turn adds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples(43_200))]
    pub gain_seconds: Option<u32>,
    /// The most that is kept, in seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples(432_000))]
    pub cap_seconds: Option<u32>,
    /// Whether a player's clock stands while they are on vacation.
    pub vacation: bool,
    /// Whether a player's clock stands in their quiet hours.
    pub quiet_hours: bool,
    /// After so many missed deadlines in a row more is done than a safe turn.
    #[schema(minimum = 1, maximum = 10, examples(3))]
    pub misses: i32,
    /// What is done then: `bot`, `out` or `safe_turns`.
    #[schema(max_length = 16, examples("bot"))]
    pub then: String,
}

/// What is done for a player who missed too many deadlines, as it is printed.
pub(crate) const AFTER: [(&str, AfterMisses); 3] =
    [("bot", AfterMisses::Bot), ("out", AfterMisses::Out), ("safe_turns", AfterMisses::SafeTurns)];

impl From<TimeControl> for PaceBody {
    fn from(pace: TimeControl) -> Self {
        let then = AFTER.iter().find(|(_, then)| *then == pace.absent.then()).map_or("bot", |(name, _)| name);
        let mut body = Self {
            clock: "none".to_owned(),
            turn_seconds: None,
            bank_seconds: None,
            gain_seconds: None,
            cap_seconds: None,
            vacation: pace.clock.vacation,
            quiet_hours: pace.clock.quiet_hours,
            misses: i32::from(pace.absent.misses()),
            then: then.to_owned(),
        };
        match pace.clock.clock {
            Clock::None => {}
            Clock::Turn { turn_seconds } => {
                "turn".clone_into(&mut body.clock);
                body.turn_seconds = Some(turn_seconds);
            }
            Clock::Bank { bank_seconds, gain_seconds, cap_seconds } => {
                "bank".clone_into(&mut body.clock);
                body.bank_seconds = Some(bank_seconds);
                body.gain_seconds = Some(gain_seconds);
                body.cap_seconds = Some(cap_seconds);
            }
        }
        body
    }
}
