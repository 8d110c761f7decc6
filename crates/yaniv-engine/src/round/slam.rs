//! Slam-downs (rules §9). Whether a card fits a pile is decided in `meld.rs`.

use crate::cards::card::Card;
use crate::error::{Code, PlayError};
use crate::round::action::Draw;
use crate::round::event::Played;
use crate::round::meld::{self, SlamFit};
use crate::round::play::{Context, Outcome};
use crate::round::refusals::not_in_rules;
use crate::round::state::RoundState;
use crate::rules::choices::SlamDown;
use crate::rules::rule_set::Rules;

impl RoundState {
    /// Opens a slam-down after a play, if the drawn card fits.
    pub(crate) fn open_slam(&mut self, rules: &Rules, seat: u8, card: Card, draw: Draw) {
        let allowed = match rules.options().slam_down {
            SlamDown::Off => false,
            SlamDown::Any => true,
            SlamDown::Stock | SlamDown::StockSets => draw == Draw::Stock,
        };
        if allowed && meld::slam_fit(rules, &self.pile.cards, card).is_some() {
            self.slam = Some((seat, card));
        }
    }

    pub(crate) fn slam_down(&mut self, context: &Context<'_>, first: bool) -> Outcome {
        let &Context { rules, seat, .. } = context;
        if rules.options().slam_down == SlamDown::Off {
            return Err(not_in_rules("slam_down", &["any", "stock", "stock_sets"]));
        }
        let (owner, card) = self.slam.ok_or(PlayError::new(Code::WrongPhase, "no slam-down is open"))?;
        if owner != seat {
            return Err(PlayError::new(Code::NotYourTurn, "the slam-down is another's"));
        }
        let fit = meld::slam_fit(rules, &self.pile.cards, card);
        let mut pile = self.pile.cards.to_vec();
        let at_front = match fit {
            Some(SlamFit::Run { low, high, ascending }) => (low && (first || !high)) == ascending,
            Some(SlamFit::Set) | None => false,
        };
        pile.insert(if at_front { 0 } else { pile.len() }, card);
        if fit.is_none() || pile.len() > meld::LONGEST || !self.seat_mut(seat).hand.remove(card) {
            return Err(PlayError::new(Code::WrongPhase, "no slam-down is open"));
        }
        self.pile.throw(rules, &pile);
        self.slam = None;
        Ok((Played::new(self.round), None))
    }
}
