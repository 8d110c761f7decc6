//! A simple bot: calls as soon as allowed, and otherwise keeps the lightest hand.

use yaniv_client::types::{CallAnswer, Card, CardRequestAnswer, RuleSet, SlamDownWish, SwapAnswer};
use yaniv_client::{Move, View};

use crate::screen::cards;

/// Weight of an unknown card: its average points, doubled like all weights.
const UNKNOWN: i32 = 13;

/// After this many turns in a round, it draws from the stock only.
const PATIENCE: i32 = 12;

/// With at most this many points, it challenges a call.
const BRAVE: i32 = 2;

/// Its action; `None` if it has nothing to do.
pub(crate) fn choose(view: &View) -> Option<Move> {
    let legal = view.legal.as_ref()?;
    let points = view.hand.as_ref()?.points;
    if legal.slam_card.is_some() {
        return Some(Move::SlamDown { first: false });
    }
    if !view.your_turn {
        return None;
    }
    if legal.answer_card_request {
        return Some(Move::AnswerRequest(CardRequestAnswer::Keep));
    }
    if legal.answer_call {
        let answer = if points <= BRAVE { CallAnswer::Challenge } else { CallAnswer::Expose };
        return Some(Move::AnswerCall(answer));
    }
    if legal.answer_swap {
        return Some(Move::AnswerSwap(SwapAnswer::Stay));
    }
    let enough = view.settings.rules.call_limit.unwrap_or(5);
    if legal.call && (points <= enough || legal.discards.is_empty()) {
        return Some(Move::Call { word: None });
    }
    if legal.pass {
        return Some(Move::Pass);
    }
    lightest(view)
}

/// The play that leaves the lightest hand.
fn lightest(view: &View) -> Option<Move> {
    let (legal, hand) = (view.legal.as_ref()?, view.hand.as_ref()?);
    let turns = view.seats.iter().find(|seat| Some(seat.seat) == view.your_seat).map_or(0, |seat| seat.turns);
    let plays = legal.discards.iter().flat_map(|cards| legal.draws.iter().map(move |draw| (cards, draw)));
    let weight = |cards: &Vec<Card>, drawn: Option<&Card>| {
        let mut left = hand.cards.clone();
        for card in cards {
            if let Some(at) = left.iter().position(|held| held == card) {
                left.remove(at);
            }
        }
        left.extend(drawn.cloned());
        burden(&left, &view.settings.rules) + if drawn.is_none() { UNKNOWN } else { 0 }
    };
    let (cards, draw) = plays.min_by_key(|(cards, draw)| {
        // Two such bots could exchange the same cards forever.
        let tired = turns > PATIENCE && draw.draw_card.is_some();
        (tired, weight(cards, draw.draw_card.as_ref()))
    })?;
    let slam_down = (view.settings.rules.slam_down.as_str() != "off").then_some(SlamDownWish::IfFits);
    let (draw_from, draw_card) = (draw.draw_from, draw.draw_card.clone());
    Some(Move::Play { cards: cards.clone(), draw_from, draw_card, slam_down })
}

/// Weight of a hand: its points doubled, but those of its best set only once, as a set is discarded at once.
fn burden(hand: &[Card], rules: &RuleSet) -> i32 {
    let together = |card: &Card| {
        let rank = cards::rank(card);
        let of_rank = hand.iter().filter(|other| rank.is_some() && cards::rank(other) == rank);
        let set: Vec<i32> = of_rank.map(|other| cards::points(other, rules)).collect();
        if set.len() < 2 { 0 } else { set.iter().sum() }
    };
    2 * cards::total(hand, rules) - hand.iter().map(together).max().unwrap_or(0)
}
