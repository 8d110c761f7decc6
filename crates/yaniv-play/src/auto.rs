//! A simple player for who has nobody to play with: calls as soon as it may, and otherwise keeps the lightest hand that it
//! can see.

use yaniv_client::Move;
use yaniv_client::types::{CallAnswer, Card, DrawFrom, Match, RequestAnswer, RuleSet, SlamDownWish, SwapAnswer};

use crate::cards;

/// What an unknown card counts on average, doubled, to stay with whole numbers.
const UNKNOWN: i32 = 13;

/// With this or less a call is challenged.
const BRAVE: i32 = 2;

/// What it does now; `None` where it has nothing to do.
pub(crate) fn choose(view: &Match) -> Option<Move> {
    let legal = view.legal.as_ref()?;
    let points = view.hand.as_ref()?.points;
    if legal.slam_card.is_some() {
        return Some(Move::SlamDown { first: false });
    }
    if !view.your_turn {
        return None;
    }
    if legal.answer_request {
        return Some(Move::AnswerRequest(RequestAnswer::Keep));
    }
    if legal.answer_call {
        let answer = if points <= BRAVE { CallAnswer::Challenge } else { CallAnswer::Expose };
        return Some(Move::AnswerCall(answer));
    }
    if legal.answer_swap {
        return Some(Move::AnswerSwap(SwapAnswer::Stay));
    }
    let enough = view.rules.call_limit.unwrap_or(5);
    if legal.call && (points <= enough || legal.discards.is_empty()) {
        return Some(Move::Call { word: None });
    }
    if legal.pass {
        return Some(Move::Pass);
    }
    lightest(view)
}

/// The play that leaves least.
fn lightest(view: &Match) -> Option<Move> {
    let (legal, hand) = (view.legal.as_ref()?, view.hand.as_ref()?);
    let plays = legal.discards.iter().flat_map(|cards| legal.draws.iter().map(move |draw| (cards, draw)));
    let weight = |cards: &Vec<Card>, drawn: Option<&Card>| {
        let mut left = hand.cards.clone();
        for card in cards {
            if let Some(at) = left.iter().position(|held| held == card) {
                left.remove(at);
            }
        }
        left.extend(drawn.cloned());
        2 * burden(&left, &view.rules) + if drawn.is_none() { UNKNOWN } else { 0 }
    };
    let (cards, draw) = plays.min_by_key(|(cards, draw)| weight(cards, draw.draw_card.as_ref()))?;
    let draw_from = draw.draw_from.parse::<DrawFrom>().ok()?;
    let slam_down = (view.rules.slam_down.as_str() != "off").then_some(SlamDownWish::IfFits);
    Some(Move::Play { cards: cards.clone(), draw_from, draw_card: draw.draw_card.clone(), slam_down })
}

/// What a hand counts when its best set has been thrown.
fn burden(hand: &[Card], rules: &RuleSet) -> i32 {
    let together = |card: &Card| {
        let rank = cards::rank(card);
        let of_rank = hand.iter().filter(|other| rank.is_some() && cards::rank(other) == rank);
        of_rank.map(|other| cards::points(other, rules)).sum::<i32>()
    };
    cards::total(hand, rules) - hand.iter().map(together).max().unwrap_or(0)
}
