//! The round in play: what everybody sees of it, and what is the viewer's own.

use serde::Serialize;
use utoipa::ToSchema;
use yaniv_engine::{Draw, Legal, SeatView};

use super::card_code::{CardCode, codes};

/// The round in play: what everybody sees.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Table)]
pub struct TableBody {
    /// Number of the round, from 1.
    #[schema(minimum = 1, maximum = 1000, examples(1))]
    pub round: i32,
    /// What the round waits for: `turn`, or `over` when the match is. New phases may come.
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
    /// Only those tied for the win play on, until one has the lowest total.
    pub sudden_death: bool,
    /// The last discard, in the order thrown.
    #[schema(max_items = 216)]
    pub pile: Vec<CardCode>,
    /// Cards of the pile that the player to act may pick up.
    #[schema(max_items = 216)]
    pub pickable: Vec<CardCode>,
    /// Number of cards in the stock.
    #[schema(minimum = 0, maximum = 216, examples(43))]
    pub stock_count: i32,
    /// Number of cards that are buried.
    #[schema(minimum = 0, maximum = 216, examples(0))]
    pub buried_count: i32,
}

/// Your cards.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Hand)]
pub struct HandBody {
    /// In canonical order.
    #[schema(max_items = 216)]
    pub cards: Vec<CardCode>,
    /// What they are worth.
    #[schema(minimum = 0, examples(23))]
    pub points: i32,
}

/// What you may do now, besides resigning. Every discard goes with every draw.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Legal)]
pub struct LegalBody {
    /// Discards, each in the order to send it.
    #[schema(max_items = 5000)]
    pub discards: Vec<Vec<CardCode>>,
    /// Draws.
    #[schema(max_items = 220)]
    pub draws: Vec<DrawBody>,
    /// You may call.
    pub call: bool,
}

/// A draw: `draw_from` and `draw_card` of a play.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Draw)]
pub struct DrawBody {
    /// `stock`, `pile`, or `nothing` when there is nothing to draw.
    #[schema(max_length = 16, examples("pile"))]
    pub draw_from: String,
    /// The card, if it comes from the pile.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub draw_card: Option<CardCode>,
}

impl From<&SeatView> for TableBody {
    fn from(game: &SeatView) -> Self {
        Self {
            round: i32::from(game.round),
            phase: game.phase.as_str().to_owned(),
            to_act: game.to_act.iter().map(|seat| i32::from(seat.number())).collect(),
            starter: i32::from(game.starter.number()),
            dealer: i32::from(game.dealer.number()),
            sudden_death: game.sudden_death,
            pile: codes(game.pile.iter().copied()),
            pickable: codes(game.pickable.iter().copied()),
            stock_count: i32::from(game.stock),
            buried_count: i32::from(game.buried),
        }
    }
}

impl From<&Legal> for LegalBody {
    fn from(legal: &Legal) -> Self {
        Self {
            discards: legal.discards.iter().map(|cards| codes(cards.iter().copied())).collect(),
            draws: legal.draws.iter().map(DrawBody::from).collect(),
            call: legal.call,
        }
    }
}

impl From<&Draw> for DrawBody {
    fn from(draw: &Draw) -> Self {
        let (draw_from, draw_card) = match draw {
            Draw::Stock => ("stock", None),
            Draw::Pile(card) => ("pile", Some(CardCode(*card))),
            Draw::Nothing => ("nothing", None),
        };
        Self { draw_from: draw_from.to_owned(), draw_card }
    }
}
