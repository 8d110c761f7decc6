//! The matches that wait for the caller.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;
use yaniv_app::matches::my_turns::{Turn, Turns};

use crate::match_view::log_body::LogEntryBody;
use crate::matches::match_list_body::{MatchSummaryBody, SummarySeatBody};

/// The matches that wait for you.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TurnList)]
pub struct TurnListBody {
    /// The server's time when it answered. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// Total number of matches that wait for you, listed or not, as for a badge.
    #[schema(value_type = i32, minimum = 0, examples(1))]
    pub count: i64,
    /// The nearest deadline first.
    #[schema(max_items = 100)]
    pub items: Vec<TurnBody>,
}

/// A match that waits for you.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Turn)]
pub struct TurnBody {
    /// Identifier of the match.
    pub match_id: Uuid,
    /// Number of entries in its log.
    #[schema(minimum = 1, examples(5))]
    pub version: i32,
    /// Preset with exactly these rules. Left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, examples("yaniv"))]
    pub preset: Option<String>,
    /// Your seat.
    #[schema(minimum = 0, maximum = 9, examples(0))]
    pub your_seat: i32,
    /// Seats that have to act, yours among them.
    #[schema(max_items = 10)]
    pub to_act: Vec<i32>,
    /// Number of the round in play, from 1.
    #[schema(minimum = 1, maximum = 1000, examples(1))]
    pub round: i32,
    /// Players, by seat.
    #[schema(max_items = 10)]
    pub seats: Vec<SummarySeatBody>,
    /// Your deadline. Left out without a clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub deadline: Option<DateTime<Utc>>,
    /// When the match began to wait for you.
    #[serde(serialize_with = "crate::values::time::print")]
    pub waiting_since: DateTime<Utc>,
    /// The newest entry of the log.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub last_entry: Option<LogEntryBody>,
}

impl From<&Turn> for TurnBody {
    fn from(turn: &Turn) -> Self {
        let summary = MatchSummaryBody::from(&turn.summary);
        Self {
            match_id: summary.match_id,
            version: summary.version,
            preset: summary.preset,
            your_seat: summary.your_seat.unwrap_or_default(),
            to_act: summary.to_act,
            round: summary.round.unwrap_or(1),
            seats: summary.seats,
            deadline: summary.your_deadline,
            waiting_since: turn
                .summary
                .your_seat()
                .and_then(|seat| seat.waiting_since)
                .unwrap_or(summary.updated_at),
            last_entry: turn.last.as_ref().map(LogEntryBody::from),
        }
    }
}

impl From<Turns> for TurnListBody {
    fn from(turns: Turns) -> Self {
        Self {
            server_time: None,
            count: turns.count,
            items: turns.items.iter().map(TurnBody::from).collect(),
        }
    }
}
