//! The home screen: short forms of matches, challenges and requests. `listMatches`, `listTurns` and others have the
//! longer ones.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;
use yaniv_app::home::overview::{Home, HomeMatch};

use crate::match_view::log_body::LogEntryBody;
use crate::matches::match_list_body::{MatchSummaryBody, SummarySeatBody};
use crate::matchmaking::challenge_body::ChallengeSummaryBody;
use crate::matchmaking::pairing_body::PairingSummaryBody;

/// What waits for you, and what you wait for.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Home)]
pub struct HomeBody {
    /// The server's time when it answered. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// Matches that wait for you, the nearest deadline first: for a turn or an answer, or, if you are the host, for the
    /// start of a match whose seats are all taken (`round` is left out then).
    #[schema(max_items = 20)]
    pub turns: Vec<HomeMatchBody>,
    /// Total number of matches that wait for you, listed or not, as for a badge.
    #[schema(value_type = i32, minimum = 0, examples(1))]
    pub turn_count: i64,
    /// Running matches that wait for others only, the longest wait first; of more than 20, those without a change for
    /// longest.
    #[schema(max_items = 20)]
    pub waiting: Vec<HomeMatchBody>,
    /// Total number of running matches that wait for others only.
    #[schema(value_type = i32, minimum = 0, examples(3))]
    pub waiting_count: i64,
    /// Other matches that have not started, the newest change first.
    #[schema(max_items = 20)]
    pub lobby: Vec<HomeMatchBody>,
    /// Total number of these.
    #[schema(value_type = i32, minimum = 0, examples(1))]
    pub lobby_count: i64,
    /// Of your 20 last matches that ended in the last 14 days, those that you have not read since, the last to end first.
    #[schema(max_items = 20)]
    pub finished: Vec<HomeMatchBody>,
    /// Open challenges, those that wait for your answer first, then the newest first.
    #[schema(max_items = 20)]
    pub challenges: Vec<ChallengeSummaryBody>,
    /// Total number of open challenges.
    #[schema(value_type = i32, minimum = 0, examples(1))]
    pub challenge_count: i64,
    /// Your waiting requests to be paired, the newest first.
    #[schema(max_items = 20)]
    pub pairings: Vec<PairingSummaryBody>,
    /// Number of friend requests that wait for your answer; more than 100 are not counted.
    #[schema(value_type = i32, minimum = 0, maximum = 100, examples(0))]
    pub friend_request_count: i64,
}

/// A match on the home screen.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = HomeMatch)]
pub struct HomeMatchBody {
    /// Identifier of the match.
    pub match_id: Uuid,
    /// Number of entries in its log.
    #[schema(minimum = 1, examples(5))]
    pub version: i32,
    /// Number of entries since you last read the match or acted in it; more than 100 are not counted.
    #[schema(minimum = 0, maximum = 100, examples(2))]
    pub unread: i32,
    /// Preset with exactly these rules. Left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, examples("yaniv"))]
    pub preset: Option<String>,
    /// Number of seats.
    #[schema(minimum = 2, maximum = 10, examples(2))]
    pub size: i32,
    /// `true` if the match counts for ratings; otherwise left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub rated: bool,
    /// Your seat.
    #[schema(minimum = 0, maximum = 9, examples(0))]
    pub your_seat: i32,
    /// Your place. Left out before the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 10, examples(1))]
    pub your_place: Option<i32>,
    /// Seats that have to act.
    #[schema(max_items = 10)]
    pub to_act: Vec<i32>,
    /// Number of the round in play, from 1. Left out before the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 1000, examples(1))]
    pub round: Option<i32>,
    /// Players, by seat; before the start in joining order.
    #[schema(max_items = 10)]
    pub seats: Vec<SummarySeatBody>,
    /// Code to share. Left out unless the match waits for players, you are the host and the code is valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, min_length = 8, max_length = 8, examples("7KQ2MXDR"))]
    pub join_code: Option<String>,
    /// When the match ended. Left out before.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub finished_at: Option<DateTime<Utc>>,
    /// The newest entry of the log, as in `recent` of a match: without its time, and without the name of a player with a
    /// seat and the round in play, which are in this object.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub last_entry: Option<LogEntryBody>,
}

impl From<Home> for HomeBody {
    fn from(home: Home) -> Self {
        let matches = |matches: &[HomeMatch]| matches.iter().map(HomeMatchBody::from).collect();
        Self {
            server_time: None,
            turns: matches(&home.turns),
            turn_count: home.turn_count,
            waiting: matches(&home.waiting),
            waiting_count: home.waiting_count,
            lobby: matches(&home.lobby),
            lobby_count: home.lobby_count,
            finished: matches(&home.finished),
            challenges: home.challenges.into_iter().map(ChallengeSummaryBody::from).collect(),
            challenge_count: home.challenge_count,
            pairings: home.pairings.iter().map(PairingSummaryBody::from).collect(),
            friend_request_count: home.friend_request_count,
        }
    }
}

impl From<&HomeMatch> for HomeMatchBody {
    fn from(listed: &HomeMatch) -> Self {
        let summary = MatchSummaryBody::from(&listed.summary);
        Self {
            match_id: summary.match_id,
            version: summary.version,
            unread: listed.unread,
            preset: summary.preset,
            size: summary.size,
            rated: summary.rated,
            your_seat: summary.your_seat.unwrap_or_default(),
            your_place: listed.your_place.map(i32::from),
            to_act: summary.to_act,
            round: summary.round,
            seats: summary.seats,
            join_code: listed.join_code.clone(),
            finished_at: listed.finished_at,
            last_entry: listed.last.as_ref().map(|entry| LogEntryBody::in_match(entry, summary.round)),
        }
    }
}
