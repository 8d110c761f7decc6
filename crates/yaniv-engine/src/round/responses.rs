//! Actions between turns: answers to a call, to an offer to exchange hands, and card requests (rules §6, §7 and §9).

use crate::cards::card::Card;
use crate::cards::seat::Seat;
use crate::error::{Code, PlayError};
use crate::round::ending::Next;
use crate::round::event::Played;
use crate::round::phase::{Answers, Phase};
use crate::round::play::{Context, NOT_YOUR_TURN, Outcome, WRONG_PHASE};
use crate::round::refusals::not_in_rules;
use crate::round::scoring::Verdict;
use crate::round::state::RoundState;
use crate::rules::choices::{OverLimit, Response};
use crate::rules::rule_set::Rules;

impl RoundState {
    /// Whether the seat may ask the player to act for a card. Phase and earlier requests are not checked here.
    pub(crate) fn may_ask(&self, rules: &Rules, seat: u8) -> bool {
        let first_turn = self.places().all(|(_, place)| place.turns == 0);
        seat != self.turn
            && self.seat(seat).is_active()
            && (first_turn || self.next_active(rules, seat) != self.turn)
    }

    pub(crate) fn ask(&mut self, context: &Context<'_>, card: Card) -> Outcome {
        let &Context { rules, seat, .. } = context;
        if !rules.options().card_requests {
            return Err(not_in_rules("card_requests", &["true"]));
        }
        if self.phase != Phase::Turn || self.asked {
            return Err(PlayError::new(
                Code::WrongPhase,
                "a card can be asked for once, at the start of a turn",
            ));
        }
        if !self.may_ask(rules, seat) {
            return Err(PlayError::new(
                Code::NotAllowedByRules,
                "you may not ask in this turn: it is yours, or you played just before",
            ));
        }
        if !self.pile.pickable().any(|here| here == card) {
            return Err(self.not_askable(card));
        }
        self.slam = None;
        self.asked = true;
        self.phase = Phase::Request { asker: seat, card };
        Ok((Played::new(self.round), None))
    }

    pub(crate) fn answer_card_request(&mut self, context: &Context<'_>, give: bool) -> Outcome {
        if !context.rules.options().card_requests {
            return Err(not_in_rules("card_requests", &["true"]));
        }
        let Phase::Request { asker, card } = self.phase else {
            return Err(WRONG_PHASE);
        };
        if context.seat != self.turn {
            return Err(NOT_YOUR_TURN);
        }
        self.hand_over(if give { asker } else { self.turn }, card);
        Ok((Played::new(self.round), None))
    }

    /// Moves the requested card to a hand; the turn continues.
    pub(crate) fn hand_over(&mut self, seat: u8, card: Card) {
        self.slam = None;
        self.phase = Phase::Turn;
        if self.pile.take(card) {
            self.seat_mut(seat).hand.add(card);
        }
    }

    pub(crate) fn answer_call(&mut self, context: &Context<'_>, challenge: bool) -> Outcome {
        if context.rules.options().response != Response::Challenge {
            return Err(not_in_rules("response", &["challenge"]));
        }
        let Phase::Challenge { caller, wrong_word, mut answers } = self.phase else {
            return Err(WRONG_PHASE);
        };
        if !self.is_to_act(context.seat) {
            return Err(NOT_YOUR_TURN);
        }
        self.slam = None;
        answers.push(context.seat, challenge);
        self.phase = Phase::Challenge { caller, wrong_word, answers };
        let mut played = Played::new(self.round);
        let next = self.close_challenge(context.rules, &mut played);
        Ok((played, next))
    }

    /// Scores the round if all players have answered.
    pub(crate) fn close_challenge(&mut self, rules: &Rules, played: &mut Played) -> Option<Next> {
        let Phase::Challenge { caller, wrong_word, answers } = self.phase else {
            return None;
        };
        if self.pending(caller, answers).next().is_some() {
            return None;
        }
        Some(self.finish(rules, caller, Verdict::Challenge { wrong_word, answers }, played))
    }

    pub(crate) fn answer_offer(&mut self, context: &Context<'_>, accept: bool) -> Outcome {
        if context.rules.options().over_limit != OverLimit::Swap {
            return Err(not_in_rules("over_limit", &["swap"]));
        }
        let Phase::Swap { caller, mut answers } = self.phase else {
            return Err(WRONG_PHASE);
        };
        if !self.is_to_act(context.seat) {
            return Err(NOT_YOUR_TURN);
        }
        self.slam = None;
        let mut played = Played::new(self.round);
        if accept {
            let theirs = self.seat(caller).hand.clone();
            let own = std::mem::replace(&mut self.seat_mut(context.seat).hand, theirs);
            self.seat_mut(caller).hand = own;
            played.swapped_with = Some(Seat::new(caller));
            self.close_offer(caller);
        } else {
            answers.push(context.seat, false);
            self.wait_for_offer(caller, answers);
        }
        Ok((played, None))
    }

    /// Keeps waiting for answers, or continues with the caller if all players have declined.
    pub(crate) fn wait_for_offer(&mut self, caller: u8, answers: Answers) {
        self.phase = Phase::Swap { caller, answers };
        if self.pending(caller, answers).next().is_none() {
            self.close_offer(caller);
        }
    }

    fn close_offer(&mut self, caller: u8) {
        self.turn = caller;
        self.phase = Phase::MustPlay;
    }
}
