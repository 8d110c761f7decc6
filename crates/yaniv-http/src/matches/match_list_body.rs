//! Lists of matches.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;
use yaniv_app::Page;
use yaniv_app::matches::list::{MatchSummary, SummarySeat};

/// A page of your matches.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MatchList)]
pub struct MatchListBody {
    /// The server's time when it answered. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// Matches that wait for you first.
    #[schema(max_items = 100)]
    pub items: Vec<MatchSummaryBody>,
    /// Value of `cursor` for the next page. Left out on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        nullable = false,
        max_length = 100,
        examples("1.64b9f0e2a1c00.0193aa00000070008000000000000001")
    )]
    pub next_cursor: Option<String>,
}

/// Summary of a match.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MatchSummary)]
pub struct MatchSummaryBody {
    /// Identifier of the match.
    pub match_id: Uuid,
    /// Code to share.
    #[schema(min_length = 8, max_length = 8, examples("7KQ2MXDR"))]
    pub join_code: String,
    /// Preset with exactly these rules. Left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, examples("yaniv"))]
    pub preset: Option<String>,
    /// `waiting`, `running` or `finished`.
    #[schema(max_length = 16, examples("running"))]
    pub status: String,
    /// Number of entries in the log.
    #[schema(minimum = 1, examples(5))]
    pub version: i32,
    /// Number of seats.
    #[schema(minimum = 2, maximum = 10, examples(2))]
    pub size: i32,
    /// `true` if the match counts for ratings; otherwise left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub rated: bool,
    /// Your seat.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 9, examples(0))]
    pub your_seat: Option<i32>,
    /// Whether the match waits for you.
    pub your_turn: bool,
    /// Your deadline. Left out while the match does not wait for you, and without a clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub your_deadline: Option<DateTime<Utc>>,
    /// Seats that have to act.
    #[schema(max_items = 10)]
    pub to_act: Vec<i32>,
    /// Number of the round in play, from 1. Left out before the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 1000, examples(1))]
    pub round: Option<i32>,
    /// Players, by seat.
    #[schema(max_items = 10)]
    pub seats: Vec<SummarySeatBody>,
    /// When the match was created.
    #[serde(serialize_with = "crate::values::time::print")]
    pub created_at: DateTime<Utc>,
    /// When the newest entry of the log was accepted.
    #[serde(serialize_with = "crate::values::time::print")]
    pub updated_at: DateTime<Utc>,
}

/// Summary of a seat.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SummarySeat)]
pub struct SummarySeatBody {
    /// Number of the seat, from 0.
    #[schema(minimum = 0, maximum = 9, examples(0))]
    pub seat: i32,
    /// Name of the player.
    #[schema(max_length = 20, examples("ada"))]
    pub username: String,
    /// Display name. Left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 1, max_length = 30, examples("Ada Lovelace"))]
    pub display_name: Option<String>,
    /// `true` for a bot; left out for people.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub bot: bool,
    /// Sum of the scores. Left out before the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples(42))]
    pub total: Option<i32>,
    /// Deadline of this player. Left out while the match does not wait for them, and without a clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub deadline: Option<DateTime<Utc>>,
    /// When the match began to wait for this player. Left out while it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub waiting_since: Option<DateTime<Utc>>,
    /// `true` while a bot holds the seat for an absent player; otherwise left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub held_by_bot: bool,
}

impl From<Page<MatchSummary>> for MatchListBody {
    fn from(page: Page<MatchSummary>) -> Self {
        Self {
            server_time: None,
            items: page.items.iter().map(MatchSummaryBody::from).collect(),
            next_cursor: page.next_cursor,
        }
    }
}

impl From<&MatchSummary> for MatchSummaryBody {
    fn from(summary: &MatchSummary) -> Self {
        Self {
            match_id: summary.id.0,
            join_code: summary.code.clone(),
            preset: summary.preset.clone(),
            status: summary.status.as_str().to_owned(),
            version: summary.version,
            size: i32::from(summary.size),
            rated: summary.rated,
            your_seat: summary.you.map(|seat| i32::from(seat.number())),
            your_turn: summary.your_turn,
            your_deadline: summary.your_seat().and_then(|seat| seat.deadline),
            to_act: summary.to_act.iter().map(|seat| i32::from(seat.number())).collect(),
            round: summary.round.map(i32::from),
            seats: (0_i32..).zip(&summary.seats).map(SummarySeatBody::from).collect(),
            created_at: summary.created_at,
            updated_at: summary.updated_at,
        }
    }
}

impl From<(i32, &SummarySeat)> for SummarySeatBody {
    fn from((number, seat): (i32, &SummarySeat)) -> Self {
        Self {
            seat: number,
            username: seat.player.username.clone(),
            display_name: seat.player.display_name.clone(),
            bot: seat.player.bot,
            total: seat.total,
            deadline: seat.deadline,
            waiting_since: seat.waiting_since,
            held_by_bot: seat.held_by_bot,
        }
    }
}
