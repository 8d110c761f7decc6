//! Calls (rules §5 to §7): legality and consequences.

use crate::cards::card::Card;
use crate::error::{Code, PlayError};
use crate::round::action::Word;
use crate::round::ending::Next;
use crate::round::event::{CallOutcome, Played};
use crate::round::phase::{Answers, Phase};
use crate::round::play::{Context, NOT_YOUR_TURN, Outcome, WRONG_PHASE};
use crate::round::refusals;
use crate::round::scoring::Verdict;
use crate::round::state::RoundState;
use crate::rules::choices::{OutOfTurn, OverLimit, Response};
use crate::rules::rule_set::Rules;
use crate::shuffle::shuffler::Shuffler;

impl RoundState {
    /// Whether the seat may call in its turn, ending the round or taking a penalty of the rule set.
    pub(crate) fn can_call(&self, rules: &Rules, seat: u8) -> bool {
        self.phase == Phase::Turn
            && seat == self.turn
            && self.enough_turns(rules)
            && (rules.options().over_limit != OverLimit::Reject || !self.is_over_limit(rules, seat))
    }

    pub(crate) fn call(&mut self, context: &Context<'_>, word: Option<&Word>) -> Outcome {
        let &Context { rules, seat, .. } = context;
        let options = rules.options();
        if !matches!(self.phase, Phase::Turn | Phase::MustPlay) {
            return Err(WRONG_PHASE);
        }
        let mut played = Played::new(self.round);
        if seat != self.turn {
            if options.out_of_turn == OutOfTurn::Reject || self.phase != Phase::Turn {
                return Err(NOT_YOUR_TURN);
            }
            played.call = Some(CallOutcome::OutOfTurn);
            let next = self.finish(rules, seat, Verdict::OutOfTurn, &mut played);
            return Ok((played, Some(next)));
        }
        if self.phase == Phase::MustPlay {
            return Err(PlayError::new(Code::AlreadyCalled, "you have called in this turn: play now"));
        }
        let place = match word {
            None => 0,
            Some(word) => {
                let place = options.call_words.iter().position(|known| known == word.as_str());
                place.ok_or_else(|| refusals::unknown_word(rules, word))?
            }
        };
        if !self.enough_turns(rules) {
            return Err(refusals::too_early(rules));
        }
        let over_limit = self.is_over_limit(rules, seat);
        if let Some(limit) =
            options.call_limit.filter(|_| over_limit && options.over_limit == OverLimit::Reject)
        {
            return Err(refusals::over_limit(self.points(rules, seat), limit));
        }
        self.slam = None;
        let next = if over_limit {
            self.called_over_limit(context, place > 0, &mut played)
        } else {
            self.called(context, place > 0, &mut played)
        };
        Ok((played, next))
    }

    fn called(&mut self, context: &Context<'_>, wrong_word: bool, played: &mut Played) -> Option<Next> {
        let &Context { rules, seat: caller, .. } = context;
        match rules.options().response {
            Response::Reveal => {
                played.call = Some(CallOutcome::Revealed);
                Some(self.finish(rules, caller, Verdict::Hands { wrong_word }, played))
            }
            Response::FinalTurn => {
                played.call = Some(CallOutcome::FinalTurns);
                self.next_final_turn(rules, caller, wrong_word, played)
            }
            Response::Challenge => {
                played.call = Some(CallOutcome::Challenged);
                self.phase = Phase::Challenge { caller, wrong_word, answers: Answers::default() };
                None
            }
        }
    }

    fn called_over_limit(
        &mut self,
        context: &Context<'_>,
        wrong_word: bool,
        played: &mut Played,
    ) -> Option<Next> {
        let &Context { rules, shuffler, seat: caller } = context;
        match rules.options().over_limit {
            OverLimit::Penalty => {
                played.call = Some(CallOutcome::Penalty);
                return Some(self.finish(rules, caller, Verdict::Wrong { wrong_word }, played));
            }
            OverLimit::Eliminate => {
                played.call = Some(CallOutcome::Eliminated);
                return self.leave_on_turn(context, played);
            }
            OverLimit::DrawThree => {
                played.call = Some(CallOutcome::DrewThree);
                played.drew_three = (0..3).filter_map(|_| self.draw_and_refill(shuffler, played)).collect();
                for card in played.drew_three.iter() {
                    self.seat_mut(caller).hand.add(*card);
                }
                self.phase = Phase::MustPlay;
            }
            OverLimit::Swap => {
                played.call = Some(CallOutcome::SwapOffered);
                self.phase = Phase::Swap { caller, answers: Answers::default() };
            }
            OverLimit::Ignore | OverLimit::Reject => {
                played.call = Some(CallOutcome::Ignored);
                self.phase = Phase::MustPlay;
            }
        }
        None
    }

    fn draw_and_refill(&mut self, shuffler: &Shuffler, played: &mut Played) -> Option<Card> {
        played.recycled |= self.refill(shuffler);
        let card = self.stock.pop();
        played.recycled |= self.refill(shuffler);
        card
    }

    fn is_over_limit(&self, rules: &Rules, seat: u8) -> bool {
        rules.options().call_limit.is_some_and(|limit| self.points(rules, seat) > limit)
    }
}
