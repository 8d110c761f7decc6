//! Recap: a summary of a match since the player's last action.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use yaniv_app::history::recap::{Recap, RecapCall, RecapSeat};

use crate::match_view::log_body::LogEntryBody;
use crate::match_view::round_body::RoundBody;

/// Summary of a match since your last action, or since a version that you name, and what the match waits for now.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Recap)]
pub struct RecapBody {
    /// The server's time when it answered. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// Current version of the match.
    #[schema(minimum = 1, examples(5))]
    pub version: i32,
    /// The recap covers entries after this version. It is greater than the requested one if there are more than 500
    /// later entries.
    #[schema(minimum = 0, examples(2))]
    pub after: i32,
    /// `waiting`, `running` or `finished`.
    #[schema(max_length = 16, examples("running"))]
    pub status: String,
    /// Round in play, or the last one. Left out before the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 1000, examples(1))]
    pub round: Option<i32>,
    /// Whether the match waits for you.
    pub your_turn: bool,
    /// Your deadline. Left out while the match does not wait for you, and without a clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub your_deadline: Option<DateTime<Utc>>,
    /// Actions that you may take now, besides resigning. `getMatch` has the cards in `legal`.
    ///
    /// `play`, `call`, `pass`, `slam_down`, `request_card`, `answer_card_request`, `answer_call`, `answer_swap`;
    /// `take_seat_back` if a bot holds your seat. New ones may be added.
    #[schema(max_items = 20)]
    pub you_may: Vec<String>,
    /// Rounds that have ended since, oldest first, with all cards open.
    #[schema(max_items = 1000)]
    pub rounds: Vec<RoundBody>,
    /// Calls since, oldest first.
    #[schema(max_items = 500)]
    pub calls: Vec<RecapCallBody>,
    /// Each player's actions since and current state, by seat.
    #[schema(max_items = 10)]
    pub seats: Vec<RecapSeatBody>,
    /// The newest log entries since, at most 30, oldest first.
    #[schema(max_items = 30)]
    pub recent: Vec<LogEntryBody>,
}

/// A call.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RecapCall)]
pub struct RecapCallBody {
    /// Version of its log entry.
    #[schema(minimum = 1, examples(5))]
    pub version: i32,
    /// Number of the round.
    #[schema(minimum = 1, maximum = 1000, examples(1))]
    pub round: i32,
    /// Seat of the caller.
    #[schema(minimum = 0, maximum = 9, examples(0))]
    pub seat: i32,
    /// Outcome, as in `CallEntry`. Left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, pattern = "^[a-z_]+$", examples("revealed"))]
    pub outcome: Option<String>,
}

/// A player's actions since, and current state.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RecapSeat)]
pub struct RecapSeatBody {
    /// Number of the seat.
    #[schema(minimum = 0, maximum = 9, examples(0))]
    pub seat: i32,
    /// Username of the player.
    #[schema(max_length = 20, examples("ada"))]
    pub username: String,
    /// `true` for a bot; left out for people.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub bot: bool,
    /// Plays since, including those of bots, timeouts and standing orders.
    #[schema(minimum = 0, examples(1))]
    pub plays: i32,
    /// Calls since.
    #[schema(minimum = 0, examples(0))]
    pub calls: i32,
    /// Actions since by timeout: a deadline had passed.
    #[schema(minimum = 0, examples(0))]
    pub absences: i32,
    /// Actions since by a bot that holds the seat.
    #[schema(minimum = 0, examples(0))]
    pub by_bot: i32,
    /// Actions since by standing orders.
    #[schema(minimum = 0, examples(0))]
    pub by_standing_orders: i32,
    /// When the player last acted in person since. Left out if not at all.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub last_acted_at: Option<DateTime<Utc>>,
    /// `true` while a bot holds the seat for an absent player; left out otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub held_by_bot: bool,
    /// Whether the match waits for this player.
    pub to_act: bool,
    /// The player's deadline. Left out while the match does not wait for the player, and without a clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub deadline: Option<DateTime<Utc>>,
    /// Whether the player is out.
    pub out: bool,
    /// Total: the sum of the scores.
    #[schema(examples(42))]
    pub total: i32,
    /// Change of the total since; negative if it was reduced.
    #[schema(examples(12))]
    pub scored: i32,
}

impl From<&Recap> for RecapBody {
    fn from(recap: &Recap) -> Self {
        Self {
            server_time: None,
            version: recap.version,
            after: recap.after,
            status: recap.status.as_str().to_owned(),
            round: recap.round.map(i32::from),
            your_turn: recap.your_turn,
            your_deadline: recap.your_deadline,
            you_may: recap.you_may.iter().map(|&name| name.to_owned()).collect(),
            rounds: recap.rounds.iter().map(RoundBody::from).collect(),
            calls: recap.calls.iter().map(RecapCallBody::from).collect(),
            seats: recap.seats.iter().map(RecapSeatBody::from).collect(),
            recent: recap.recent.iter().map(LogEntryBody::from).collect(),
        }
    }
}

impl From<&RecapCall> for RecapCallBody {
    fn from(call: &RecapCall) -> Self {
        Self {
            version: call.version,
            round: i32::from(call.round),
            seat: i32::from(call.seat),
            outcome: call.outcome.map(|outcome| outcome.as_str().to_owned()),
        }
    }
}

impl From<&RecapSeat> for RecapSeatBody {
    fn from(seat: &RecapSeat) -> Self {
        let count = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
        Self {
            seat: i32::from(seat.seat.number()),
            username: seat.player.username.clone(),
            bot: seat.player.bot,
            plays: count(seat.plays),
            calls: count(seat.calls),
            absences: count(seat.absences),
            by_bot: count(seat.by_bot),
            by_standing_orders: count(seat.by_orders),
            last_acted_at: seat.last_acted_at,
            held_by_bot: seat.held,
            to_act: seat.waited_for,
            deadline: seat.deadline,
            out: seat.out,
            total: seat.total,
            scored: seat.scored,
        }
    }
}
