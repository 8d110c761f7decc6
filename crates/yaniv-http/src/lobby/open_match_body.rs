//! Open matches: public matches that wait for players.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use yaniv_app::Page;
use yaniv_app::lobby::open_matches::OpenMatch;

use crate::match_view::time_control_body::TimeControlBody;

/// A page of public matches that wait for players.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OpenMatchList)]
pub struct OpenMatchListBody {
    /// The server's time when it answered. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// Newest first.
    #[schema(max_items = 100)]
    pub items: Vec<OpenMatchBody>,
    /// `cursor` of the next page. Left out on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 100, examples("0193aa00000070008000000000000001"))]
    pub next_cursor: Option<String>,
}

/// A public match that waits for players.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OpenMatch)]
pub struct OpenMatchBody {
    /// Code of the match, for `getMatchByCode` and `joinMatch`.
    #[schema(
        min_length = 8,
        max_length = 8,
        pattern = "^[2-9BCDFGHJKMNPQRSTVWXZ]{8}$",
        examples("7KQ2MXDR")
    )]
    pub join_code: String,
    /// Preset whose rules the match has exactly. Left out for custom rules, which `getMatchByCode` shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, examples("yaniv"))]
    pub preset: Option<String>,
    /// Number of seats.
    #[schema(minimum = 2, maximum = 10, examples(2))]
    pub size: i32,
    /// `true` if the match counts for ratings; left out otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub rated: bool,
    /// Time control: the clock, and the handling of absent players.
    pub time_control: TimeControlBody,
    /// Seated players, in joining order.
    #[schema(max_items = 10, examples("ada"))]
    pub usernames: Vec<String>,
    /// The bots among them.
    #[schema(max_items = 10, examples("ada_bot"))]
    pub bots: Vec<String>,
    /// When the match was created.
    #[serde(serialize_with = "crate::values::time::print")]
    pub created_at: DateTime<Utc>,
}

impl From<Page<OpenMatch>> for OpenMatchListBody {
    fn from(page: Page<OpenMatch>) -> Self {
        Self {
            server_time: None,
            items: page.items.into_iter().map(OpenMatchBody::from).collect(),
            next_cursor: page.next_cursor,
        }
    }
}

impl From<OpenMatch> for OpenMatchBody {
    fn from(open: OpenMatch) -> Self {
        Self {
            join_code: open.code,
            preset: open.preset,
            size: i32::from(open.size),
            rated: open.rated,
            time_control: TimeControlBody::from(open.time_control),
            usernames: open.usernames,
            bots: open.bots,
            created_at: open.created_at,
        }
    }
}
