//! The events of the match log. [`MatchState::apply`] is their one transition.
//!
//! A command checks its preconditions and makes an event. The event changes the state, is stored, and is
//! folded again by replays, records, statistics and the integrity check (`fsck`).

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use uuid::Uuid;
use yaniv_bot::Level;
use yaniv_clock::Calendar;
use yaniv_engine::{Action, CallOutcome, Card, Seat};
use yaniv_model::ids::AccountId;

use crate::calendar_codec::CalendarChange;
use crate::join_code::JoinCode;
use crate::origin::ActionOrigin;
use crate::state::Calendars;
use crate::state::{MatchState, Step};

/// An entry of the match log.
#[derive(Clone, Debug)]
pub struct LoggedEvent {
    /// 1, 2, 3 … without a gap.
    pub version: i32,
    /// When the entry was accepted.
    pub at: DateTime<Utc>,
    /// Round of the entry; 0 before the start.
    pub round: i16,
    /// The event.
    pub event: LogEvent,
}

/// An event of a match.
#[derive(Clone, Debug)]
pub enum LogEvent {
    /// A player took a seat.
    Joined {
        /// The player.
        account: AccountId,
        /// The player's seed for the shuffles.
        client_seed: String,
    },
    /// A player left before the start.
    Left {
        /// The player.
        account: AccountId,
    },
    /// The host removed a player before the start.
    Removed {
        /// The removed player.
        account: AccountId,
    },
    /// The first cards were dealt.
    Started {
        /// The account that started the match.
        account: AccountId,
        /// The calendars of the players who have one.
        calendars: Calendars,
    },
    /// The host replaced the join code.
    CodeRenewed {
        /// The host.
        account: AccountId,
        /// The new code.
        code: JoinCode,
    },
    /// The host revoked the join code.
    CodeRevoked {
        /// The host.
        account: AccountId,
    },
    /// The player's vacations or quiet hours changed.
    CalendarChanged {
        /// The player.
        seat: Seat,
        /// The part that changed.
        change: CalendarChange,
        /// The new calendar.
        calendar: Calendar,
    },
    /// A bot took over the seat of an absent player.
    SeatHeld {
        /// The seat.
        seat: Seat,
    },
    /// The owner took the seat back.
    SeatTakenBack {
        /// The seat.
        seat: Seat,
    },
    /// The player reminded other players of their turn.
    Nudged {
        /// The reminding player.
        seat: Seat,
        /// The reminded players.
        seats: Vec<u8>,
    },
    /// The clock of a sandbox was moved ahead.
    ClockMoved {
        /// The player who moved it.
        seat: Seat,
        /// Distance in microseconds.
        by: i64,
    },
    /// An action of the game.
    Action(ActionEvent),
}

/// An action of the game, with all its cards.
///
/// Some of the cards are hidden from players: the filtered form is [`crate::view::LogEntry`].
#[derive(Clone, Debug)]
pub struct ActionEvent {
    /// The acting seat.
    pub seat: Seat,
    /// The action.
    pub action: Action,
    /// Origin of the action.
    pub origin: ActionOrigin,
    /// Cards drawn from the stock; for a slam-down, the card.
    pub drew: Vec<Card>,
    /// Outcome of a call.
    pub outcome: Option<CallOutcome>,
    /// The stock was refilled.
    pub recycled: bool,
    /// It ended the round.
    pub ended_round: bool,
    /// It ended the match.
    pub ended_match: bool,
}

/// Names and kind of an account.
#[derive(Clone, Debug)]
pub struct Name {
    /// The username.
    pub username: String,
    /// The display name.
    pub display_name: Option<String>,
    /// Whether it is a bot.
    pub bot: bool,
    /// Level of a house bot.
    pub level: Option<Level>,
}

/// Names of accounts.
pub type Names = HashMap<Uuid, Name>;

impl LogEvent {
    /// The seat of the player; `None` before the start.
    pub fn seat(&self) -> Option<Seat> {
        match self {
            Self::CalendarChanged { seat, .. }
            | Self::SeatHeld { seat }
            | Self::SeatTakenBack { seat }
            | Self::Nudged { seat, .. }
            | Self::ClockMoved { seat, .. } => Some(*seat),
            Self::Action(action) => Some(action.seat),
            Self::Joined { .. }
            | Self::Left { .. }
            | Self::Removed { .. }
            | Self::Started { .. }
            | Self::CodeRenewed { .. }
            | Self::CodeRevoked { .. } => None,
        }
    }

    /// The account of the player; `None` after the start, where the seat identifies the player.
    pub fn account(&self) -> Option<AccountId> {
        match self {
            Self::Joined { account, .. }
            | Self::Left { account }
            | Self::Removed { account }
            | Self::Started { account, .. }
            | Self::CodeRenewed { account, .. }
            | Self::CodeRevoked { account } => Some(*account),
            _ => None,
        }
    }

    /// The action, if it is one.
    pub fn action(&self) -> Option<&ActionEvent> {
        if let Self::Action(action) = self { Some(action) } else { None }
    }
}

impl LoggedEvent {
    /// The action, if it is one.
    pub fn action(&self) -> Option<&ActionEvent> {
        self.event.action()
    }

    /// The events of the steps just played; the last one has the version of the state.
    pub fn of_steps(
        state: &MatchState,
        seat: Seat,
        steps: &[Step],
        at: DateTime<Utc>,
    ) -> impl Iterator<Item = Self> {
        let before = i32::try_from(steps.len()).map_or(0, |count| state.version().saturating_sub(count));
        let event = move |(number, step): (i32, &Step)| Self {
            version: before.saturating_add(number),
            at,
            round: i16::try_from(step.played.round).unwrap_or(i16::MAX),
            event: LogEvent::Action(step.event(seat)),
        };
        (1..).zip(steps).map(event)
    }
}

impl ActionEvent {
    /// The card that was slammed down, which all players see.
    pub fn slammed(&self) -> Option<Card> {
        self.drew.first().copied().filter(|_| matches!(self.action, Action::Slam { .. }))
    }
}

impl Step {
    /// The event of a played action.
    pub fn event(&self, seat: Seat) -> ActionEvent {
        let played = &self.played;
        ActionEvent {
            seat,
            action: self.action.clone(),
            origin: self.origin,
            drew: played.drew.iter().chain(played.drew_three.iter()).chain(&self.slammed).copied().collect(),
            outcome: played.call,
            recycled: played.recycled,
            ended_round: played.round_ended.is_some(),
            ended_match: played.match_ended.is_some(),
        }
    }
}
