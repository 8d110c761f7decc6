//! Entries of the log: one flat object with a `type`, and an object of details for the kinds that have some.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use yaniv_engine::{Action, Card, Draw};

use super::card_code::{CardCode, codes};
use crate::service::history::LogPage;
use crate::service::view::{EntryKind, LogEntry};

/// Something that happened in a match.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = LogEntry)]
pub struct LogEntryBody {
    /// Number of the entry: 1, 2, 3 … without a gap; the version of the match after it.
    #[schema(minimum = 1, examples(5))]
    pub version: i32,
    /// What it was: `joined`, `left`, `started`, `play`, `call`, `resign`. New types may come: skip unknown ones.
    #[serde(rename = "type")]
    #[schema(max_length = 32, pattern = "^[a-z_]+$", examples("play"))]
    pub kind: String,
    /// When it was accepted.
    pub at: DateTime<Utc>,
    /// Who did it.
    #[schema(max_length = 20, examples("ada"))]
    pub username: String,
    /// Seat of who did it. Left out before the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 9, examples(0))]
    pub seat: Option<i32>,
    /// Round that it belongs to, from 1. Left out before the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, maximum = 1000, examples(1))]
    pub round: Option<i32>,
    /// What was thrown and drawn, if the type is `play`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub play: Option<PlayBody>,
    /// What was said, if the type is `call`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub call: Option<CallBody>,
    /// The stock was empty and has been filled with the buried cards, shuffled.
    pub recycled: bool,
    /// It ended the round.
    pub ended_round: bool,
    /// It ended the match.
    pub ended_match: bool,
}

/// A play: what was thrown, then what was drawn.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = PlayEntry)]
pub struct PlayBody {
    /// The cards as they were thrown.
    #[schema(min_items = 1, max_items = 20)]
    pub cards: Vec<CardCode>,
    /// Where the draw came from: `stock`, `pile`, or `nothing` when there was nothing to draw.
    #[schema(max_length = 16, examples("stock"))]
    pub draw_from: String,
    /// The card drawn. Left out if it came from the stock, was not drawn by you, and the round is not over.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub draw_card: Option<CardCode>,
}

/// A call.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = CallEntry)]
pub struct CallBody {
    /// The word that was said. Left out for the match's own word.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 16, examples("yaniv"))]
    pub word: Option<String>,
}

/// A part of the log.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LogPage)]
pub struct LogPageBody {
    /// The server's time when it answered. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    pub server_time: Option<DateTime<Utc>>,
    /// Entries after the version asked for, oldest first.
    #[schema(max_items = 100)]
    pub items: Vec<LogEntryBody>,
    /// Version of the match now: if the last entry is older, ask again after it.
    #[schema(minimum = 1, examples(5))]
    pub version: i32,
}

impl From<&LogEntry> for LogEntryBody {
    fn from(entry: &LogEntry) -> Self {
        let (kind, play, call) = match &entry.kind {
            EntryKind::Joined => ("joined", None, None),
            EntryKind::Left => ("left", None, None),
            EntryKind::Started => ("started", None, None),
            EntryKind::Action(action, drew) => details(action, *drew),
        };
        Self {
            version: entry.version,
            kind: kind.to_owned(),
            at: entry.at,
            username: entry.username.clone(),
            seat: entry.seat.map(i32::from),
            round: (entry.round > 0).then(|| i32::from(entry.round)),
            play,
            call,
            recycled: entry.recycled,
            ended_round: entry.ended_round,
            ended_match: entry.ended_match,
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

fn details(action: &Action, drew: Option<Card>) -> (&'static str, Option<PlayBody>, Option<CallBody>) {
    match action {
        Action::Play { cards, draw } => {
            let (draw_from, draw_card) = match draw {
                Draw::Stock => ("stock", drew),
                Draw::Pile(card) => ("pile", Some(*card)),
                Draw::Nothing => ("nothing", None),
            };
            let play = PlayBody {
                cards: codes(cards.iter().copied()),
                draw_from: draw_from.to_owned(),
                draw_card: draw_card.map(CardCode),
            };
            ("play", Some(play), None)
        }
        Action::Call { word } => {
            ("call", None, Some(CallBody { word: word.as_ref().map(ToString::to_string) }))
        }
        other => (other.kind(), None, None),
    }
}
