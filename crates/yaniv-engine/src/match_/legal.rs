//! The legal actions of a seat. They are derived from the same checks as in `play.rs`; tests compare the two.

use crate::cards::bag::Bag;
use crate::cards::card::Card;
use crate::cards::seat::Seat;
use crate::cards::set::Cards;
use crate::error::PlayError;
use crate::match_::state::Match;
use crate::round::action::{Action, Draw};
use crate::round::discards;
use crate::round::meld::{self, SlamFit};
use crate::round::phase::{Phase, PhaseKind};
use crate::round::refusals;
use crate::round::state::RoundState;
use crate::rules::choices::SlamDown;

/// The legal actions of a seat. The legal plays are exactly `discards` × `draws`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Legal {
    /// The discards in canonical form (rules §12), sorted as ASCII.
    pub discards: Vec<Cards>,
    /// More discards exist than [`Legal::MOST_DISCARDS`]; the list is cut off there.
    pub truncated: bool,
    /// The legal draws, sorted as ASCII; empty if no discard is legal.
    pub draws: Vec<Draw>,
    /// `call`: allowed, or with a consequence that `over_limit` names. Calls out of turn are not listed.
    pub call: bool,
    /// `pass`: the hand is empty and a call is not allowed.
    pub pass: bool,
    /// `slam`: this seat has an open slam-down.
    pub slam: Option<Slam>,
    /// `ask`: the cards that this seat may ask for, sorted canonically, each once.
    pub ask: Vec<Card>,
    /// `give` and `keep`: the seat has to answer a request.
    pub give: bool,
    /// `challenge` and `expose`: the seat has to answer a call.
    pub challenge: bool,
    /// `swap` and `stay`: the seat has to answer an offer.
    pub swap: bool,
    /// `resign`.
    pub resign: bool,
}

/// An open slam-down. Only its owner may see it: it reveals the drawn card.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Slam {
    /// The card.
    pub card: Card,
    /// It fits at both ends of the run: `slam:first` and `slam` differ.
    pub either_end: bool,
}

impl Legal {
    /// Length limit of the list of discards: with many packs and jokers, a hand can have millions.
    pub const MOST_DISCARDS: usize = 4096;
}

impl Match {
    /// The legal actions of a seat; none for a seat that is out or does not exist.
    pub fn legal(&self, seat: Seat) -> Legal {
        self.legal_at_most(seat, Legal::MOST_DISCARDS)
    }

    /// The list of rules §12 for a seat, sorted as ASCII: canonical plays and pending answers.
    ///
    /// Without `resign`, `ask`,
    /// `slam`, and calls that the rules punish (except by `over_limit`). Complete, not cut off.
    pub fn legal_actions(&self, seat: Seat) -> Vec<Action> {
        let legal = self.legal_at_most(seat, usize::MAX);
        let mut actions = Vec::with_capacity(legal.discards.len() * legal.draws.len() + 2);
        for cards in &legal.discards {
            actions.extend(legal.draws.iter().map(|draw| Action::Play { cards: cards.clone(), draw: *draw }));
        }
        let others = [
            (legal.call, Action::Call { word: None }),
            (legal.challenge, Action::Challenge),
            (legal.challenge, Action::Expose),
            (legal.give, Action::Give),
            (legal.give, Action::Keep),
            (legal.pass, Action::Pass),
            (legal.swap, Action::Stay),
            (legal.swap, Action::Swap),
        ];
        actions.extend(others.into_iter().filter_map(|(listed, action)| listed.then_some(action)));
        actions
    }

    /// The length of [`legal_actions`](Match::legal_actions).
    pub fn count_actions(&self, seat: Seat) -> u64 {
        let legal = self.legal_at_most(seat, usize::MAX);
        let plays = legal.discards.len().saturating_mul(legal.draws.len());
        let others = [legal.call, legal.pass].into_iter().filter(|listed| *listed).count();
        let answers =
            [legal.challenge, legal.give, legal.swap].into_iter().filter(|listed| *listed).count() * 2;
        u64::try_from(plays.saturating_add(others + answers)).unwrap_or(u64::MAX)
    }

    /// The canonical form (rules §12) of cards in the order thrown; `None` if they cannot be thrown so.
    pub fn canonical_discard(&self, cards: &[Card]) -> Option<Cards> {
        meld::canonical(&self.rules, cards).ok()
    }

    /// Checks that a hand has these cards, and that they are a discard in this order.
    ///
    /// # Errors
    /// As for a play of them.
    pub fn check_discard(&self, hand: &[Card], cards: &[Card]) -> Result<(), PlayError> {
        refusals::check_discard(&self.rules, &Bag::of(hand), cards)
    }

    fn legal_at_most(&self, seat: Seat, limit: usize) -> Legal {
        let (state, rules, number) = (&self.round_state, &self.rules, seat.number());
        let mut legal = Legal::default();
        if state.phase.kind() == PhaseKind::Over || self.is_out(seat) {
            return legal;
        }
        legal.resign = true;
        legal.slam = self.legal_slam(seat);
        if rules.options().card_requests
            && state.phase == Phase::Turn
            && !state.asked
            && state.may_ask(rules, number)
        {
            legal.ask = state.pickable();
            legal.ask.dedup();
        }
        if !state.is_to_act(number) {
            return legal;
        }
        match state.phase {
            Phase::Turn | Phase::MustPlay | Phase::FinalTurn { .. } => {
                let (discards, complete) = discards::list(rules, &state.seat(number).hand, limit);
                legal.truncated = !complete;
                legal.draws = if discards.is_empty() { Vec::new() } else { state.draws() };
                legal.discards = discards;
                legal.call = state.can_call(rules, number);
                legal.pass = state.can_pass(rules, number);
            }
            Phase::Challenge { .. } => legal.challenge = true,
            Phase::Swap { .. } => legal.swap = true,
            Phase::Request { .. } => legal.give = true,
            Phase::RoundOver | Phase::MatchOver { .. } => {}
        }
        legal
    }

    pub(crate) fn legal_slam(&self, seat: Seat) -> Option<Slam> {
        let (_, card) = self.round_state.slam.filter(|(owner, _)| *owner == seat.number())?;
        if self.rules.options().slam_down == SlamDown::Off {
            return None;
        }
        let fit = meld::slam_fit(&self.rules, &self.round_state.pile.cards, card)?;
        Some(Slam { card, either_end: matches!(fit, SlamFit::Run { low: true, high: true, .. }) })
    }
}

impl RoundState {
    /// The cards that can be picked up, in canonical order, with duplicates.
    pub(crate) fn pickable(&self) -> Vec<Card> {
        let mut cards: Vec<Card> = self.pile.pickable().collect();
        cards.sort_unstable();
        cards
    }

    /// The legal draws, sorted as ASCII.
    pub(crate) fn draws(&self) -> Vec<Draw> {
        let mut draws = Vec::with_capacity(4);
        if !self.stock.is_empty() {
            draws.push(Draw::Stock);
        }
        draws.extend(self.pile.pickable().map(Draw::Pile));
        draws.sort_unstable_by_key(|draw| match draw {
            Draw::Pile(card) => card.ascii_rank() + 1,
            Draw::Stock | Draw::Nothing => 0,
        });
        draws.dedup();
        if draws.is_empty() {
            draws.push(Draw::Nothing);
        }
        draws
    }
}
