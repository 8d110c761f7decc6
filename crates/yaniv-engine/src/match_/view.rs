//! The view of a match for one seat or the public. A [`SeatView`] has no field for other players' cards, except hands
//! that were shown to all.

use crate::cards::card::Card;
use crate::cards::seat::Seat;
use crate::match_::legal::{Legal, Slam};
use crate::match_::state::Match;
use crate::round::event::MatchResult;
use crate::round::phase::{Answers, Phase, PhaseKind};
use crate::rules::choices::choices;

choices! {
    /// A public answer.
    Answer {
        /// "Onderkluft".
        Challenge = "challenge",
        /// The hand was shown.
        Expose = "expose",
        /// The offer to exchange hands was declined.
        Stay = "stay",
    }
}

/// The view of a match for one seat or the public.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeatView {
    /// The number of the round, 1 to 1000.
    pub round: u16,
    /// The seat that was dealt to first and played first in this round.
    pub starter: Seat,
    /// The active player before the starter.
    pub dealer: Seat,
    /// The phase of the round.
    pub phase: PhaseKind,
    /// The seat whose turn it is; `None` when the round is over.
    pub turn: Option<Seat>,
    /// The seats that have to act, in order.
    pub to_act: Vec<Seat>,
    /// The caller, while a call is being answered.
    pub caller: Option<Seat>,
    /// The answers so far, in the order given.
    pub answers: Vec<(Seat, Answer)>,
    /// The open card request: the seat that asks, and the card of the pile.
    pub request: Option<(Seat, Card)>,
    /// This turn has had its card request.
    pub asked: bool,
    /// The viewer's own open slam-down. Those of others are never shown: they would reveal the drawn card.
    pub slam_open: Option<Slam>,
    /// Sudden death: the round decides a tie; no player is eliminated.
    pub sudden_death: bool,
    /// All seats, in order.
    pub seats: Vec<PublicSeat>,
    /// The last discard, in the order thrown.
    pub pile: Vec<Card>,
    /// The cards of it that can be picked up, in canonical order.
    pub pickable: Vec<Card>,
    /// Number of cards in the stock.
    pub stock: u16,
    /// Number of buried cards.
    pub buried: u16,
    /// The viewer's own cards; `None` for the public.
    pub hand: Option<OwnHand>,
    /// The viewer's legal actions; `None` for the public.
    pub legal: Option<Legal>,
    /// The result, when the match is over.
    pub result: Option<MatchResult>,
}

/// Public information about a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicSeat {
    /// The seat.
    pub seat: Seat,
    /// Number of cards in the hand.
    pub cards: u16,
    /// The total after the previous rounds.
    pub total: i32,
    /// Is the seat out?
    pub out: bool,
    /// Successful calls, where the rule set has a bonus for them.
    pub successes: u16,
    /// Turns in this round.
    pub turns: u16,
    /// The hand, in canonical order, when it was exposed to all in answer to a call.
    pub exposed: Option<Vec<Card>>,
}

/// The viewer's own hand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnHand {
    /// The cards, in canonical order.
    pub cards: Vec<Card>,
    /// Their points.
    pub points: u16,
}

impl Match {
    /// The view for a seat; `None`: for the public. A seat that does not exist gets the public view.
    pub fn view(&self, viewer: Option<Seat>) -> SeatView {
        let state = &self.round_state;
        let viewer = viewer.filter(|seat| seat.number() < state.players);
        let (caller, answers) = match state.phase {
            Phase::FinalTurn { caller, .. } => (Some(caller), Answers::default()),
            Phase::Challenge { caller, answers, .. } | Phase::Swap { caller, answers } => {
                (Some(caller), answers)
            }
            _ => (None, Answers::default()),
        };
        let over = state.phase.kind() == PhaseKind::Over;
        let pile = &state.pile;
        SeatView {
            round: state.round,
            starter: Seat::new(state.starter),
            dealer: self.dealer(),
            phase: state.phase.kind(),
            turn: (!over).then_some(Seat::new(state.turn)),
            to_act: self.to_act(),
            caller: caller.map(Seat::new),
            answers: answers
                .as_slice()
                .iter()
                .map(|one| (Seat::new(one.0), self.public_answer(one.1)))
                .collect(),
            request: match state.phase {
                Phase::Request { asker, card } => Some((Seat::new(asker), card)),
                _ => None,
            },
            asked: state.asked,
            slam_open: viewer.and_then(|seat| self.legal_slam(seat)),
            sudden_death: state.sudden_death,
            seats: self.public_seats(answers),
            pile: pile.cards.to_vec(),
            pickable: state.pickable(),
            stock: count(state.stock.len()),
            buried: count(state.buried.len()),
            hand: viewer.filter(|seat| !self.is_out(*seat)).map(|seat| self.own_hand(seat)),
            legal: viewer.map(|seat| self.legal(seat)),
            result: self.result(),
        }
    }

    /// The active player before the starter of this round, who dealt it.
    pub fn dealer(&self) -> Seat {
        let state = &self.round_state;
        let before = state.places().map(|(seat, _)| seat).find(|seat| {
            *seat != state.starter
                && self.was_dealt(*seat)
                && state
                    .after(&self.rules, *seat)
                    .find(|next| self.was_dealt(*next) || *next == state.starter)
                    == Some(state.starter)
        });
        Seat::new(before.unwrap_or(state.starter))
    }

    /// Did this seat take part in the deal of this round?
    fn was_dealt(&self, seat: u8) -> bool {
        self.round_state
            .seat(seat)
            .departure
            .is_none_or(|departure| departure.round >= self.round_state.round)
    }

    fn public_answer(&self, challenges: bool) -> Answer {
        match (self.round_state.phase.kind(), challenges) {
            (PhaseKind::Swap, _) => Answer::Stay,
            (_, true) => Answer::Challenge,
            (_, false) => Answer::Expose,
        }
    }

    fn public_seats(&self, answers: Answers) -> Vec<PublicSeat> {
        let challenge = self.round_state.phase.kind() == PhaseKind::Challenge;
        let exposed = |seat| challenge && answers.as_slice().contains(&(seat, false));
        let public = |(seat, place): (u8, &crate::round::state::Place)| PublicSeat {
            seat: Seat::new(seat),
            cards: count(place.hand.len()),
            total: place.total,
            out: !place.is_active(),
            successes: place.successes,
            turns: place.turns,
            exposed: exposed(seat).then(|| place.hand.to_vec()),
        };
        self.round_state.places().map(public).collect()
    }

    fn own_hand(&self, seat: Seat) -> OwnHand {
        let cards = self.round_state.seat(seat.number()).hand.to_vec();
        OwnHand { cards, points: self.round_state.points(&self.rules, seat.number()) }
    }
}

fn count(cards: usize) -> u16 {
    u16::try_from(cards).unwrap_or(u16::MAX)
}
