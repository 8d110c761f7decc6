//! Replay of a round, step by step.

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;
use yaniv_app::history::round_replay::{DealtSeat, ReplayStep, RoundReplay, StepState};
use yaniv_engine::Seat;

use crate::match_view::log_body::LogEntryBody;
use crate::match_view::round_body::RoundResultBody;
use crate::match_view::table_body::DedicationBody;
use crate::values::card_code::{CardCode, codes};

/// A page of a round, from the deal to its end or current state. A finished round is fully open; of the round in play
/// it contains what you may know.
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
    /// Whether the round is over, and so fully open.
    pub over: bool,
    /// Seat of the starter, which plays first.
    #[schema(minimum = 0, maximum = 9, examples(0))]
    pub starter: i32,
    /// Seat of the dealer.
    #[schema(minimum = 0, maximum = 9, examples(1))]
    pub dealer: i32,
    /// Whether only the players tied for the win play this round.
    pub sudden_death: bool,
    /// The turned-up card. Left out if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub upcard: Option<CardCode>,
    /// The dealer's dedication of that card. Left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub dedication: Option<DedicationBody>,
    /// The hands after the deal, by seat.
    #[schema(max_items = 10)]
    pub dealt: Vec<DealtSeatBody>,
    /// Number of cards in the stock after the deal.
    #[schema(minimum = 0, maximum = 216, examples(43))]
    pub stock_count: i32,
    /// The actions on this page, oldest first.
    #[schema(max_items = 100)]
    pub steps: Vec<ReplayStepBody>,
    /// `cursor` of the next page. Left out on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 100)]
    pub next_cursor: Option<String>,
    /// When the round ended. Left out while it is in play.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub ended_at: Option<DateTime<Utc>>,
    /// Version of the action that ended the round. Left out while it is in play.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, examples(17))]
    pub last_version: Option<i32>,
    /// Seed of the round, in hexadecimal, which determines its cards (docs/fairness.md). Left out while it is in play.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(
        nullable = false,
        min_length = 64,
        max_length = 64,
        pattern = "^[0-9a-f]{64}$",
        examples("aef432068f0b94b90b1e50715ac1599090687b72d55ef263371f17660ae7bcdf")
    )]
    pub seed: Option<String>,
    /// The scores. Left out while the round is in play, and if it ended unscored.
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
    /// Total before the round.
    #[schema(examples(42))]
    pub total: i32,
    /// Whether the player was out.
    pub out: bool,
    /// Number of cards dealt.
    #[schema(minimum = 0, maximum = 216, examples(5))]
    pub card_count: i32,
    /// The cards. Left out if you may not know them, and if the player was out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_items = 216)]
    pub cards: Option<Vec<CardCode>>,
}

/// An action of the round, and the table after it.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ReplayStep)]
pub struct ReplayStepBody {
    /// The log entry, as in `listLog`.
    pub entry: LogEntryBody,
    /// The table after the action. Left out for the last action of the round: `result` has the hands.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub table: Option<ReplayTableBody>,
}

/// The table after an action.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ReplayTable)]
pub struct ReplayTableBody {
    /// Phase of the round, as in `Table`.
    #[schema(max_length = 32, pattern = "^[a-z_]+$", examples("turn"))]
    pub phase: String,
    /// Seats that must act.
    #[schema(max_items = 10)]
    pub to_act: Vec<i32>,
    /// The last discard, in the order thrown.
    #[schema(max_items = 216)]
    pub pile: Vec<CardCode>,
    /// Cards of the pile that can be drawn.
    #[schema(max_items = 216)]
    pub pickable: Vec<CardCode>,
    /// Number of cards in the stock.
    #[schema(minimum = 0, maximum = 216, examples(43))]
    pub stock_count: i32,
    /// Number of buried cards.
    #[schema(minimum = 0, maximum = 216, examples(0))]
    pub buried_count: i32,
    /// Number of cards in each hand, by seat.
    #[schema(max_items = 10)]
    pub card_counts: Vec<i32>,
    /// The hand of the acting player, in canonical order. Left out if you may not know it.
    ///
    /// Other hands do not change, except after `give` (the asker gets the card) and `swap` (the caller gets the
    /// player's former hand).
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
            dedication: replay.dedication.as_ref().map(DedicationBody::from),
            dealt: replay.dealt.iter().map(DealtSeatBody::from).collect(),
            stock_count: i32::from(replay.stock),
            steps: replay.steps.items.iter().map(ReplayStepBody::from).collect(),
            next_cursor: replay.steps.next_cursor.clone(),
            ended_at: end.map(|end| end.ended_at),
            last_version: end.map(|end| end.last_version),
            seed: end.map(|end| end.seed.to_hex()),
            result: end.and_then(|end| end.score.as_ref()).map(RoundResultBody::from),
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

impl From<&StepState> for ReplayTableBody {
    fn from(table: &StepState) -> Self {
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
