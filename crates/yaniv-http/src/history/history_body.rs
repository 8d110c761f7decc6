//! Match histories.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;
use yaniv_app::Page;
use yaniv_app::history::past_matches::PastMatch;

/// A page of a match history.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = History)]
pub struct HistoryBody {
    /// The server's time when it answered. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// Newest first.
    #[schema(max_items = 100)]
    pub items: Vec<HistoryMatchBody>,
    /// `cursor` of the next page. Left out on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 100, examples("0193aa00000070008000000000000001"))]
    pub next_cursor: Option<String>,
}

/// Summary of a match in a history.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = HistoryMatch)]
pub struct HistoryMatchBody {
    /// Identifier of the match.
    pub match_id: Uuid,
    /// `waiting`, `running` or `finished`.
    #[schema(max_length = 16, examples("finished"))]
    pub status: String,
    /// Preset whose rules the match has exactly. Left out for custom rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, examples("yaniv"))]
    pub preset: Option<String>,
    /// Number of seats.
    #[schema(minimum = 2, maximum = 10, examples(2))]
    pub size: i32,
    /// `private` or `public`.
    #[schema(max_length = 16, examples("public"))]
    pub visibility: String,
    /// Whether the match counts for ratings.
    pub rated: bool,
    /// `true` for a sandbox (test match); left out otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub sandbox: bool,
    /// Rounds so far, the one in play included; 0 before the start.
    #[schema(minimum = 0, maximum = 1000, examples(9))]
    pub rounds: i32,
    /// Seat of the history's player.
    #[schema(minimum = 0, maximum = 9, examples(0))]
    pub seat: i32,
    /// Whether that player `won` or `lost`; a shared first place is `won`. Left out until the match is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 16, pattern = "^(won|lost)$", examples("won"))]
    pub result: Option<String>,
    /// The players, by seat.
    #[schema(max_items = 10)]
    pub seats: Vec<HistorySeatBody>,
    /// When the match was created.
    #[serde(serialize_with = "crate::values::time::print")]
    pub created_at: DateTime<Utc>,
    /// When the first cards were dealt. Left out before the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub started_at: Option<DateTime<Utc>>,
    /// When the match ended. Left out until then.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub finished_at: Option<DateTime<Utc>>,
}

/// A seat in a match history.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = HistorySeat)]
pub struct HistorySeatBody {
    /// Number of the seat, from 0.
    #[schema(minimum = 0, maximum = 9, examples(0))]
    pub seat: i32,
    /// Username of the player.
    #[schema(max_length = 20, examples("ada"))]
    pub username: String,
    /// `true` for a bot; left out for people.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub bot: bool,
    /// Total: the sum of the scores. Left out before the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples(42))]
    pub total: Option<i32>,
    /// Final place, from 1; ties share a place. Left out until the match is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 10, examples(1))]
    pub place: Option<i32>,
}

impl From<Page<PastMatch>> for HistoryBody {
    fn from(page: Page<PastMatch>) -> Self {
        let items = page.items.iter().map(HistoryMatchBody::from).collect();
        Self { server_time: None, items, next_cursor: page.next_cursor }
    }
}

impl From<&PastMatch> for HistoryMatchBody {
    fn from(past: &PastMatch) -> Self {
        let seats = (0_i32..).zip(&past.players).map(|(seat, (player, total, place))| HistorySeatBody {
            seat,
            username: player.username.clone(),
            bot: player.bot,
            total: *total,
            place: place.map(i32::from),
        });
        let place = past.seat.and_then(|seat| past.players.get(seat.index())?.2);
        Self {
            match_id: past.id.0,
            status: past.status.as_str().to_owned(),
            preset: past.preset.clone(),
            size: i32::from(past.size),
            visibility: past.visibility.clone(),
            rated: past.rated,
            sandbox: past.sandbox,
            rounds: i32::from(past.rounds),
            seat: past.seat.map_or(0, |seat| i32::from(seat.number())),
            result: place.map(|place| if place == 1 { "won" } else { "lost" }.to_owned()),
            seats: seats.collect(),
            created_at: past.created_at,
            started_at: past.started_at,
            finished_at: past.finished_at,
        }
    }
}
