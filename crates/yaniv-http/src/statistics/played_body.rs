//! Statistics of two players against each other, and of the service.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use yaniv_app::statistics::queries::{HeadToHead, ServiceStatistics, month_name};

/// Two players against each other, in the matches in which both had a seat.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = HeadToHead)]
pub struct HeadToHeadBody {
    /// The server's time when it answered. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// Name of the first player.
    #[schema(max_length = 20, examples("ada"))]
    pub username: String,
    /// Name of the second player.
    #[schema(max_length = 20, examples("bob"))]
    pub opponent: String,
    /// Finished matches of both.
    #[schema(value_type = i32, minimum = 0, examples(12))]
    pub matches: i64,
    /// Matches in which the first had the better place.
    #[schema(value_type = i32, minimum = 0, examples(6))]
    pub ahead: i64,
    /// Matches in which the second had the better place.
    #[schema(value_type = i32, minimum = 0, examples(5))]
    pub behind: i64,
    /// Matches in which they shared a place.
    #[schema(value_type = i32, minimum = 0, examples(1))]
    pub level: i64,
    /// Matches that the first won.
    #[schema(value_type = i32, minimum = 0, examples(5))]
    pub wins: i64,
    /// Matches that the second won.
    #[schema(value_type = i32, minimum = 0, examples(4))]
    pub opponent_wins: i64,
    /// Rounds that the first won, also in running matches.
    #[schema(value_type = i32, minimum = 0, examples(48))]
    pub rounds_won: i64,
    /// Rounds that the second won, also in running matches.
    #[schema(value_type = i32, minimum = 0, examples(39))]
    pub opponent_rounds_won: i64,
    /// Wrong calls of the second that the first defeated.
    #[schema(value_type = i32, minimum = 0, examples(7))]
    pub asafs_inflicted: i64,
    /// Wrong calls of the first that the second defeated.
    #[schema(value_type = i32, minimum = 0, examples(3))]
    pub asafs_suffered: i64,
    /// When the last of the matches ended. Left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub last_match_at: Option<DateTime<Utc>>,
}

/// Statistics of the service: all matches except sandboxes.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ServiceStatistics)]
pub struct ServiceStatisticsBody {
    /// The server's time when it answered. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// Finished matches.
    #[schema(value_type = i32, minimum = 0, examples(1200))]
    pub matches: i64,
    /// Finished rounds.
    #[schema(value_type = i32, minimum = 0, examples(14000))]
    pub rounds: i64,
    /// Actions in finished rounds.
    #[schema(minimum = 0, examples(210_000))]
    pub actions: i64,
    /// Number of people (not bots) who were dealt cards in a round that ended in the last 30 days.
    #[schema(value_type = i32, minimum = 0, examples(85))]
    pub active_players: i64,
    /// Figures by preset.
    #[schema(max_items = 20)]
    pub presets: Vec<PlayedPresetBody>,
    /// Figures by the month in which the matches started, the newest first.
    #[schema(max_items = 120)]
    pub months: Vec<PlayedMonthBody>,
}

/// Figures for a preset.
#[derive(Debug, Default, Serialize, ToSchema)]
#[schema(as = PlayedPreset)]
pub struct PlayedPresetBody {
    /// The preset; `custom` for other rules.
    #[schema(max_length = 32, examples("yaniv"))]
    pub preset: String,
    /// Finished matches.
    #[schema(value_type = i32, minimum = 0, examples(900))]
    pub matches: i64,
    /// Finished rounds.
    #[schema(value_type = i32, minimum = 0, examples(10_000))]
    pub rounds: i64,
    /// Actions in finished rounds.
    #[schema(minimum = 0, examples(150_000))]
    pub actions: i64,
}

/// Figures for the matches that started in a month.
#[derive(Debug, Default, Serialize, ToSchema)]
#[schema(as = PlayedMonth)]
pub struct PlayedMonthBody {
    /// The month (UTC) in which the first cards of the matches were dealt.
    #[schema(max_length = 7, examples("2026-11"))]
    pub month: String,
    /// Finished matches.
    #[schema(value_type = i32, minimum = 0, examples(300))]
    pub matches: i64,
    /// Finished rounds.
    #[schema(value_type = i32, minimum = 0, examples(3500))]
    pub rounds: i64,
    /// Actions in finished rounds.
    #[schema(minimum = 0, examples(52_000))]
    pub actions: i64,
}

impl From<HeadToHead> for HeadToHeadBody {
    fn from(HeadToHead { username, opponent, together }: HeadToHead) -> Self {
        Self {
            server_time: None,
            username,
            opponent,
            matches: together.matches,
            ahead: together.ahead,
            behind: together.behind,
            level: together.matches - together.ahead - together.behind,
            wins: together.wins,
            opponent_wins: together.losses,
            rounds_won: together.rounds_won,
            opponent_rounds_won: together.rounds_lost,
            asafs_inflicted: together.inflicted,
            asafs_suffered: together.suffered,
            last_match_at: together.last_ended_at,
        }
    }
}

impl From<ServiceStatistics> for ServiceStatisticsBody {
    fn from(ServiceStatistics { rows, active_players }: ServiceStatistics) -> Self {
        let mut presets: BTreeMap<&str, PlayedPresetBody> = BTreeMap::new();
        let mut months: BTreeMap<_, PlayedMonthBody> = BTreeMap::new();
        for row in &rows {
            let preset = presets.entry(&row.preset).or_default();
            preset.preset.clone_from(&row.preset);
            preset.matches += row.matches;
            preset.rounds += row.rounds;
            preset.actions += row.actions;
            let month = months.entry(row.month).or_default();
            month.month = month_name(row.month);
            month.matches += row.matches;
            month.rounds += row.rounds;
            month.actions += row.actions;
        }
        Self {
            server_time: None,
            matches: rows.iter().map(|row| row.matches).sum(),
            rounds: rows.iter().map(|row| row.rounds).sum(),
            actions: rows.iter().map(|row| row.actions).sum(),
            active_players,
            presets: presets.into_values().collect(),
            months: months.into_values().rev().take(120).collect(),
        }
    }
}
