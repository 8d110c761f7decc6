//! The deal (rules §4 and §10).

use crate::cards::bag::Bag;
use crate::cards::card::Card;
use crate::error::BadRules;
use crate::round::phase::Phase;
use crate::round::state::{Pile, RoundState};
use crate::rules::rule_set::Rules;
use crate::shuffle::shuffler::Shuffler;

/// The cards after a deal: hands in the order dealt, the stock from its top.
pub(crate) struct Deal {
    pub(crate) hands: Vec<Vec<Card>>,
    pub(crate) upcard: Option<Card>,
    pub(crate) stock: Vec<Card>,
}

impl RoundState {
    /// The first round of a match.
    pub(crate) fn first_round(
        rules: &Rules,
        players: u8,
        shuffler: &Shuffler,
    ) -> Result<RoundState, BadRules> {
        rules.check_players(players)?;
        let mut state = RoundState::empty(players);
        state.starter = shuffler.starter(players);
        state.deal(rules, shuffler);
        Ok(state)
    }

    /// Deals the round after this one.
    pub(crate) fn next_round(&mut self, rules: &Rules, starter: u8, sudden_death: bool, shuffler: &Shuffler) {
        self.round += 1;
        self.starter = starter;
        self.sudden_death = sudden_death;
        self.deal(rules, shuffler);
    }

    /// Computes the deal of this round from its number, its starter and the active seats.
    pub(crate) fn deal_of_round(&self, rules: &Rules, shuffler: &Shuffler) -> Deal {
        let mut deck = rules.pack(self.players);
        shuffler.shuffle(self.round, "deal", &mut deck);
        let mut order = vec![self.starter];
        let others = self.after(rules, self.starter);
        order.extend(others.filter(|seat| *seat != self.starter && self.seat(*seat).is_active()));
        let mut deck = deck.into_iter();
        let mut hands = vec![Vec::new(); usize::from(self.players)];
        for _ in 0..rules.options().hand_size {
            for seat in &order {
                if let Some(hand) = hands.get_mut(usize::from(*seat)) {
                    hand.extend(deck.next());
                }
            }
        }
        Deal { hands, upcard: deck.next(), stock: deck.collect() }
    }

    fn deal(&mut self, rules: &Rules, shuffler: &Shuffler) {
        let Deal { hands, upcard, mut stock } = self.deal_of_round(rules, shuffler);
        for (seat, hand) in (0..).zip(hands) {
            let place = self.seat_mut(seat);
            place.hand = Bag::of(&hand);
            place.turns = 0;
        }
        stock.reverse();
        self.stock.set(&stock);
        self.pile = Pile::EMPTY;
        self.pile.throw(rules, upcard.as_slice());
        self.buried = Bag::EMPTY;
        self.turn = self.starter;
        self.phase = Phase::Turn;
        self.asked = false;
        self.slam = None;
        self.recycles = 0;
    }
}
