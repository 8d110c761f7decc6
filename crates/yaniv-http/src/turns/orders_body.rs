//! Standing orders, as their owner sees them.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use yaniv_app::turns::orders::OwnOrders;
use yaniv_engine::Draw;
use yaniv_match::standing_orders::PlayOrder;

use crate::match_view::table_body::DrawFrom;
use crate::values::card_code::{CardCode, codes};

/// An ordered play, and its condition.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = PlayOrder)]
pub struct PlayOrderBody {
    /// The cards to throw, in order; all of them in your hand.
    #[schema(min_items = 1, max_items = 20)]
    pub cards: Vec<CardCode>,
    /// Source of the draw.
    pub draw_from: DrawFrom,
    /// The card to draw, if it can be picked up then. Required with `pile`; otherwise left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub draw_card: Option<CardCode>,
    /// Condition: all these cards can be picked up from the pile then. Empty (default): no condition.
    #[serde(default)]
    #[schema(required = false, max_items = 20)]
    pub if_pickable: Vec<CardCode>,
}

/// Your standing orders in a match. No other account sees them.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = StandingOrders)]
pub struct StandingOrdersBody {
    /// The server's time when it answered; in the response to a write, when the orders were placed. Not part of the
    /// ETag.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, required = true)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub server_time: Option<DateTime<Utc>>,
    /// State of the orders: `none` (you have none), `waiting`, `carried_out`, `void`.
    #[schema(max_length = 32, pattern = "^[a-z_]+$", examples("waiting"))]
    pub state: String,
    /// Reason, if they are void: `round_over`, `match_over`, `out`, `turn_taken`, `hand_changed`, `called`, `asked`,
    /// `nothing_fits`, `refused`. New reasons may come.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 32, pattern = "^[a-z_]+$", examples("called"))]
    pub reason: Option<String>,
    /// Version of the match at which they were placed. Left out if you have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, examples(5))]
    pub version: Option<i32>,
    /// When they were placed. Left out if you have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    #[serde(serialize_with = "crate::values::time::print_some")]
    pub placed_at: Option<DateTime<Utc>>,
    /// Version of the match after they were carried out, or when no play fitted. Left out until then, and if your
    /// turn was taken or the match ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 1, examples(7))]
    pub ended_version: Option<i32>,
    /// Call if your hand has at most this many points.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 200, examples(5))]
    pub call_at_most: Option<i32>,
    /// Otherwise play the first of these that fits.
    #[schema(max_items = 8)]
    pub plays: Vec<PlayOrderBody>,
    /// Slam the drawn card down with the play if it fits: `if_fits` or `if_fits_first`, as in `playCards`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, max_length = 16, pattern = "^[a-z_]+$", examples("if_fits"))]
    pub slam_down: Option<String>,
    /// If asked for a card: give it if it counts at least this many points, otherwise keep it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 100, examples(10))]
    pub give_from: Option<i32>,
    /// Answer to a call: challenge if your hand has at most this many points, otherwise expose it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 1000, examples(7))]
    pub challenge_at_most: Option<i32>,
    /// Answer to an offer to swap: swap if your hand has at least this many points, otherwise stay.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, minimum = 0, maximum = 1000, examples(20))]
    pub swap_from: Option<i32>,
}

impl StandingOrdersBody {
    /// The response to a write, with the time of the write.
    pub fn at_its_time(own: OwnOrders) -> Self {
        let at = own.placed_at;
        Self { server_time: Some(at), ..Some(own).into() }
    }
}

impl From<Option<OwnOrders>> for StandingOrdersBody {
    fn from(own: Option<OwnOrders>) -> Self {
        let state = own.as_ref().map_or("none", |own| &own.state).to_owned();
        let orders = own.as_ref().map(|own| own.orders.clone()).unwrap_or_default();
        let slam_down = |first: bool| if first { "if_fits_first" } else { "if_fits" }.to_owned();
        Self {
            server_time: None,
            state,
            version: own.as_ref().map(|own| own.version),
            placed_at: own.as_ref().map(|own| own.placed_at),
            ended_version: own.as_ref().and_then(|own| own.ended_version),
            reason: own.and_then(|own| own.reason),
            call_at_most: orders.call_at_most.map(i32::from),
            plays: orders.plays.into_iter().map(PlayOrderBody::from).collect(),
            slam_down: orders.slam_down.map(slam_down),
            give_from: orders.give_from.map(i32::from),
            challenge_at_most: orders.challenge_at_most.map(i32::from),
            swap_from: orders.swap_from.map(i32::from),
        }
    }
}

impl From<PlayOrder> for PlayOrderBody {
    fn from(play: PlayOrder) -> Self {
        let (draw_from, draw_card) = match play.draw {
            Draw::Stock => (DrawFrom::Stock, None),
            Draw::Pile(card) => (DrawFrom::Pile, Some(CardCode(card))),
            Draw::Nothing => (DrawFrom::Nothing, None),
        };
        Self { cards: codes(play.cards), draw_from, draw_card, if_pickable: codes(play.if_pickable) }
    }
}
