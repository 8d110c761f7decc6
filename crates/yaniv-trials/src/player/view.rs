//! The part of a match's view that is needed to play, borrowed from the bytes of the answer.

use serde::Deserialize;

/// A match, as its player sees it.
#[derive(Clone, Debug, Deserialize)]
pub struct View<'a> {
    /// Identifier.
    pub match_id: &'a str,
    /// Code to share; empty after the start.
    #[serde(default)]
    pub join_code: &'a str,
    /// Version to act on.
    pub version: i32,
    /// `waiting`, `running`, `finished`.
    pub status: &'a str,
    /// The viewer's seat.
    pub your_seat: Option<usize>,
    /// Whether the match waits for the viewer.
    #[serde(default)]
    pub your_turn: bool,
    /// The seats.
    #[serde(borrow)]
    pub seats: Vec<Seat<'a>>,
    /// The round in play.
    #[serde(borrow)]
    pub table: Option<Table<'a>>,
    /// The viewer's cards.
    #[serde(borrow)]
    pub hand: Option<Hand<'a>>,
    /// What the viewer may do.
    #[serde(borrow)]
    pub legal: Option<Legal<'a>>,
}

/// A seat.
#[derive(Clone, Debug, Deserialize)]
pub struct Seat<'a> {
    /// The player.
    pub username: &'a str,
    /// Cards in hand.
    pub card_count: i32,
    /// Eliminated, resigned or removed.
    #[serde(default)]
    pub out: bool,
}

/// The round in play.
#[derive(Clone, Debug, Deserialize)]
pub struct Table<'a> {
    /// From 1.
    pub round: i32,
    /// `turn`, `final_turn`, …
    pub phase: &'a str,
    /// Seats that have to act.
    pub to_act: Vec<usize>,
    /// The last discard.
    #[serde(borrow)]
    pub pile: Vec<&'a str>,
    /// Cards of it that the seat to act may draw.
    #[serde(borrow)]
    pub pickable: Vec<&'a str>,
    /// Cards in the stock.
    pub stock_count: i32,
}

/// Cards in hand.
#[derive(Clone, Debug, Deserialize)]
pub struct Hand<'a> {
    /// In canonical order.
    #[serde(borrow)]
    pub cards: Vec<&'a str>,
    /// What they are worth.
    pub points: i32,
}

/// Actions available to the viewer, besides resigning.
#[derive(Clone, Debug, Deserialize)]
pub struct Legal<'a> {
    /// Discards, each in the order in which to send it.
    #[serde(borrow)]
    pub discards: Vec<Vec<&'a str>>,
    /// Draws; each can be combined with each discard.
    #[serde(borrow)]
    pub draws: Vec<Draw<'a>>,
    /// A call is allowed.
    #[serde(default)]
    pub call: bool,
    /// Passing is allowed.
    #[serde(default)]
    pub pass: bool,
    /// A request for a card has to be answered.
    #[serde(default)]
    pub answer_card_request: bool,
    /// A call has to be answered.
    #[serde(default)]
    pub answer_call: bool,
    /// An offer to swap has to be answered.
    #[serde(default)]
    pub answer_swap: bool,
}

/// A draw.
#[derive(Clone, Debug, Deserialize)]
pub struct Draw<'a> {
    /// `stock`, `pile` or `nothing`.
    pub draw_from: &'a str,
    /// The card, if from the pile.
    pub draw_card: Option<&'a str>,
}

impl<'a> View<'a> {
    /// Reads a view from the body of an answer.
    ///
    /// # Errors
    /// If it is not a match.
    pub fn read(body: &'a [u8]) -> Result<Self, serde_json::Error> {
        serde_json::from_slice(body)
    }
}
