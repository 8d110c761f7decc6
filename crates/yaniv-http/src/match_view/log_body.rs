//! Entries of the log: one flat object with a `type`, and an object of details for the types that have any.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use yaniv_app::feeds::match_feed::EventPage;
use yaniv_app::history::record::LogPage;
use yaniv_engine::{Action, Draw};
use yaniv_match::view::{ActionEntry, EntryKind, LogEntry};

use crate::match_view::table_body::DrawFrom;
use crate::values::card_code::{CardCode, codes};

/// An entry in the log of a match.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = LogEntry)]
pub struct LogEntryBody {
    /// Number of the entry: 1, 2, 3 … without gaps; the version of the match after it.
    #[schema(minimum = 1, examples(5))]
    pub version: i32,
    /// Type: `joined`, `left`, `removed` (this player, by the host), `code_renewed`, `code_revoked`, `started`; `play`,
    /// `call`, `slam`, `ask`, `give`, `keep`, `challenge`, `expose`, `swap`, `stay`, `pass`, `resign`; `calendar_changed` (of this player; deadlines
    /// may have moved), `seat_held` (by a bot, for an absent player), `seat_taken_back`, `nudged`, `clock_moved` (in
    /// sandboxes). New types may come: skip unknown ones.
    #[serde(rename = "type")]
    #[schema(max_length = 32, pattern = "^[a-z_]+$", examples("play"))]
    pub kind: String,
    /// When the entry was accepted. Left out in `recent` of a match.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub at: Option<DateTime<Utc>>,
    /// Name of the acting player. Left out in `recent` of a match if the entry has a `seat`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 20, examples("ada"))]
    pub username: Option<String>,
    /// Seat of the acting player. Left out before the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 9, examples(0))]
    pub seat: Option<i32>,
    /// Number of the round, from 1. Left out before the start, and in `recent` of a match if `table` has the same
    /// round.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 1000, examples(1))]
    pub round: Option<i32>,
    /// Details, if the type is `play`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub play: Option<PlayBody>,
    /// Details, if the type is `call`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub call: Option<CallBody>,
    /// Details, if the type is `slam`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub slam: Option<SlamBody>,
    /// Details, if the type is `ask`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub ask: Option<AskBody>,
    /// Seats of the reminded players, if the type is `nudged`; otherwise left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, max_items = 10)]
    pub nudged: Vec<i32>,
    /// What acted in the player's place. `absent`: the service, after a missed deadline; `bot`: the bot that holds the
    /// seat; `standing_order`: an order of the player. Left out if the player acted. New ones may come.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, pattern = "^[a-z_]+$", examples("absent"))]
    pub automatic: Option<String>,
    /// Whether the empty stock was refilled with the buried cards, shuffled. Absent: false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub recycled: bool,
    /// Whether it ended the round. Absent: false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub ended_round: bool,
    /// Whether it ended the match. Absent: false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub ended_match: bool,
}

/// A play: a discard, then a draw.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = PlayEntry)]
pub struct PlayBody {
    /// The cards as they were thrown.
    #[schema(min_items = 1, max_items = 20)]
    pub cards: Vec<CardCode>,
    /// Source of the draw.
    pub draw_from: DrawFrom,
    /// The card drawn. Left out if there is none, and while another player's draw from the stock is hidden: until the
    /// round is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub draw_card: Option<CardCode>,
}

/// A call.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = CallEntry)]
pub struct CallBody {
    /// The word of the call. Left out for the match's own word.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 16, examples("yaniv"))]
    pub word: Option<String>,
    /// Outcome: `revealed`, `final_turns`, `challenged`; for a call over the limit `penalty`, `eliminated`,
    /// `drew_three`, `swap_offered`, `ignored`; `out_of_turn`. New ones may come.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, pattern = "^[a-z_]+$", examples("revealed"))]
    pub outcome: Option<String>,
    /// Cards drawn as the penalty for a call over the limit. Left out if there are none, or while you may not see them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, max_items = 3)]
    pub drew: Vec<CardCode>,
}

/// A slam-down.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = SlamDownEntry)]
pub struct SlamBody {
    /// The card.
    pub card: CardCode,
    /// Whether a card that fits at both ends of the run was put at the low end. Absent: false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub first: bool,
}

/// A request for a card.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = CardRequestEntry)]
pub struct AskBody {
    /// The card of the pile asked for.
    pub card: CardCode,
}

/// The details of an entry, by type.
#[derive(Default)]
struct Details {
    play: Option<PlayBody>,
    call: Option<CallBody>,
    slam: Option<SlamBody>,
    ask: Option<AskBody>,
    nudged: Vec<i32>,
}

/// A page of the log.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LogPage)]
pub struct LogPageBody {
    /// The server's time when it answered. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// Entries after `after`, oldest first.
    #[schema(max_items = 100)]
    pub items: Vec<LogEntryBody>,
    /// Current version of the match. If the last entry is older, get the next page after that entry.
    #[schema(minimum = 1, examples(5))]
    pub version: i32,
}

impl From<&LogEntry> for LogEntryBody {
    fn from(entry: &LogEntry) -> Self {
        let (kind, details) = match &entry.kind {
            EntryKind::Joined => ("joined", Details::default()),
            EntryKind::Left => ("left", Details::default()),
            EntryKind::Removed => ("removed", Details::default()),
            EntryKind::CodeRenewed => ("code_renewed", Details::default()),
            EntryKind::CodeRevoked => ("code_revoked", Details::default()),
            EntryKind::Started => ("started", Details::default()),
            EntryKind::CalendarChanged => ("calendar_changed", Details::default()),
            EntryKind::SeatHeld => ("seat_held", Details::default()),
            EntryKind::SeatTakenBack => ("seat_taken_back", Details::default()),
            EntryKind::ClockMoved => ("clock_moved", Details::default()),
            EntryKind::Nudged(seats) => ("nudged", Details::of_nudge(seats)),
            EntryKind::Action(entry) => (entry.action.kind(), Details::of(entry)),
        };
        Self {
            version: entry.version,
            kind: kind.to_owned(),
            at: Some(entry.at),
            username: Some(entry.username.clone()),
            seat: entry.seat.map(i32::from),
            round: (entry.round > 0).then(|| i32::from(entry.round)),
            play: details.play,
            call: details.call,
            slam: details.slam,
            ask: details.ask,
            nudged: details.nudged,
            automatic: entry.origin.name().map(str::to_owned),
            recycled: entry.recycled,
            ended_round: entry.ended_round,
            ended_match: entry.ended_match,
        }
    }
}

impl LogEntryBody {
    /// The entry in `recent` of a match: without its time, and without what the match around it has.
    pub fn in_match(entry: &LogEntry, round: Option<i32>) -> Self {
        let whole = Self::from(entry);
        Self {
            at: None,
            username: whole.username.filter(|_| whole.seat.is_none()),
            round: whole.round.filter(|of_entry| Some(*of_entry) != round),
            ..whole
        }
    }
}

impl From<LogPage> for LogPageBody {
    fn from(page: LogPage) -> Self {
        Self {
            server_time: None,
            items: page.entries.iter().map(LogEntryBody::from).collect(),
            version: page.version,
        }
    }
}

impl LogPageBody {
    /// Events of a match, with the match's time.
    pub fn of_events(page: EventPage, now: DateTime<Utc>) -> Self {
        Self {
            server_time: Some(now),
            items: page.entries.iter().map(LogEntryBody::from).collect(),
            version: page.version,
        }
    }
}

impl Details {
    fn of_nudge(seats: &[i16]) -> Self {
        Self { nudged: seats.iter().copied().map(i32::from).collect(), ..Self::default() }
    }

    fn of(entry: &ActionEntry) -> Self {
        let mut details = Self::default();
        let drawn = entry.cards.first().copied().map(CardCode);
        match &entry.action {
            Action::Play { cards, draw } => {
                let (draw_from, draw_card) = match draw {
                    Draw::Stock => (DrawFrom::Stock, drawn),
                    Draw::Pile(card) => (DrawFrom::Pile, Some(CardCode(*card))),
                    Draw::Nothing => (DrawFrom::Nothing, None),
                };
                let cards = codes(cards.iter().copied());
                details.play = Some(PlayBody { cards, draw_from, draw_card });
            }
            Action::Call { word } => {
                details.call = Some(CallBody {
                    word: word.as_ref().map(ToString::to_string),
                    outcome: entry.outcome.map(|outcome| outcome.as_str().to_owned()),
                    drew: codes(entry.cards.iter().copied()),
                });
            }
            Action::Slam { first } => details.slam = drawn.map(|card| SlamBody { card, first: *first }),
            Action::Ask(card) => details.ask = Some(AskBody { card: CardCode(*card) }),
            _ => {}
        }
        details
    }
}
