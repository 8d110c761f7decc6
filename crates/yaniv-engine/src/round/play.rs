//! Playing an action: checks in the order of rules §12, then the change. All checks come before any change. Calls are
//! in `call.rs`, slam-downs in `slam.rs`, answers and requests in `responses.rs`, leaving in `leave.rs`.

use crate::cards::set::Cards;
use crate::error::{Code, PlayError};
use crate::round::action::{Action, Draw};
use crate::round::ending::Next;
use crate::round::event::{Played, RoundEnd};
use crate::round::phase::Phase;
use crate::round::refusals;
use crate::round::scoring::Verdict;
use crate::round::state::RoundState;
use crate::rules::rule_set::Rules;
use crate::shuffle::shuffler::Shuffler;

/// The result of an accepted action, and what follows if the round ended.
pub(crate) type Outcome = Result<(Played, Option<Next>), PlayError>;

/// The context of an action: everything it needs beside the state of the round.
pub(crate) struct Context<'a> {
    pub(crate) rules: &'a Rules,
    pub(crate) shuffler: &'a Shuffler,
    pub(crate) seat: u8,
}

pub(crate) const WRONG_PHASE: PlayError =
    PlayError::new(Code::WrongPhase, "this phase does not take this kind of action");
pub(crate) const NOT_YOUR_TURN: PlayError = PlayError::new(Code::NotYourTurn, "this seat is not to act");

impl RoundState {
    /// Plays an action; an error changes nothing.
    pub(crate) fn play(&mut self, context: &Context<'_>, action: &Action) -> Outcome {
        match self.phase {
            Phase::MatchOver { .. } => return Err(PlayError::new(Code::MatchOver, "the match is over")),
            Phase::RoundOver => return Err(PlayError::new(Code::RoundOver, "the round is over")),
            _ => {}
        }
        if context.seat >= self.players || !self.seat(context.seat).is_active() {
            return Err(PlayError::new(Code::SeatOut, "this seat is out"));
        }
        let before = self.actions;
        self.actions = before.map(|actions| actions.saturating_add(1));
        let outcome = self.act(context, action);
        match outcome {
            Ok((mut played, None)) if self.out_of_actions() || self.out_of_turns() => {
                let ended = self.end_unscored(context.rules);
                let next = self.note_end(ended, &mut played);
                Ok((played, Some(next)))
            }
            Err(error) => {
                self.actions = before;
                Err(error)
            }
            ended => ended,
        }
    }

    fn act(&mut self, context: &Context<'_>, action: &Action) -> Outcome {
        match action {
            Action::Play { cards, draw } => self.discard_and_draw(context, cards, *draw),
            Action::Call { word } => self.call(context, word.as_ref()),
            Action::Slam { first } => self.slam_down(context, *first),
            Action::Ask(card) => self.ask(context, *card),
            Action::Give => self.answer_card_request(context, true),
            Action::Keep => self.answer_card_request(context, false),
            Action::Challenge => self.answer_call(context, true),
            Action::Expose => self.answer_call(context, false),
            Action::Swap => self.answer_offer(context, true),
            Action::Stay => self.answer_offer(context, false),
            Action::Pass => self.pass(context),
            Action::Resign => Ok(self.resign(context)),
        }
    }

    /// Whether the seat may pass: no card left, and no legal call.
    pub(crate) fn can_pass(&self, rules: &Rules, seat: u8) -> bool {
        matches!(self.phase, Phase::Turn | Phase::MustPlay)
            && seat == self.turn
            && self.seat(seat).hand.is_empty()
            && !self.can_call(rules, seat)
    }

    fn discard_and_draw(&mut self, context: &Context<'_>, cards: &Cards, draw: Draw) -> Outcome {
        let &Context { rules, seat, .. } = context;
        if !matches!(self.phase, Phase::Turn | Phase::MustPlay | Phase::FinalTurn { .. }) {
            return Err(WRONG_PHASE);
        }
        if seat != self.turn {
            return Err(NOT_YOUR_TURN);
        }
        refusals::check_discard(rules, &self.seat(seat).hand, cards)?;
        let available = match draw {
            Draw::Stock => !self.stock.is_empty(),
            Draw::Pile(card) => self.pile.pickable().any(|here| here == card),
            Draw::Nothing => self.nothing_to_draw(),
        };
        if !available {
            return Err(self.not_drawable(draw));
        }
        let mut played = Played::new(self.round);
        for card in cards {
            self.seat_mut(seat).hand.remove(*card);
        }
        let drawn = match draw {
            Draw::Stock => self.stock.pop(),
            Draw::Pile(card) => self.pile.take(card).then_some(card),
            Draw::Nothing => None,
        };
        self.buried.add_all(&self.pile.cards);
        self.pile.throw(rules, cards);
        self.slam = None;
        if let Some(card) = drawn {
            self.seat_mut(seat).hand.add(card);
            self.open_slam(rules, seat, card, draw);
        }
        played.drew = drawn.filter(|_| draw == Draw::Stock);
        let next = self.end_turn(context, &mut played);
        Ok((played, next))
    }

    fn pass(&mut self, context: &Context<'_>) -> Outcome {
        if !matches!(self.phase, Phase::Turn | Phase::MustPlay) {
            return Err(WRONG_PHASE);
        }
        if context.seat != self.turn {
            return Err(NOT_YOUR_TURN);
        }
        if !self.can_pass(context.rules, context.seat) {
            return Err(PlayError::new(
                Code::NotAllowedByRules,
                "you may pass only with an empty hand, when you may not call",
            ));
        }
        let mut played = Played::new(self.round);
        self.slam = None;
        let next = self.end_turn(context, &mut played);
        Ok((played, next))
    }

    /// Counts the turn, refills the stock and moves on.
    fn end_turn(&mut self, context: &Context<'_>, played: &mut Played) -> Option<Next> {
        let place = self.seat_mut(context.seat);
        place.turns = place.turns.saturating_add(1);
        played.recycled |= self.refill(context.shuffler);
        match self.phase {
            Phase::FinalTurn { caller, wrong_word } => {
                self.next_final_turn(context.rules, caller, wrong_word, played)
            }
            _ => {
                self.pass_turn(context.rules);
                None
            }
        }
    }

    /// Passes the turn to the next active player.
    pub(crate) fn pass_turn(&mut self, rules: &Rules) {
        self.turn = self.next_active(rules, self.turn);
        self.phase = Phase::Turn;
        self.asked = false;
    }

    /// Begins the next final turn, or scores the round if all players have had theirs; empty hands are skipped.
    pub(crate) fn next_final_turn(
        &mut self,
        rules: &Rules,
        caller: u8,
        wrong_word: bool,
        played: &mut Played,
    ) -> Option<Next> {
        let mut next = self.next_active(rules, self.turn);
        while next != caller && self.seat(next).hand.is_empty() {
            next = self.next_active(rules, next);
        }
        if next == caller {
            return Some(self.finish(rules, caller, Verdict::Hands { wrong_word }, played));
        }
        self.turn = next;
        self.phase = Phase::FinalTurn { caller, wrong_word };
        self.asked = false;
        None
    }

    /// Scores the round and records its end.
    pub(crate) fn finish(
        &mut self,
        rules: &Rules,
        caller: u8,
        verdict: Verdict,
        played: &mut Played,
    ) -> Next {
        self.slam = None;
        let ended = self.settle(rules, caller, verdict);
        self.note_end(ended, played)
    }

    pub(crate) fn note_end(&self, (end, next): (RoundEnd, Next), played: &mut Played) -> Next {
        played.round_ended = Some(Box::new(end));
        played.match_ended = self.match_result();
        next
    }
}
