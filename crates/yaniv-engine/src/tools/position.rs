//! The JSON form of one round in progress (rules §12), and its conversion to a [`Match`]. It shows every card: for
//! analysis and tests, never for players.

use serde::{Deserialize, Serialize};

use crate::cards::bag::Bag;
use crate::cards::card::Card;
use crate::error::BadPosition;
use crate::match_::check::{check_amount, check_position, require};
use crate::match_::state::Match;
use crate::round::meld;
use crate::round::phase::{Answers, Phase, PhaseKind};
use crate::round::state::{Departure, Pile, Place, RoundState};
use crate::rules::rule_set::Rules;

/// One round in progress, as text, not validated. The order within a hand and within `buried` has no meaning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// By seat.
    pub seats: Vec<PositionSeat>,
    /// The last discard, in the order thrown.
    #[serde(default)]
    pub pile: Vec<Card>,
    /// The cards of it that can be picked up; default: by the rule set.
    #[serde(default)]
    pub pickable: Option<Vec<Card>>,
    /// The other discarded cards.
    #[serde(default)]
    pub buried: Vec<Card>,
    /// From the top.
    #[serde(default)]
    pub stock: Vec<Card>,
    /// The seat whose turn it is.
    pub turn: u8,
    /// The seat that was dealt to first; default: `turn`.
    #[serde(default)]
    pub starter: Option<u8>,
    /// 1 to 1000; default: 1.
    #[serde(default)]
    pub round: Option<u16>,
    /// A phase; default: `turn`.
    #[serde(default)]
    pub phase: Option<String>,
    /// The caller, while a call is being answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller: Option<u8>,
    /// The caller said a wrong word that costs points. An extension of rules §12, present only if relevant.
    #[serde(default, skip_serializing_if = "is_false")]
    pub wrong_word: bool,
    /// The answers in the order given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answers: Option<Vec<(u8, String)>>,
    /// The seat that asks for a card.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asker: Option<u8>,
    /// The card asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub card: Option<Card>,
    /// This turn has had its request.
    #[serde(default, skip_serializing_if = "is_false")]
    pub asked: bool,
    /// A slam-down is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slam: Option<PositionSlam>,
    /// The round decides a tie.
    #[serde(default, skip_serializing_if = "is_false")]
    pub sudden_death: bool,
}

/// One seat of a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PositionSeat {
    /// The cards.
    #[serde(default)]
    pub hand: Vec<Card>,
    /// The total of the rounds before.
    #[serde(default)]
    pub total: i32,
    /// Whether the seat is out.
    #[serde(default)]
    pub out: bool,
    /// Successful calls that count for the bonus.
    #[serde(default)]
    pub successes: u16,
    /// Turns in this round.
    #[serde(default)]
    pub turns: u16,
}

/// An open slam-down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PositionSlam {
    /// The owner.
    pub seat: u8,
    /// The card just drawn.
    pub card: Card,
}

impl Match {
    /// The round that a position describes. At its end no other is dealt, and refills are not shuffled: play with
    /// [`Shuffler::unseeded`](crate::Shuffler::unseeded).
    ///
    /// # Errors
    /// `bad_position` of rules §12, or any other impossible round.
    pub fn from_position(rules: &Rules, position: &Position) -> Result<Match, BadPosition> {
        let players = u8::try_from(position.seats.len()).unwrap_or(u8::MAX);
        require((2..=10).contains(&players), "a match has 2 to 10 seats")?;
        let hands = position.seats.iter().map(|seat| seat.hand.len());
        let lists = [position.pile.len(), position.buried.len(), position.stock.len()];
        check_amount(hands.chain(lists).fold(0, usize::saturating_add))?;
        let mut state = RoundState::empty(players);
        for (seat, text) in (0..players).zip(&position.seats) {
            *state.seat_mut(seat) = place(text);
        }
        state.pile = pile(rules, position)?;
        state.buried = Bag::of(&position.buried);
        let stock: Vec<Card> = position.stock.iter().rev().copied().collect();
        require(state.stock.set(&stock), "the stock is too large")?;
        state.turn = position.turn;
        state.starter = position.starter.unwrap_or(position.turn);
        state.round = position.round.unwrap_or(1);
        state.phase = phase(position)?;
        state.asked = position.asked || matches!(state.phase, Phase::Request { .. });
        state.slam = position.slam.as_ref().map(|slam| (slam.seat, slam.card));
        state.sudden_death = position.sudden_death;
        check_position(rules, &state)?;
        if let Phase::Challenge { caller, .. } | Phase::Swap { caller, .. } = state.phase {
            // While others answer, it is the caller's turn, regardless of the text.
            state.turn = caller;
        }
        Ok(Match { rules: rules.clone(), round_state: state, single_round: true })
    }

    /// The round as a position, in its canonical form.
    pub fn position(&self) -> Position {
        let state = &self.round_state;
        let (caller, answers, wrong_word) = match state.phase {
            Phase::FinalTurn { caller, wrong_word } => (Some(caller), None, wrong_word),
            Phase::Challenge { caller, wrong_word, answers } => (Some(caller), Some(answers), wrong_word),
            Phase::Swap { caller, answers } => (Some(caller), Some(answers), false),
            _ => (None, None, false),
        };
        let request = match state.phase {
            Phase::Request { asker, card } => Some((asker, card)),
            _ => None,
        };
        let kind = state.phase.kind();
        Position {
            seats: state.places().map(|(_, place)| position_seat(place)).collect(),
            pile: state.pile.cards.to_vec(),
            pickable: Some(state.pickable()),
            buried: state.buried.to_vec(),
            stock: state.stock.iter().rev().copied().collect(),
            turn: state.turn,
            starter: Some(state.starter),
            round: Some(state.round),
            phase: Some(kind.as_str().to_owned()),
            caller,
            wrong_word: wrong_word && self.rules.options().word_penalty > 0,
            answers: answers.map(|list| {
                list.as_slice()
                    .iter()
                    .map(|(seat, active)| (*seat, answer(kind, *active).to_owned()))
                    .collect()
            }),
            asker: request.map(|(asker, _)| asker),
            card: request.map(|(_, card)| card),
            asked: state.asked,
            slam: state.slam.map(|(seat, card)| PositionSlam { seat, card }),
            sudden_death: state.sudden_death,
        }
    }
}

fn place(text: &PositionSeat) -> Place {
    Place {
        hand: Bag::of(&text.hand),
        total: text.total,
        // The departure of a seat is not written: it is before this round, the same for all.
        departure: text.out.then_some(Departure { round: 0, order: Departure::AT_END }),
        successes: text.successes,
        turns: text.turns,
    }
}

fn position_seat(place: &Place) -> PositionSeat {
    PositionSeat {
        hand: place.hand.to_vec(),
        total: place.total,
        out: !place.is_active(),
        successes: place.successes,
        turns: place.turns,
    }
}

fn pile(rules: &Rules, position: &Position) -> Result<Pile, BadPosition> {
    let mut pile = Pile::EMPTY;
    require(pile.cards.set(&position.pile), "the pile is longer than any discard")?;
    pile.pickable = meld::pickable(rules, &pile.cards);
    let Some(given) = &position.pickable else {
        return Ok(pile);
    };
    require(given.len() <= position.pile.len(), "more can be picked up than the pile has")?;
    let usual: Vec<Card> = pile.pickable().collect();
    if Bag::of(given) == Bag::of(&usual) {
        return Ok(pile);
    }
    let mut given = Bag::of(given);
    pile.pickable = 0;
    for (card, i) in position.pile.iter().zip(0..) {
        pile.pickable |= u64::from(given.remove(*card)) << i;
    }
    require(given.is_empty(), "a card can be picked up that is not in the pile")?;
    Ok(pile)
}

fn phase(position: &Position) -> Result<Phase, BadPosition> {
    let name = position.phase.as_deref().unwrap_or("turn");
    let kind =
        name.parse::<PhaseKind>().map_err(|_| BadPosition::with(format!("there is no phase {name:?}")))?;
    let caller = || position.caller.ok_or(BadPosition::new("the phase needs a caller"));
    let wrong_word = position.wrong_word;
    Ok(match kind {
        PhaseKind::Turn => Phase::Turn,
        PhaseKind::MustPlay => Phase::MustPlay,
        PhaseKind::FinalTurn => Phase::FinalTurn { caller: caller()?, wrong_word },
        PhaseKind::Challenge => {
            Phase::Challenge { caller: caller()?, wrong_word, answers: answers(position, kind)? }
        }
        PhaseKind::Swap => Phase::Swap { caller: caller()?, answers: answers(position, kind)? },
        PhaseKind::Request => {
            let (Some(asker), Some(card)) = (position.asker, position.card) else {
                return Err(BadPosition::new("a request needs an asker and a card"));
            };
            Phase::Request { asker, card }
        }
        PhaseKind::Over => Phase::RoundOver,
    })
}

fn answers(position: &Position, kind: PhaseKind) -> Result<Answers, BadPosition> {
    let list = position.answers.as_ref().ok_or(BadPosition::new("the phase needs the answers so far"))?;
    let mut answers = Answers::default();
    for (seat, text) in list {
        let active = match [false, true].into_iter().find(|active| answer(kind, *active) == text) {
            Some(active) => active,
            None => return Err(BadPosition::with(format!("there is no answer {text:?}"))),
        };
        require(answers.push(*seat, active), "there are more answers than players")?;
    }
    Ok(answers)
}

fn answer(phase: PhaseKind, active: bool) -> &'static str {
    match (phase, active) {
        (PhaseKind::Swap, false) => "stay",
        (PhaseKind::Swap, true) => "swap",
        (_, false) => "expose",
        (_, true) => "challenge",
    }
}

fn is_false(flag: &bool) -> bool {
    !flag
}
