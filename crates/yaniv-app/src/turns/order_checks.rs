//! Validation of standing orders at placement: against the rules of the match and the hand. Placement is in
//! `orders`.

use yaniv_engine::{Card, Code, Match, OverLimit, PlayError, Response, SeatView, SlamDown};
use yaniv_match::standing_orders::{PlayOrder, StandingOrders};

use crate::ServiceError;

/// Maximum number of alternative plays.
const MOST_PLAYS: usize = 8;
/// Maximum number of cards of a play, and of its condition.
const MOST_CARDS: usize = 20;

/// Checks that orders are possible.
///
/// # Errors
/// `InvalidField`, `Rejected`.
pub(crate) fn check(orders: &StandingOrders, game: &Match, view: &SeatView) -> Result<(), ServiceError> {
    let field = |field, detail| Err(ServiceError::InvalidField { field, detail });
    if orders.is_empty() {
        return field("body", "must have at least one order");
    }
    if orders.plays.len() > MOST_PLAYS {
        return field("plays", "must have at most 8 items");
    }
    if orders.slam_down.is_some() && orders.plays.is_empty() {
        return field("slam_down", "must be left out without plays");
    }
    let rules = game.rules().options();
    let unknown = [
        (orders.slam_down.is_some() && rules.slam_down == SlamDown::Off, "slam-downs", "slam_down"),
        (orders.give_from.is_some() && !rules.card_requests, "card requests", "card_requests"),
        (
            orders.challenge_at_most.is_some() && rules.response != Response::Challenge,
            "challenges",
            "response",
        ),
        (orders.swap_from.is_some() && rules.over_limit != OverLimit::Swap, "swaps", "over_limit"),
    ];
    if let Some((_, what, option)) = unknown.into_iter().find(|(wrong, ..)| *wrong) {
        let detail = format!("these rules have no {what}: see the option {option}");
        let refusal = PlayError::with(Code::NotAllowedByRules, detail).about("option", option);
        return Err(ServiceError::Rejected(refusal));
    }
    if let (Some(most), Some(limit)) = (orders.call_at_most, rules.call_limit)
        && most > limit
    {
        let detail = format!("a call may have {limit} points or less");
        let refusal = PlayError::with(Code::CallOverLimit, detail).about("limit", limit.to_string());
        return Err(ServiceError::Rejected(refusal));
    }
    let hand = view.hand.as_ref().map(|hand| hand.cards.as_slice()).unwrap_or_default();
    let mut plays = (0..).zip(&orders.plays);
    plays.try_for_each(|(place, play)| check_play(place, play, game, hand))
}

fn check_play(place: usize, play: &PlayOrder, game: &Match, hand: &[Card]) -> Result<(), ServiceError> {
    if !(1..=MOST_CARDS).contains(&play.cards.len()) || play.if_pickable.len() > MOST_CARDS {
        let detail = "must each have 1 to 20 cards, and at most 20 in if_pickable";
        return Err(ServiceError::InvalidField { field: "plays", detail });
    }
    game.check_discard(hand, &play.cards)
        .map_err(|refusal| ServiceError::Rejected(refusal.about("play", place.to_string())))
}
