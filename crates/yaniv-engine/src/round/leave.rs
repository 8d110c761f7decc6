//! Going out in the middle of a round: by resigning, or by a call over the limit (rules §7 and §8).

use crate::cards::bag::Bag;
use crate::round::ending::Next;
use crate::round::event::{Played, RoundEnd};
use crate::round::phase::Phase;
use crate::round::play::Context;
use crate::round::state::{Departure, RoundState};

impl RoundState {
    pub(crate) fn resign(&mut self, context: &Context<'_>) -> (Played, Option<Next>) {
        let mut played = Played::new(self.round);
        let next = self.resign_in_phase(context, &mut played);
        (played, next)
    }

    /// Takes out the player whose turn it is; the round continues with the next one.
    pub(crate) fn leave_on_turn(&mut self, context: &Context<'_>, played: &mut Played) -> Option<Next> {
        if let Some(over) = self.leave(context, played) {
            return Some(over);
        }
        self.pass_turn(context.rules);
        None
    }

    fn resign_in_phase(&mut self, context: &Context<'_>, played: &mut Played) -> Option<Next> {
        let &Context { rules, seat, .. } = context;
        self.slam = None;
        match self.phase {
            Phase::Request { card, .. } if seat == self.turn => {
                self.hand_over(seat, card);
                self.leave_on_turn(context, played)
            }
            Phase::Turn | Phase::MustPlay if seat == self.turn => self.leave_on_turn(context, played),
            Phase::Swap { caller, .. } if seat == caller => self.leave_on_turn(context, played),
            Phase::Request { asker, .. } if seat == asker => {
                // The requesting player is gone: the request lapses.
                self.phase = Phase::Turn;
                self.leave(context, played)
            }
            Phase::FinalTurn { caller, .. } | Phase::Challenge { caller, .. } if seat == caller => {
                if let Some(over) = self.leave(context, played) {
                    return Some(over);
                }
                let ended = self.end_unscored(rules);
                Some(self.note_end(ended, played))
            }
            Phase::FinalTurn { caller, wrong_word } if seat == self.turn => {
                if let Some(over) = self.leave(context, played) {
                    return Some(over);
                }
                self.next_final_turn(rules, caller, wrong_word, played)
            }
            Phase::Challenge { caller, wrong_word, mut answers } => {
                answers.remove(seat);
                self.phase = Phase::Challenge { caller, wrong_word, answers };
                if let Some(over) = self.leave(context, played) {
                    return Some(over);
                }
                self.close_challenge(rules, played)
            }
            Phase::Swap { caller, mut answers } => {
                answers.remove(seat);
                if let Some(over) = self.leave(context, played) {
                    return Some(over);
                }
                self.wait_for_offer(caller, answers);
                None
            }
            _ => self.leave(context, played),
        }
    }

    /// Takes a seat out and buries its hand; the match ends if only one is left.
    fn leave(&mut self, context: &Context<'_>, played: &mut Played) -> Option<Next> {
        let departure = departure_now(self);
        let mut hand = std::mem::replace(&mut self.seat_mut(context.seat).hand, Bag::EMPTY);
        self.seat_mut(context.seat).departure = Some(departure);
        self.buried.take_all(&mut hand);
        played.recycled |= self.refill(context.shuffler);
        let last = self.active().next();
        if self.active().nth(1).is_some() {
            return None;
        }
        self.phase = Phase::MatchOver { winner: last };
        let end = RoundEnd { round: self.round, result: None };
        Some(self.note_end((end, Next::MatchOver), played))
    }
}

/// The departure of a seat in the middle of the round.
fn departure_now(state: &RoundState) -> Departure {
    let before = state.places().filter_map(|(_, place)| place.departure);
    let order = before
        .filter(|departure| departure.round == state.round && departure.order != Departure::AT_END)
        .count();
    Departure { round: state.round, order: u8::try_from(order).unwrap_or(Departure::AT_END - 1) }
}
