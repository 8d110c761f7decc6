//! A match as one player may see it: all that a client needs to display the table and offer the moves.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;
use yaniv_engine::{PublicSeat, Seat, SeatView};
use yaniv_match::settings::Player;
use yaniv_match::status::Status;
use yaniv_match::view::MatchView;

use crate::match_view::log_body::LogEntryBody;
use crate::match_view::printed_rules::PrintedRules;
use crate::match_view::round_body::{MatchResultBody, RoundBody, RoundScoreBody};
use crate::match_view::rule_set_body::RuleSetBody;
use crate::match_view::table_body::{HandBody, LegalBody, TableBody};
use crate::match_view::time_control_body::PaceBody;
use crate::values::card_code::{CardCode, codes};

/// A match, as you may see it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Match)]
pub struct MatchBody {
    /// The server's time when it answered; in the response to a write, the time of the write. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// Identifier of the match.
    pub id: Uuid,
    /// Code to share; it admits players until the start.
    #[schema(
        min_length = 8,
        max_length = 8,
        pattern = "^[2-9BCDFGHJKMNPQRSTVWXZ]{8}$",
        examples("7KQ2MXDR")
    )]
    pub code: String,
    /// When the code expires, or was revoked. Left out if it does not expire.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub code_expires_at: Option<DateTime<Utc>>,
    /// Link to share: a page that explains how to join by the code, valid until `code_expires_at`. Left out if the
    /// match has started or is full, the code was revoked, or the service has no public address.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        nullable = false,
        format = "uri",
        max_length = 300,
        examples("https://yaniv.example/join/7KQ2MXDR")
    )]
    pub join_link: Option<String>,
    /// `waiting` for players, `running` or `finished`. (A match that all players left before the start can no longer be
    /// read.)
    #[schema(max_length = 16, examples("running"))]
    pub status: String,
    /// Number of entries in the log; send it as `expected_version` of an action.
    #[schema(minimum = 1, examples(5))]
    pub version: i32,
    /// When the match was created.
    #[serde(serialize_with = "crate::values::time::print")]
    pub created_at: DateTime<Utc>,
    /// When the newest entry of the log was accepted.
    #[serde(serialize_with = "crate::values::time::print")]
    pub updated_at: DateTime<Utc>,
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
    /// Preset with exactly these rules. Left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, examples("yaniv"))]
    pub preset: Option<String>,
    /// The rule set.
    #[schema(value_type = RuleSetBody)]
    pub rules: PrintedRules,
    /// Number of seats.
    #[schema(minimum = 2, maximum = 10, examples(2))]
    pub size: i32,
    /// `joined`: seats in joining order; `random`: drawn at the start, from the committed seed.
    #[schema(max_length = 16, examples("joined"))]
    pub seat_order: String,
    /// `private`: found by its code only; `public`: listed for all accounts while it waits for players, and readable by
    /// them in full once it is over.
    #[schema(max_length = 16, examples("private"))]
    pub visibility: String,
    /// Time control, and what happens after missed deadlines.
    pub pace: PaceBody,
    /// `true` for a test match, whose clock you can advance; otherwise left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub sandbox: bool,
    /// `true` if the match counts for ratings; otherwise left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub rated: bool,
    /// Commitment to all shuffles, fixed before other players joined: SHA-256 of the seed of round 1, in hexadecimal.
    #[schema(
        min_length = 64,
        max_length = 64,
        pattern = "^[0-9a-f]{64}$",
        examples("e6d0a1ca79d18fd448dd518f9dadf344ecc0e02c344aaf9b9d2d3ea758688343")
    )]
    pub commitment: String,
    /// Your seat. Left out if you have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 9, examples(0))]
    pub your_seat: Option<i32>,
    /// Whether the match waits for you.
    pub your_turn: bool,
    /// Players, by seat; before the start in joining order, the host first.
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
    /// The last finished round, with all hands open. Left out until a round has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub last_round: Option<RoundBody>,
    /// Result of the match. Left out until it has ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub result: Option<MatchResultBody>,
    /// Log entries after `since`, oldest first, the newest 100 at most; in the response to a write, the entries of that
    /// write.
    #[schema(max_items = 100)]
    pub recent: Vec<LogEntryBody>,
}

/// A seat and its player.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Seat)]
pub struct SeatBody {
    /// Number of the seat, from 0, clockwise.
    #[schema(minimum = 0, maximum = 9, examples(0))]
    pub seat: i32,
    /// Name of the player.
    #[schema(max_length = 20, examples("ada"))]
    pub username: String,
    /// `true` for a bot; left out for people.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub bot: bool,
    /// The player's client seed, which is part of every shuffle.
    #[schema(max_length = 64, examples("my lucky number is 7"))]
    pub client_seed: String,
    /// Deadline of this player; two seconds of grace come on top. Left out while the match does not wait for them, and
    /// without a clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub deadline: Option<DateTime<Utc>>,
    /// When the match began to wait for this player. Left out while it does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub waits_since: Option<DateTime<Utc>>,
    /// Seconds in the player's bank, without the turn in progress. Left out without a clock.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, examples(259_200))]
    pub bank_seconds: Option<i64>,
    /// Number of deadlines that the player has missed in a row.
    #[schema(minimum = 0, examples(0))]
    pub missed_in_a_row: i32,
    /// `true` while a bot holds the seat for an absent player; otherwise left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub held_by_bot: bool,
    /// Number of cards in hand.
    #[schema(minimum = 0, maximum = 216, examples(5))]
    pub card_count: i32,
    /// Sum of the scores.
    #[schema(examples(42))]
    pub total: i32,
    /// Whether the player is out: eliminated, resigned, or removed for absence.
    pub out: bool,
    /// Number of turns that the player has had in this round.
    #[schema(minimum = 0, examples(3))]
    pub turns: i32,
    /// The hand, if it was exposed in answer to a call. Otherwise left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_items = 216)]
    pub exposed: Option<Vec<CardCode>>,
    /// Successful calls counted for the bonus.
    #[schema(minimum = 0, examples(0))]
    pub successes: i32,
}

impl MatchBody {
    /// The response to a write: its time is that of the write, so that a retry gets the same response.
    pub fn at_its_time(view: MatchView) -> Self {
        let time = view.updated_at;
        Self { server_time: Some(time), ..Self::from(view) }
    }
}

impl From<MatchView> for MatchBody {
    fn from(view: MatchView) -> Self {
        let game = view.game.as_ref();
        let number = |seat: Seat| i32::from(seat.number());
        let settings = &view.settings;
        Self {
            server_time: None,
            id: settings.id.0,
            code: view.join_code.code.clone(),
            code_expires_at: view.join_code.expires_at,
            join_link: None,
            status: view.status.as_str().to_owned(),
            version: view.version,
            created_at: settings.created_at,
            updated_at: view.updated_at,
            started_at: view.started_at,
            finished_at: view.finished_at,
            preset: settings.preset.clone(),
            rules: PrintedRules::of(settings.preset.as_deref(), settings.rules.options()),
            size: i32::from(settings.size),
            seat_order: settings.seat_order.clone(),
            visibility: settings.visibility.clone(),
            pace: PaceBody::from(settings.pace),
            sandbox: settings.sandbox,
            rated: settings.rated,
            commitment: settings.commitment.clone(),
            your_seat: view.you.map(number),
            your_turn: view.you.is_some_and(|you| view.waiting_on >> you.number() & 1 == 1),
            seats: seats(&view, game),
            table: game.map(|game| TableBody::new(game, view.gift.as_ref())),
            hand: game.and_then(|game| game.hand.as_ref()).map(|hand| HandBody {
                cards: codes(hand.cards.iter().copied()),
                points: i32::from(hand.points),
            }),
            legal: game.and_then(|game| game.legal.as_ref()).and_then(LegalBody::of),
            scores: view.rounds.iter().map(RoundScoreBody::from).collect(),
            last_round: view.rounds.last().map(RoundBody::from),
            result: match view.status {
                Status::Finished => game.and_then(|game| game.result.as_ref()).map(MatchResultBody::from),
                _ => None,
            },
            recent: view.recent.iter().map(LogEntryBody::from).collect(),
        }
    }
}

fn seats(view: &MatchView, game: Option<&SeatView>) -> Vec<SeatBody> {
    let clocked = view.settings.pace.clock.bank().is_some();
    let with_number = (0_i32..).zip(view.players.iter());
    let seat = |(seat, player): (i32, &Player)| {
        let clock = u8::try_from(seat).ok().and_then(|seat| view.clocks.seat(seat));
        let wait = clock.and_then(|clock| clock.clock.wait);
        let public: Option<&PublicSeat> =
            game.and_then(|game| usize::try_from(seat).ok().and_then(|seat| game.seats.get(seat)));
        SeatBody {
            seat,
            username: player.username.clone(),
            bot: player.bot,
            client_seed: player.client_seed.clone(),
            deadline: wait.and_then(|wait| wait.deadline),
            waits_since: wait.map(|wait| wait.began_at),
            bank_seconds: clock.filter(|_| clocked).map(|clock| clock.clock.bank.seconds()),
            missed_in_a_row: clock.map_or(0, |clock| i32::from(clock.clock.missed_in_a_row)),
            held_by_bot: clock.is_some_and(|clock| clock.held),
            card_count: public.map_or(0, |public| i32::from(public.cards)),
            total: public.map_or(0, |public| public.total),
            out: public.is_some_and(|public| public.out),
            exposed: public
                .and_then(|public| public.exposed.as_ref())
                .map(|hand| codes(hand.iter().copied())),
            turns: public.map_or(0, |public| i32::from(public.turns)),
            successes: public.map_or(0, |public| i32::from(public.successes)),
        }
    };
    with_number.map(seat).collect()
}
