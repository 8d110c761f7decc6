//! A match as one player may see it: with the settings, all that a client needs to display the table and offer the
//! moves.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;
use yaniv_match::settings::host_seat;
use yaniv_match::status::Status;
use yaniv_match::view::MatchView;

use crate::match_view::log_body::LogEntryBody;
use crate::match_view::round_body::{MatchResultBody, RoundBody, RoundScoreBody};
use crate::match_view::seat_body::SeatBody;
use crate::match_view::settings_body::MatchSettingsBody;
use crate::match_view::table_body::{HandBody, LegalBody, TableBody};
use crate::values::card_code::codes;

/// A match, as you may see it. What matters only before the start is left out after it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Match)]
pub struct MatchBody {
    /// The server's time when it answered; in the response to a write, the time of the write. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// Identifier of the match.
    pub match_id: Uuid,
    /// Identifies the settings: rules, time control, number of seats and more. `getMatchSettings` has them, once for
    /// all matches with this tag.
    #[schema(
        min_length = 22,
        max_length = 22,
        pattern = "^[A-Za-z0-9_-]{22}$",
        examples("XUFAKrxLKna5cZ2REBfFkg")
    )]
    pub settings_tag: String,
    /// `waiting` for players, `running` or `finished`. (A match that all players left before the start can no longer be
    /// read.)
    #[schema(max_length = 16, examples("running"))]
    pub status: String,
    /// Number of entries in the log; send it as `expected_version` of an action.
    #[schema(minimum = 1, examples(5))]
    pub version: i32,
    /// Code to share; it admits players. Left out after the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        nullable = false,
        min_length = 8,
        max_length = 8,
        pattern = "^[2-9BCDFGHJKMNPQRSTVWXZ]{8}$",
        examples("7KQ2MXDR")
    )]
    pub join_code: Option<String>,
    /// When the code expires, or was revoked. Left out if it does not expire, and after the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub join_code_expires_at: Option<DateTime<Utc>>,
    /// Link to share: opens the client, or a page that explains how to join by the code; valid until
    /// `join_code_expires_at`. Left out if the match has started or is full, the code was revoked, or the operator has
    /// configured no address.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        nullable = false,
        format = "uri",
        max_length = 300,
        examples("https://yaniv.example/join/7KQ2MXDR")
    )]
    pub join_link: Option<String>,
    /// Commitment to all shuffles, fixed before other players joined: SHA-256 of the seed of round 1, in hexadecimal.
    /// Left out after the start: `getFairness` has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        nullable = false,
        min_length = 64,
        max_length = 64,
        pattern = "^[0-9a-f]{64}$",
        examples("e6d0a1ca79d18fd448dd518f9dadf344ecc0e02c344aaf9b9d2d3ea758688343")
    )]
    pub commitment: Option<String>,
    /// When the match was created. Left out after the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub created_at: Option<DateTime<Utc>>,
    /// Seat of the host. Left out after the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 9, examples(0))]
    pub host_seat: Option<i32>,
    /// When the match ended. Left out until then.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub finished_at: Option<DateTime<Utc>>,
    /// Your seat. Left out if you have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 9, examples(0))]
    pub your_seat: Option<i32>,
    /// Whether the match waits for you. Absent: false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub your_turn: bool,
    /// Players, by seat; before the start in joining order.
    #[schema(max_items = 10)]
    pub seats: Vec<SeatBody>,
    /// The round in play, or the last one. Left out before the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub table: Option<TableBody>,
    /// Your cards. Left out before the start and once you are out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub hand: Option<HandBody>,
    /// Your legal actions now, besides resigning. Left out if there are none. Also present while `your_turn` is false
    /// if you may ask for a card or slam one down.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub legal: Option<LegalBody>,
    /// The score sheet: a line for each finished round.
    #[schema(max_items = 1000)]
    pub scores: Vec<RoundScoreBody>,
    /// The last finished round, with all hands open. Left out once you have had a turn in the next round, unless
    /// `recent` has its end: then `listRounds` has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub last_round: Option<RoundBody>,
    /// Result of the match. Left out until it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub result: Option<MatchResultBody>,
    /// Log entries after `since`, oldest first, the newest 100 at most; in the response to a write, the entries of that
    /// write. An entry leaves out what the match has: the name of a player with a seat, the round in play; and its time,
    /// which `listLog` has.
    #[schema(max_items = 100)]
    pub recent: Vec<LogEntryBody>,
}

impl MatchBody {
    /// The response to a write: its time is that of the write, so that a retry gets the same response.
    pub fn at_its_time(view: &MatchView) -> Self {
        Self { server_time: Some(view.updated_at), ..Self::from(view) }
    }
}

impl From<&MatchView> for MatchBody {
    fn from(view: &MatchView) -> Self {
        let game = view.game.as_ref();
        let settings = &view.settings;
        let round = game.map(|game| i32::from(game.round));
        let waiting = view.status == Status::Waiting;
        Self {
            server_time: None,
            match_id: settings.id.0,
            settings_tag: MatchSettingsBody::tag_of(settings),
            status: view.status.as_str().to_owned(),
            version: view.version,
            join_code: waiting.then(|| view.join_code.code.clone()),
            join_code_expires_at: view.join_code.expires_at.filter(|_| waiting),
            join_link: None,
            commitment: waiting.then(|| settings.commitment.clone()),
            created_at: waiting.then_some(settings.created_at),
            host_seat: host_seat(&view.players).filter(|_| waiting).map(|seat| i32::from(seat.number())),
            finished_at: view.finished_at,
            your_seat: view.you.map(|seat| i32::from(seat.number())),
            your_turn: view.you.is_some_and(|you| view.waiting_on >> you.number() & 1 == 1),
            seats: SeatBody::all(view),
            table: game.map(|game| TableBody::new(game, view.dedication.as_ref())),
            hand: game.and_then(|game| game.hand.as_ref()).map(|hand| HandBody {
                cards: codes(hand.cards.iter().copied()),
                points: i32::from(hand.points),
            }),
            legal: game.and_then(|game| game.legal.as_ref()).and_then(LegalBody::of),
            scores: view.rounds.iter().map(RoundScoreBody::from).collect(),
            last_round: view.news_of_round().map(RoundBody::from),
            result: match view.status {
                Status::Finished => game.and_then(|game| game.result.as_ref()).map(MatchResultBody::from),
                _ => None,
            },
            recent: view.recent.iter().map(|entry| LogEntryBody::in_match(entry, round)).collect(),
        }
    }
}
