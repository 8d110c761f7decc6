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
        return field("body", "has to order something");
    }
    if orders.plays.len() > MOST_PLAYS {
        return field("plays", "has to have 8 at most");
    }
    if orders.slam_down.is_some() && orders.plays.is_empty() {
        return field("slam_down", "goes with plays only");
    }
    let rules = game.rules().options();
    let unknown = [
        (orders.slam_down.is_some() && rules.slam_down == SlamDown::Off, "slam-downs"),
        (orders.give_from.is_some() && !rules.card_requests, "card requests"),
        (orders.challenge_at_most.is_some() && rules.response != Response::Challenge, "challenges"),
        (orders.swap_from.is_some() && rules.over_limit != OverLimit::Swap, "swaps"),
    ];
    if let Some((_, what)) = unknown.into_iter().find(|(wrong, _)| *wrong) {
        return refused(Code::NotAllowedByRules, format!("this match has no {what}"));
    }
    if let (Some(most), Some(limit)) = (orders.call_at_most, rules.call_limit)
        && most > limit
    {
        return refused(Code::CallOverLimit, format!("a call has {limit} points at most"));
    }
    let hand = view.hand.as_ref().map(|hand| hand.cards.as_slice()).unwrap_or_default();
    let mut plays = (0..).zip(&orders.plays);
    plays.try_for_each(|(place, play)| check_play(place, play, game, hand))
}

fn check_play(place: usize, play: &PlayOrder, game: &Match, hand: &[Card]) -> Result<(), ServiceError> {
    if !(1..=MOST_CARDS).contains(&play.cards.len()) || play.if_pickable.len() > MOST_CARDS {
        let detail = "has to have 1 to 20 cards, and as many in if_pickable at most";
        return Err(ServiceError::InvalidField { field: "plays", detail });
    }
    let mut left = hand.to_vec();
    for card in &play.cards {
        let Some(index) = left.iter().position(|held| held == card) else {
            return refused(Code::CardNotInHand, format!("plays[{place}]: you do not hold {}", card.code()));
        };
        left.swap_remove(index);
    }
    if game.canonical_discard(&play.cards).is_none() {
        return refused(Code::NotAMeld, format!("plays[{place}]: these cannot be thrown so"));
    }
    Ok(())
}

fn refused(code: Code, detail: String) -> Result<(), ServiceError> {
    Err(ServiceError::Rejected(PlayError { code, detail: detail.into() }))
}
