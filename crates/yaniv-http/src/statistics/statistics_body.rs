//! What is counted of a player.

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
    /// Whose they are.
    #[schema(max_length = 20, examples("bob"))]
    pub username: String,
    /// Of all matches that you asked for.
    pub overall: PlayerFiguresBody,
    /// Of those of each preset, by name.
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
    /// Whose they are.
    #[schema(max_length = 20, examples("bob"))]
    pub username: String,
    /// The newest month first; those without matches are left out.
    #[schema(max_items = 120)]
    pub items: Vec<MonthFiguresBody>,
}

/// What a player has come to with a preset.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PresetFigures)]
pub struct PresetFiguresBody {
    /// The preset; `custom` for rules that are none.
    #[schema(max_length = 32, examples("yaniv"))]
    pub preset: String,
    /// Of its matches.
    pub figures: PlayerFiguresBody,
}

/// What a player has come to in matches that started in a month.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MonthFigures)]
pub struct MonthFiguresBody {
    /// The month (UTC) in which their first cards were dealt.
    #[schema(max_length = 7, examples("2026-11"))]
    pub month: String,
    /// Of its matches.
    pub figures: PlayerFiguresBody,
}

/// What a player has come to. Only rounds that are over are in it; what each figure is, is said in docs/statistics.md.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PlayerFigures)]
pub struct PlayerFiguresBody {
    /// Matches that are over.
    #[schema(minimum = 0, examples(12))]
    pub matches: i32,
    /// Those won, also together with others.
    #[schema(minimum = 0, examples(5))]
    pub wins: i32,
    /// Most of them in a row, in the order in which matches ended.
    #[schema(minimum = 0, examples(3))]
    pub longest_streak: i32,
    /// How often which place was had, by size of the table and place; what never was is left out.
    #[schema(max_items = 54)]
    pub places: Vec<PlaceCountBody>,
    /// Rounds that are over in which they were dealt cards.
    #[schema(minimum = 0, examples(140))]
    pub rounds: i32,
    /// Those won: by a right call, or by defeating a wrong one with the fewest points.
    #[schema(minimum = 0, examples(48))]
    pub rounds_won: i32,
    /// Most of them in a row within a match.
    #[schema(minimum = 0, examples(4))]
    pub longest_round_streak: i32,
    /// Their own calls that were right.
    #[schema(minimum = 0, examples(41))]
    pub right_calls: i32,
    /// Their own calls that were wrong: Asaf suffered.
    #[schema(minimum = 0, examples(9))]
    pub wrong_calls: i32,
    /// Wrong calls of others that they defeated.
    #[schema(minimum = 0, examples(8))]
    pub asafs_inflicted: i32,
    /// Points in hand when they called, on average. Left out as long as there is no call.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples(3.25))]
    pub mean_call_points: Option<f64>,
    /// Points in hand when another ended a round that they did not win, on average. Left out as long as there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples(13.5))]
    pub mean_hand_given_up: Option<f64>,
    /// How often their total was replaced by a smaller one.
    #[schema(minimum = 0, examples(2))]
    pub reductions: i32,
    /// Slam-downs of their own.
    #[schema(minimum = 0, examples(6))]
    pub slam_downs: i32,
    /// For so many seconds others waited in half of the cases, at most; exact to a fifth. Left out as long as nobody has waited.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples(1722.2))]
    pub median_reply_seconds: Option<f64>,
    /// How often they acted in time, where there is a clock.
    #[schema(minimum = 0, examples(600))]
    pub actions_in_time: i32,
    /// Deadlines that they let pass.
    #[schema(minimum = 0, examples(3))]
    pub missed_deadlines: i32,
    /// The part of both that was in time, from 0 to 1. Left out as long as there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 1, examples(0.995))]
    pub on_time_share: Option<f64>,
}

/// How often a place was had.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PlaceCount)]
pub struct PlaceCountBody {
    /// Seats of the table.
    #[schema(minimum = 2, maximum = 10, examples(4))]
    pub size: i32,
    /// Place, 1 the best.
    #[schema(minimum = 1, maximum = 10, examples(2))]
    pub place: i32,
    /// In so many matches.
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
    /// Of months that come with the newest first.
    pub fn new(username: String, months: Vec<NamedFigures>) -> Self {
        let month =
            |NamedFigures { name, figures }| MonthFiguresBody { month: name, figures: figures.into() };
        Self { server_time: None, username, items: months.into_iter().map(month).collect() }
    }
}
