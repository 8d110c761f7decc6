//! Standing orders: conditional moves, placed before one's turn. Only their owner sees them.

use actix_web::web::Data;
use actix_web::{delete, get, put};
use serde::Deserialize;
use utoipa::ToSchema;
use yaniv_app::Services;
use yaniv_engine::{Card, Draw};
use yaniv_http_macros::operation;
use yaniv_match::standing_orders::{PlayOrder, StandingOrders};

use crate::kernel::error::ApiError;
use crate::kernel::extract::{Auth, Play, Read, Reads, Writes};
use crate::kernel::json::{JsonBody, NoBody, NoQuery};
use crate::kernel::params::MatchPath;
use crate::kernel::problem::ProblemCode;
use crate::kernel::responses::{ApiResult, NoContent, Reply, Tagged};
use crate::match_view::table_body::DrawFrom;
use crate::turns::orders_body::{PlayOrderBody, StandingOrdersBody};
use crate::turns::play::SlamDownWish;
use crate::values::card_code::CardCode;

/// Actions for your next turn, and answers to questions before it.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SetStandingOrdersRequest {
    /// Version of the match that you have seen.
    #[schema(minimum = 1, examples(5))]
    #[serde(deserialize_with = "crate::values::expected_version::read")]
    expected_version: i32,
    /// Call if your hand has at most this many points. At most the call limit of the rules.
    #[serde(default)]
    #[schema(nullable = false, minimum = 0, maximum = 200, examples(5))]
    call_at_most: Option<i32>,
    /// Otherwise play the first of these that fits: its draw is possible, and its condition holds.
    #[serde(default)]
    #[schema(required = false, max_items = 8)]
    plays: Vec<PlayOrderBody>,
    /// Slam the drawn card down with the play if the rules have slam-downs and it fits.
    #[serde(default)]
    #[schema(nullable = false)]
    slam_down: Option<SlamDownWish>,
    /// If asked for a card: give it if it counts at least this many points, otherwise keep it.
    #[serde(default)]
    #[schema(nullable = false, minimum = 0, maximum = 100, examples(10))]
    give_from: Option<i32>,
    /// Answer to a call: challenge if your hand has at most this many points, otherwise expose it.
    #[serde(default)]
    #[schema(nullable = false, minimum = 0, maximum = 1000, examples(7))]
    challenge_at_most: Option<i32>,
    /// Answer to an offer to swap: swap if your hand has at least this many points, otherwise stay.
    #[serde(default)]
    #[schema(nullable = false, minimum = 0, maximum = 1000, examples(20))]
    swap_from: Option<i32>,
}

/// Place standing orders.
///
/// At least one order, for your next turn only; they replace earlier orders, and are carried out as soon as your turn
/// comes. They become void if the round or your hand changes, if a call or a request for a card comes for which you have
/// no order, or if no play fits. No other account sees them; actions by them are marked in the log. Repeating the
/// request changes nothing.
#[operation(
    put "/v1/matches/{match_id}/standing-orders",
    tag = "actions",
    example = json!({"expected_version": 5, "call_at_most": 5, "plays": [
            {"cards": ["9C", "9D"], "draw_from": "pile", "draw_card": "AS"},
            {"cards": ["KH"], "draw_from": "stock"}]}),
    answer = "Your orders.",
    problems(AlreadyYourTurn, VersionConflict, WrongPhase, SeatOut, SeatHeld, MatchOver, MatchNotStarted, CardNotInHand, NotAMeld, CallOverLimit, NotAllowedByRules),
)]
pub(crate) async fn set_standing_orders(
    services: Data<Services>,
    caller: Auth<Play, Writes>,
    path: MatchPath,
    body: JsonBody<SetStandingOrdersRequest>,
) -> ApiResult<Reply<StandingOrdersBody>> {
    let expected_version = body.0.expected_version;
    let orders = body.0.orders()?;
    let placed =
        services.set_standing_orders(caller.account, path.match_id, expected_version, orders).await?;
    Ok(Reply::new(StandingOrdersBody::at_its_time(placed)))
}

/// Show your standing orders.
///
/// The orders that you last placed in this match, and their state.
#[operation(
    get "/v1/matches/{match_id}/standing-orders",
    tag = "actions",
    answer = "Your orders.",
)]
pub(crate) async fn get_standing_orders(
    services: Data<Services>,
    caller: Auth<Read, Reads>,
    path: MatchPath,
    _: NoQuery,
) -> ApiResult<Tagged<StandingOrdersBody>> {
    let orders = services.orders(caller.account, path.match_id).await?;
    Ok(Tagged::new(StandingOrdersBody::from(orders), services.now()))
}

/// Withdraw your standing orders.
///
/// Actions already carried out remain. If you have no orders, nothing changes.
#[operation(
    delete "/v1/matches/{match_id}/standing-orders",
    tag = "actions",
    answer = "You have no standing orders.",
)]
pub(crate) async fn remove_standing_orders(
    services: Data<Services>,
    caller: Auth<Play, Writes>,
    path: MatchPath,
    _: NoBody,
) -> ApiResult<NoContent> {
    services.remove_standing_orders(caller.account, path.match_id).await?;
    Ok(NoContent::default())
}

impl SetStandingOrdersRequest {
    fn orders(self) -> Result<StandingOrders, ApiError> {
        let plays = (0..).zip(self.plays).map(|(place, play)| play_order(place, play));
        Ok(StandingOrders {
            call_at_most: points("call_at_most", self.call_at_most, 200)?,
            plays: plays.collect::<Result<_, _>>()?,
            slam_down: self.slam_down.map(SlamDownWish::is_first),
            give_from: points("give_from", self.give_from, 100)?,
            challenge_at_most: points("challenge_at_most", self.challenge_at_most, 1000)?,
            swap_from: points("swap_from", self.swap_from, 1000)?,
        })
    }
}

fn points(field: &str, points: Option<i32>, most: u16) -> Result<Option<u16>, ApiError> {
    let bounded = |points| u16::try_from(points).ok().filter(|points| *points <= most);
    let refused = || ApiError::field(ProblemCode::InvalidBody, field, format!("must be 0 to {most}"));
    points.map(|points| bounded(points).ok_or_else(refused)).transpose()
}

fn play_order(place: usize, play: PlayOrderBody) -> Result<PlayOrder, ApiError> {
    let field = |detail: &str| {
        Err(ApiError::field(ProblemCode::InvalidBody, format!("plays[{place}].draw_card"), detail))
    };
    let draw = match (play.draw_from, play.draw_card) {
        (DrawFrom::Pile, Some(card)) => Draw::Pile(card.0),
        (DrawFrom::Pile, None) => return field("must be given with draw_from pile"),
        (_, Some(_)) => return field("must be left out unless draw_from is pile"),
        (DrawFrom::Stock, None) => Draw::Stock,
        (DrawFrom::Nothing, None) => Draw::Nothing,
    };
    let cards = |codes: Vec<CardCode>| -> Vec<Card> { codes.into_iter().map(|code| code.0).collect() };
    Ok(PlayOrder { cards: cards(play.cards), draw, if_pickable: cards(play.if_pickable) })
}
