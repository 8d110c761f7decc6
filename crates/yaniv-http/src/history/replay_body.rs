//! A round, step by step.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use yaniv_app::history::round_replay::{DealtSeat, ReplayStep, RoundReplay, StepTable};
use yaniv_engine::Seat;

use crate::match_view::log_body::LogEntryBody;
use crate::match_view::round_body::{RoundResultBody, result_body};
use crate::match_view::table_body::GiftBody;
use crate::values::card_code::{CardCode, codes};

/// A page of a round, from the deal to its end or as far as it has come. Of a round that is over everything is open; of the one in play what
/// you may know.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = RoundReplay)]
pub struct RoundReplayBody {
    /// The server's time when it answered. Not part of the ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// Number of the round, from 1.
    #[schema(minimum = 1, maximum = 1000, examples(1))]
    pub round: i32,
    /// It is over, and everything in it is open.
    pub over: bool,
    /// Seat that played first.
    #[schema(minimum = 0, maximum = 9, examples(0))]
    pub starter: i32,
    /// Seat that dealt.
    #[schema(minimum = 0, maximum = 9, examples(1))]
    pub dealer: i32,
    /// Only those tied for the win played on.
    pub sudden_death: bool,
    /// The card that was turned up.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub upcard: Option<CardCode>,
    /// What the dealer dedicated it with.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub gift: Option<GiftBody>,
    /// What each seat had after the deal, by seat.
    #[schema(max_items = 10)]
    pub dealt: Vec<DealtSeatBody>,
    /// Number of cards in the stock after the deal.
    #[schema(minimum = 0, maximum = 216, examples(43))]
    pub stock_count: i32,
    /// Actions of the round, oldest first: as many as the page has.
    #[schema(max_items = 100)]
    pub steps: Vec<ReplayStepBody>,
    /// Cursor of the next page. Left out on the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 100)]
    pub next_cursor: Option<String>,
    /// When it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub ended_at: Option<DateTime<Utc>>,
    /// Version of the action that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, examples(17))]
    pub last_version: Option<i32>,
    /// The seed of the round, in hexadecimal, from which its cards follow (docs/fairness.md). Left out while it is in play.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        nullable = false,
        min_length = 64,
        max_length = 64,
        pattern = "^[0-9a-f]{64}$",
        examples("aef432068f0b94b90b1e50715ac1599090687b72d55ef263371f17660ae7bcdf")
    )]
    pub seed: Option<String>,
    /// The scores. Left out while it is in play, and if it ended without being scored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub result: Option<RoundResultBody>,
}

/// A seat after the deal.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = DealtSeat)]
pub struct DealtSeatBody {
    /// Number of the seat.
    #[schema(minimum = 0, maximum = 9, examples(0))]
    pub seat: i32,
    /// Sum of the scores of the rounds before.
    #[schema(examples(42))]
    pub total: i32,
    /// No longer took part.
    pub out: bool,
    /// Number of cards.
    #[schema(minimum = 0, maximum = 216, examples(5))]
    pub card_count: i32,
    /// The cards. Left out if you may not know them, and for who was out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_items = 216)]
    pub cards: Option<Vec<CardCode>>,
}

/// An action of the round, and the table after it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ReplayStep)]
pub struct ReplayStepBody {
    /// What was done, as `listActions` has it.
    pub entry: LogEntryBody,
    /// The table after it. Left out for the action that ended the round: `result` has the hands.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub table: Option<ReplayTableBody>,
}

/// The table after an action.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ReplayTable)]
pub struct ReplayTableBody {
    /// What the round waited for, as in `Table`.
    #[schema(max_length = 32, pattern = "^[a-z_]+$", examples("turn"))]
    pub phase: String,
    /// Seats that had to act.
    #[schema(max_items = 10)]
    pub to_act: Vec<i32>,
    /// The last discard, in the order thrown.
    #[schema(max_items = 216)]
    pub pile: Vec<CardCode>,
    /// Cards of the pile that could be picked up.
    #[schema(max_items = 216)]
    pub pickable: Vec<CardCode>,
    /// Number of cards in the stock.
    #[schema(minimum = 0, maximum = 216, examples(43))]
    pub stock_count: i32,
    /// Number of cards that are buried.
    #[schema(minimum = 0, maximum = 216, examples(0))]
    pub buried_count: i32,
    /// Number of cards in each hand, by seat.
    #[schema(max_items = 10)]
    pub card_counts: Vec<i32>,
    /// The hand of whoever acted, in canonical order. Left out if you may not know it. Other hands stay as they were, but for `give`, by which
    /// the asker gets the card, and `swap`, by which the caller gets the hand that the player had.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_items = 216)]
    pub hand: Option<Vec<CardCode>>,
}

impl From<RoundReplay> for RoundReplayBody {
    fn from(replay: RoundReplay) -> Self {
        let end = replay.end.as_ref();
        Self {
            server_time: None,
            round: i32::from(replay.round),
            over: end.is_some(),
            starter: number(replay.starter),
            dealer: number(replay.dealer),
            sudden_death: replay.sudden_death,
            upcard: replay.upcard.map(CardCode),
            gift: replay.gift.as_ref().map(GiftBody::from),
            dealt: replay.dealt.iter().map(DealtSeatBody::from).collect(),
            stock_count: i32::from(replay.stock),
            steps: replay.steps.items.iter().map(ReplayStepBody::from).collect(),
            next_cursor: replay.steps.next_cursor.clone(),
            ended_at: end.map(|end| end.ended_at),
            last_version: end.map(|end| end.last_version),
            seed: end.map(|end| end.seed.to_hex()),
            result: end.and_then(|end| end.result.as_ref()).map(result_body),
        }
    }
}

impl From<&DealtSeat> for DealtSeatBody {
    fn from(dealt: &DealtSeat) -> Self {
        Self {
            seat: number(dealt.seat),
            total: dealt.total,
            out: dealt.out,
            card_count: i32::from(dealt.count),
            cards: dealt.cards.as_ref().map(|cards| codes(cards.iter().copied())),
        }
    }
}

impl From<&ReplayStep> for ReplayStepBody {
    fn from(step: &ReplayStep) -> Self {
        Self { entry: LogEntryBody::from(&step.entry), table: step.after.as_ref().map(ReplayTableBody::from) }
    }
}

impl From<&StepTable> for ReplayTableBody {
    fn from(table: &StepTable) -> Self {
        Self {
            phase: table.phase.as_str().to_owned(),
            to_act: table.to_act.iter().copied().map(number).collect(),
            pile: codes(table.pile.iter().copied()),
            pickable: codes(table.pickable.iter().copied()),
            stock_count: i32::from(table.stock),
            buried_count: i32::from(table.buried),
            card_counts: table.counts.iter().copied().map(i32::from).collect(),
            hand: table.hand.as_ref().map(|hand| codes(hand.iter().copied())),
        }
    }
}

fn number(seat: Seat) -> i32 {
    i32::from(seat.number())
}
