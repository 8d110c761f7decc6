//! The round in play: the table, which is the same for all players, and the viewer's hand and legal actions.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use yaniv_engine::{Answer, Draw, Legal, Seat, SeatView};
use yaniv_match::settings::Dedication;

use crate::values::card_code::{CardCode, codes};

/// The round in play, as all players see it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Table)]
pub struct TableBody {
    /// Number of the round, from 1.
    #[schema(minimum = 1, maximum = 1000, examples(1))]
    pub round: i32,
    /// Phase of the round: `turn` (play or call), `must_play` (after a call over the limit), `final_turn` (one more
    /// play each after a call), `challenge` (expose or challenge), `swap` (exchange hands with the caller or not),
    /// `request` (give or keep the card asked for), `over`. New phases may come.
    #[schema(max_length = 32, pattern = "^[a-z_]+$", examples("turn"))]
    pub phase: String,
    /// Seats that have to act.
    #[schema(max_items = 10)]
    pub to_act: Vec<i32>,
    /// Seat that played first.
    #[schema(minimum = 0, maximum = 9, examples(0))]
    pub starter: i32,
    /// Seat that dealt.
    #[schema(minimum = 0, maximum = 9, examples(1))]
    pub dealer: i32,
    /// Whether only the players tied for the win play on, until one has the lowest total. Absent: false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub sudden_death: bool,
    /// Seat whose call is being answered. Only in `final_turn`, `challenge` and `swap`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 9, examples(1))]
    pub caller: Option<i32>,
    /// Answers to the call so far, in the order given. Left out if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, max_items = 10)]
    pub answers: Vec<AnswerBody>,
    /// Seat that has asked for a card. Only in `request`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 9, examples(1))]
    pub asker: Option<i32>,
    /// The card asked for. Only in `request`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub asked_card: Option<CardCode>,
    /// Whether a card has already been asked for in this turn. Absent: false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub asked: bool,
    /// The dealer's dedication of the turned-up card. Left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub dedication: Option<DedicationBody>,
    /// The last discard, in the order thrown.
    #[schema(max_items = 216)]
    pub pile: Vec<CardCode>,
    /// Cards of the pile that the player to act may pick up.
    #[schema(max_items = 216)]
    pub pickable: Vec<CardCode>,
    /// Number of cards in the stock.
    #[schema(minimum = 0, maximum = 216, examples(43))]
    pub stock_count: i32,
    /// Number of buried cards.
    #[schema(minimum = 0, maximum = 216, examples(0))]
    pub buried_count: i32,
}

/// An answer to a call.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Answer)]
pub struct AnswerBody {
    /// Seat that answered.
    #[schema(minimum = 0, maximum = 9, examples(1))]
    pub seat: i32,
    /// `expose`, `challenge` or `stay`.
    #[schema(max_length = 16, pattern = "^[a-z_]+$", examples("expose"))]
    pub answer: String,
}

/// A dedication of the turned-up card.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Dedication)]
pub struct DedicationBody {
    /// Seat that dealt.
    #[schema(minimum = 0, maximum = 9, examples(1))]
    pub seat: i32,
    /// Text of the dedication.
    #[schema(max_length = 140, examples("for your patience"))]
    pub text: String,
}

/// Your cards.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Hand)]
pub struct HandBody {
    /// The cards, in canonical order.
    #[schema(max_items = 216)]
    pub cards: Vec<CardCode>,
    /// Points of the hand.
    #[schema(minimum = 0, examples(23))]
    pub points: i32,
}

/// Your legal actions now, besides resigning. Every discard can be combined with every draw.
///
/// While the match waits for another player, `discards` and `draws` are empty, and only `slam_card`, with
/// `slam_either_end`, and `ask` may be present.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Legal)]
pub struct LegalBody {
    /// Legal discards, each with its cards in the order to send them. Empty if you may not play.
    #[schema(max_items = 4096)]
    pub discards: Vec<Vec<CardCode>>,
    /// Legal draws. Empty if you may not play.
    #[schema(max_items = 220)]
    pub draws: Vec<DrawBody>,
    /// Whether there are more discards than are listed. Absent: false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub truncated: bool,
    /// Whether you may call (`makeCall`). Includes a call over the limit where the rules punish it instead of refusing
    /// it. Absent: false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub call: bool,
    /// Whether you may pass (`passTurn`): your hand is empty and you may not call. Absent: false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub pass: bool,
    /// The card that you may slam down (`slamDown`), until the next action of any player. Left out if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub slam_card: Option<CardCode>,
    /// Whether the card fits at both ends of the run; `first` of `slamDown` chooses the end. Absent: false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub slam_either_end: bool,
    /// Cards that you may ask for (`requestCard`) until the player to act has acted. Left out if there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false, max_items = 20)]
    pub ask: Vec<CardCode>,
    /// Whether you must give or keep the card asked for (`answerCardRequest`). Absent: false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub answer_card_request: bool,
    /// Whether you must expose or challenge (`answerCall`). Absent: false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub answer_call: bool,
    /// Whether you must swap or stay (`answerSwap`). Absent: false.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    pub answer_swap: bool,
}

/// Source of a draw.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DrawFrom {
    /// The top of the stock.
    Stock,
    /// A card of the pile.
    Pile,
    /// No draw: nothing can be drawn.
    Nothing,
}

/// A draw: `draw_from` and `draw_card` of a play.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Draw)]
pub struct DrawBody {
    /// Source of the draw.
    pub draw_from: DrawFrom,
    /// The card, if it comes from the pile. Otherwise left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub draw_card: Option<CardCode>,
}

impl TableBody {
    /// The round as a seat sees it, with the dealer's dedication.
    pub fn new(game: &SeatView, dedication: Option<&Dedication>) -> Self {
        Self {
            round: i32::from(game.round),
            phase: game.phase.as_str().to_owned(),
            to_act: game.to_act.iter().map(|seat| i32::from(seat.number())).collect(),
            starter: i32::from(game.starter.number()),
            dealer: i32::from(game.dealer.number()),
            sudden_death: game.sudden_death,
            caller: game.caller.map(|seat| i32::from(seat.number())),
            answers: game.answers.iter().map(AnswerBody::from).collect(),
            asker: game.request.map(|(asker, _)| i32::from(asker.number())),
            asked_card: game.request.map(|(_, card)| CardCode(card)),
            asked: game.asked,
            dedication: dedication.map(DedicationBody::from),
            pile: codes(game.pile.iter().copied()),
            pickable: codes(game.pickable.iter().copied()),
            stock_count: i32::from(game.stock),
            buried_count: i32::from(game.buried),
        }
    }
}

impl From<&Dedication> for DedicationBody {
    fn from(dedication: &Dedication) -> Self {
        Self { seat: i32::from(dedication.seat), text: dedication.text.clone() }
    }
}

impl From<&(Seat, Answer)> for AnswerBody {
    fn from((seat, answer): &(Seat, Answer)) -> Self {
        Self { seat: i32::from(seat.number()), answer: answer.as_str().to_owned() }
    }
}

impl LegalBody {
    /// The legal actions; `None` if only resigning is left.
    pub fn of(legal: &Legal) -> Option<Self> {
        let waited_for = !legal.discards.is_empty() || legal.call || legal.pass || legal.give;
        let answers = legal.challenge || legal.swap;
        let offered = legal.slam.is_some() || !legal.ask.is_empty();
        (waited_for || answers || offered).then(|| Self::from(legal))
    }
}

impl From<&Legal> for LegalBody {
    fn from(legal: &Legal) -> Self {
        Self {
            discards: legal.discards.iter().map(|cards| codes(cards.iter().copied())).collect(),
            draws: legal.draws.iter().map(DrawBody::from).collect(),
            truncated: legal.truncated,
            call: legal.call,
            pass: legal.pass,
            slam_card: legal.slam.map(|slam| CardCode(slam.card)),
            slam_either_end: legal.slam.is_some_and(|slam| slam.either_end),
            ask: codes(legal.ask.iter().copied()),
            answer_card_request: legal.give,
            answer_call: legal.challenge,
            answer_swap: legal.swap,
        }
    }
}

impl From<&Draw> for DrawBody {
    fn from(draw: &Draw) -> Self {
        let (draw_from, draw_card) = match draw {
            Draw::Stock => (DrawFrom::Stock, None),
            Draw::Pile(card) => (DrawFrom::Pile, Some(CardCode(*card))),
            Draw::Nothing => (DrawFrom::Nothing, None),
        };
        Self { draw_from, draw_card }
    }
}
