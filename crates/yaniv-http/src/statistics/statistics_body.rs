//! Statistics of a player.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use yaniv_app::statistics::queries::{NamedFigures, PlaceCount, PlayerFigures, PlayerStatistics};

/// The statistics of a player.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PlayerStatistics)]
pub struct PlayerStatisticsBody {
    /// The server's time when it answered. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// Name of the player.
    #[schema(max_length = 20, examples("bob"))]
    pub username: String,
    /// Figures of all selected matches.
    pub overall: PlayerFiguresBody,
    /// Figures for each preset, by name.
    #[schema(max_items = 20)]
    pub presets: Vec<PresetFiguresBody>,
}

/// The statistics of a player, month by month.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MonthlyStatistics)]
pub struct MonthlyStatisticsBody {
    /// The server's time when it answered. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// Name of the player.
    #[schema(max_length = 20, examples("bob"))]
    pub username: String,
    /// The months, the newest first; those without matches are left out.
    #[schema(max_items = 120)]
    pub items: Vec<MonthFiguresBody>,
}

/// A player's figures for a preset.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PresetFigures)]
pub struct PresetFiguresBody {
    /// The preset; `custom` for other rules.
    #[schema(max_length = 32, examples("yaniv"))]
    pub preset: String,
    /// The figures of its matches.
    pub figures: PlayerFiguresBody,
}

/// A player's figures for the matches that started in a month.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MonthFigures)]
pub struct MonthFiguresBody {
    /// The month (UTC) in which the first cards of the matches were dealt.
    #[schema(max_length = 7, examples("2026-11"))]
    pub month: String,
    /// The figures of its matches.
    pub figures: PlayerFiguresBody,
}

/// A player's figures. Only finished rounds count; docs/statistics.md defines each figure.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PlayerFigures)]
pub struct PlayerFiguresBody {
    /// Finished matches.
    #[schema(minimum = 0, examples(12))]
    pub matches: i32,
    /// Matches won, also with a shared first place.
    #[schema(minimum = 0, examples(5))]
    pub wins: i32,
    /// Most wins in a row, in the order in which matches ended.
    #[schema(minimum = 0, examples(3))]
    pub longest_streak: i32,
    /// How often each place was reached, by number of seats and place. Places never reached are left out.
    #[schema(max_items = 54)]
    pub places: Vec<PlaceCountBody>,
    /// Finished rounds in which the player was dealt cards.
    #[schema(minimum = 0, examples(140))]
    pub rounds: i32,
    /// Rounds won: by a right call, or by defeating a wrong one with the fewest points.
    #[schema(minimum = 0, examples(48))]
    pub rounds_won: i32,
    /// Most rounds won in a row within a match.
    #[schema(minimum = 0, examples(4))]
    pub longest_round_streak: i32,
    /// The player's right calls.
    #[schema(minimum = 0, examples(41))]
    pub right_calls: i32,
    /// The player's wrong calls: Asafs suffered.
    #[schema(minimum = 0, examples(9))]
    pub wrong_calls: i32,
    /// Wrong calls of other players that the player defeated.
    #[schema(minimum = 0, examples(8))]
    pub asafs_inflicted: i32,
    /// Mean points in hand at the player's calls. Left out if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples(3.25))]
    pub mean_call_points: Option<f64>,
    /// Mean points in hand at the end of rounds that another player's call ended and the player did not win. Left out
    /// if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples(13.5))]
    pub mean_hand_given_up: Option<f64>,
    /// How often the player's total was reduced.
    #[schema(minimum = 0, examples(2))]
    pub reductions: i32,
    /// The player's slam-downs.
    #[schema(minimum = 0, examples(6))]
    pub slam_downs: i32,
    /// Median time in seconds that a match waited for the player; at most a fifth off. Left out if none has waited.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples(1722.2))]
    pub median_reply_seconds: Option<f64>,
    /// Actions before the deadline, in matches with a clock.
    #[schema(minimum = 0, examples(600))]
    pub actions_in_time: i32,
    /// Missed deadlines.
    #[schema(minimum = 0, examples(3))]
    pub missed_deadlines: i32,
    /// `actions_in_time` divided by the sum of both, from 0 to 1. Left out if both are 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 1, examples(0.995))]
    pub on_time_share: Option<f64>,
}

/// How often a place was reached.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PlaceCount)]
pub struct PlaceCountBody {
    /// Number of seats.
    #[schema(minimum = 2, maximum = 10, examples(4))]
    pub size: i32,
    /// Place, 1 is the best.
    #[schema(minimum = 1, maximum = 10, examples(2))]
    pub place: i32,
    /// Number of matches.
    #[schema(minimum = 1, examples(3))]
    pub matches: i32,
}

impl From<PlayerFigures> for PlayerFiguresBody {
    fn from(figures: PlayerFigures) -> Self {
        let sums = &figures.sums;
        Self {
            matches: figures.matches(),
            wins: figures.wins(),
            longest_streak: i32::try_from(figures.longest_streak).unwrap_or(i32::MAX),
            places: figures.places.iter().map(PlaceCountBody::from).collect(),
            rounds: sums.rounds,
            rounds_won: sums.rounds_won,
            longest_round_streak: sums.best_run,
            right_calls: sums.calls_right,
            wrong_calls: sums.calls_wrong,
            asafs_inflicted: sums.inflicted,
            mean_call_points: figures.mean_call_points(),
            mean_hand_given_up: figures.mean_hand_given_up(),
            reductions: sums.reductions,
            slam_downs: sums.slam_downs,
            median_reply_seconds: figures.median_reply_seconds(),
            actions_in_time: sums.in_time,
            missed_deadlines: sums.missed,
            on_time_share: figures.on_time_share(),
        }
    }
}

impl From<&PlaceCount> for PlaceCountBody {
    fn from(count: &PlaceCount) -> Self {
        Self { size: i32::from(count.seats), place: i32::from(count.place), matches: count.matches }
    }
}

impl From<PlayerStatistics> for PlayerStatisticsBody {
    fn from(statistics: PlayerStatistics) -> Self {
        let preset =
            |NamedFigures { name, figures }| PresetFiguresBody { preset: name, figures: figures.into() };
        Self {
            server_time: None,
            username: statistics.username,
            overall: statistics.overall.into(),
            presets: statistics.presets.into_iter().map(preset).collect(),
        }
    }
}

impl MonthlyStatisticsBody {
    /// From months sorted newest first.
    pub fn new(username: String, months: Vec<NamedFigures>) -> Self {
        let month =
            |NamedFigures { name, figures }| MonthFiguresBody { month: name, figures: figures.into() };
        Self { server_time: None, username, items: months.into_iter().map(month).collect() }
    }
}
