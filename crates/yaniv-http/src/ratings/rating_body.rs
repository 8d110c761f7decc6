//! Ratings, their changes, and leaderboards.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;
use yaniv_app::Page;
use yaniv_app::ratings::queries::{Leaderboard, Listed, Rating, RatingChange};

/// A player's ratings.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RatingList)]
pub struct RatingListBody {
    /// The server's time when it answered. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// The ratings, by preset.
    #[schema(max_items = 100)]
    pub items: Vec<RatingBody>,
}

/// A rating: the estimated strength of a player under the rules of a preset.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Rating)]
pub struct RatingBody {
    /// The preset.
    #[schema(max_length = 32, examples("yaniv"))]
    pub preset: String,
    /// The rating. It begins at 1500.
    #[schema(examples(1658))]
    pub rating: i32,
    /// Uncertainty: two times out of three the true strength is within this distance of the rating. It begins at 500.
    #[schema(minimum = 0, maximum = 500, examples(484))]
    pub deviation: i32,
    /// Whether the rating is provisional: its deviation is above 350. Such players are not on the leaderboard.
    pub provisional: bool,
    /// Number of rated matches.
    #[schema(minimum = 1, examples(1))]
    pub matches: i32,
    /// When the newest of them ended.
    #[serde(serialize_with = "crate::values::time::print")]
    pub last_match_at: DateTime<Utc>,
    /// Rank on the leaderboard, from 1; equal ratings share it. Left out if the player is not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<i32>, nullable = false, minimum = 1, examples(12))]
    pub rank: Option<i64>,
    /// Number of players on the leaderboard.
    #[schema(value_type = i32, minimum = 0, examples(340))]
    pub players: i64,
}

/// A page of the changes of a rating.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RatingChangeList)]
pub struct RatingChangeListBody {
    /// The server's time when it answered. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// The newest first.
    #[schema(max_items = 100)]
    pub items: Vec<RatingChangeBody>,
    /// Value of `cursor` for the next page. Left out on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 100, examples("17"))]
    pub next_cursor: Option<String>,
}

/// The change of a rating by a match.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RatingChange)]
pub struct RatingChangeBody {
    /// The match. Left out if it is private and you had no seat in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub match_id: Option<Uuid>,
    /// When the match ended. Ratings change in this order.
    #[serde(serialize_with = "crate::values::time::print")]
    pub at: DateTime<Utc>,
    /// Number of the match among the player's rated matches of this preset, from 1.
    #[schema(minimum = 1, examples(18))]
    pub number: i32,
    /// Place in the match, from 1; places can be shared.
    #[schema(minimum = 1, maximum = 10, examples(1))]
    pub place: i32,
    /// Number of players in the match.
    #[schema(minimum = 2, maximum = 10, examples(4))]
    pub players: i32,
    /// The rating before the match.
    #[schema(examples(1500))]
    pub rating_before: i32,
    /// The rating after the match.
    #[schema(examples(1737))]
    pub rating: i32,
    /// The deviation before the match.
    #[schema(minimum = 0, maximum = 500, examples(500))]
    pub deviation_before: i32,
    /// The deviation after the match.
    #[schema(minimum = 0, maximum = 500, examples(476))]
    pub deviation: i32,
}

/// A part of a leaderboard.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Leaderboard)]
pub struct LeaderboardBody {
    /// The server's time when it answered. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// The preset.
    #[schema(max_length = 32, examples("yaniv"))]
    pub preset: String,
    /// Whether it is the leaderboard of bots.
    pub bots: bool,
    /// Number of players on the leaderboard.
    #[schema(value_type = i32, minimum = 0, examples(340))]
    pub players: i64,
    /// The players, from the top down.
    #[schema(max_items = 100)]
    pub items: Vec<LeaderboardEntryBody>,
    /// Value of `cursor` of `listLeaderboard` for the next page. Left out on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 100, examples("1658.ada"))]
    pub next_cursor: Option<String>,
}

/// A player on a leaderboard.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LeaderboardEntry)]
pub struct LeaderboardEntryBody {
    /// Rank, from 1; equal ratings share it.
    #[schema(value_type = i32, minimum = 1, examples(12))]
    pub rank: i64,
    /// The account's name.
    #[schema(max_length = 20, examples("ada"))]
    pub username: String,
    /// The rating.
    #[schema(examples(1658))]
    pub rating: i32,
    /// The deviation: uncertainty of the rating.
    #[schema(minimum = 0, maximum = 500, examples(104))]
    pub deviation: i32,
    /// Number of rated matches.
    #[schema(minimum = 1, examples(87))]
    pub matches: i32,
    /// When the newest of them ended.
    #[serde(serialize_with = "crate::values::time::print")]
    pub last_match_at: DateTime<Utc>,
}

impl From<Vec<Rating>> for RatingListBody {
    fn from(ratings: Vec<Rating>) -> Self {
        Self { server_time: None, items: ratings.into_iter().map(RatingBody::from).collect() }
    }
}

impl From<Rating> for RatingBody {
    fn from(rating: Rating) -> Self {
        Self {
            preset: rating.preset,
            rating: rating.strength.rating(),
            deviation: rating.strength.deviation(),
            provisional: rating.strength.is_provisional(),
            matches: rating.matches,
            last_match_at: rating.last_at,
            rank: rating.rank,
            players: rating.players,
        }
    }
}

impl From<Page<RatingChange>> for RatingChangeListBody {
    fn from(page: Page<RatingChange>) -> Self {
        Self {
            server_time: None,
            items: page.items.into_iter().map(RatingChangeBody::from).collect(),
            next_cursor: page.next_cursor,
        }
    }
}

impl From<RatingChange> for RatingChangeBody {
    fn from(change: RatingChange) -> Self {
        Self {
            match_id: change.match_id.map(|id| id.0),
            at: change.at,
            number: change.number,
            place: i32::from(change.place),
            players: i32::from(change.players),
            rating_before: change.before.rating(),
            rating: change.after.rating(),
            deviation_before: change.before.deviation(),
            deviation: change.after.deviation(),
        }
    }
}

impl From<Leaderboard> for LeaderboardBody {
    fn from(board: Leaderboard) -> Self {
        Self {
            server_time: None,
            preset: board.preset.as_str().to_owned(),
            bots: board.bots,
            players: board.players,
            items: board.page.items.into_iter().map(LeaderboardEntryBody::from).collect(),
            next_cursor: board.page.next_cursor,
        }
    }
}

impl From<Listed> for LeaderboardEntryBody {
    fn from(listed: Listed) -> Self {
        Self {
            rank: listed.rank,
            username: listed.username,
            rating: listed.strength.rating(),
            deviation: listed.strength.deviation(),
            matches: listed.matches,
            last_match_at: listed.last_at,
        }
    }
}
