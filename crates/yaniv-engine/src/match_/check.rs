//! Validation of external states (rules §12, `bad_position`), for positions and stored matches. Playing on from a state
//! that passes cannot panic.

use crate::cards::bag::Bag;
use crate::cards::card::Card;
use crate::error::BadState;
use crate::round::meld;
use crate::round::phase::{Answers, Phase};
use crate::round::state::{MAX_ACTIONS, MAX_CARDS, RoundState};
use crate::rules::choices::{OverLimit, Response, SlamDown};
use crate::rules::rule_set::Rules;
use crate::shuffle::seeds::MAX_ROUNDS;

/// Largest absolute total that a thousand rounds can produce.
const MOST_POINTS: i32 = 10_000_000;

/// Any cards are allowed, but at least one must be outside the hands.
///
/// (A match can reach a state with none, when all
/// other cards were drawn and the last card of the pile was asked for; rules §12 has no position for it.)
#[cfg(feature = "serde")]
pub(crate) fn check_position(rules: &Rules, state: &RoundState) -> Result<(), BadState> {
    let nothing = state.pile.cards.is_empty() && state.stock.is_empty() && state.buried.is_empty();
    require(!nothing, "there is no pile, no stock and no buried card")?;
    check_state(rules, state)
}

/// The invariants of any round, regardless of which cards it has.
fn check_state(rules: &Rules, state: &RoundState) -> Result<(), BadState> {
    let players = state.players;
    require((2..=10).contains(&players), "a match has 2 to 10 seats")?;
    require((1..=MAX_ROUNDS).contains(&state.round), "a round has a number from 1 to 1000")?;
    require(state.turn < players && state.starter < players, "there is no such seat")?;
    require(state.places().all(|(_, place)| place.total.abs() <= MOST_POINTS), "a total is out of bounds")?;
    let order = |departure: crate::round::state::Departure| departure.round <= state.round;
    require(
        state.places().all(|(_, place)| place.departure.is_none_or(order)),
        "a seat is out in a later round",
    )?;
    if !matches!(state.phase, Phase::MatchOver { .. }) {
        require(state.active().nth(1).is_some(), "there are no two active seats")?;
        require(state.seat(state.turn).is_active(), "the turn is on a seat that is out")?;
    }
    check_slam(rules, state)?;
    check_phase(rules, state)
}

/// A stored match also has every card of its packs exactly once, and a stock that is not empty while cards are buried.
pub(crate) fn check_match(rules: &Rules, state: &RoundState) -> Result<(), BadState> {
    if rules.check_players(state.players).is_err() {
        return Err(BadState::new("these rules do not allow so many players"));
    }
    check_state(rules, state)?;
    let over = matches!(state.phase, Phase::MatchOver { .. });
    require(over || !state.out_of_actions(), "the match goes on after its last action")?;
    require(state.actions <= Some(MAX_ACTIONS), "there are more actions than a match can have")?;
    if let Phase::Challenge { caller, .. } | Phase::Swap { caller, .. } = state.phase {
        require(caller == state.turn, "the caller is not the one whose turn it is")?;
    }
    let mut pack = Bag::of(&rules.pack(state.players));
    let hands = state.places().flat_map(|(_, place)| place.hand.iter());
    let lists = state.stock.iter().chain(state.pile.cards.iter()).copied();
    let all_known = hands.chain(lists).chain(state.buried.iter()).all(|card| pack.remove(card));
    require(all_known && pack.is_empty(), "not every card of the pack is there once")?;
    let idle = |(_, place): (u8, &crate::round::state::Place)| place.is_active() || place.hand.is_empty();
    require(over || state.places().all(idle), "a seat that is out has cards")?;
    require(!state.stock.is_empty() || state.buried.is_empty(), "the stock was not filled")
}

fn check_slam(rules: &Rules, state: &RoundState) -> Result<(), BadState> {
    let Some((seat, card)) = state.slam else {
        return Ok(());
    };
    let owner = seat < state.players && state.seat(seat).is_active() && state.seat(seat).hand.count(card) > 0;
    require(owner, "the slam-down is not of an active seat with that card")?;
    let fits = rules.options().slam_down != SlamDown::Off
        && state.pile.cards.len() < meld::LONGEST
        && meld::slam_fit(rules, &state.pile.cards, card).is_some();
    require(fits, "the slam-down does not go on this pile")
}

fn check_phase(rules: &Rules, state: &RoundState) -> Result<(), BadState> {
    let options = rules.options();
    match state.phase {
        Phase::Turn | Phase::MustPlay | Phase::RoundOver => Ok(()),
        Phase::FinalTurn { caller, .. } => {
            check_active(state, caller)?;
            let others = caller != state.turn && !state.seat(state.turn).hand.is_empty();
            require(others, "a final turn is another's than the caller's, with cards")
        }
        Phase::Challenge { caller, answers, .. } => {
            require(options.response == Response::Challenge, "the rule set has no challenges")?;
            check_answers(state, caller, answers)
        }
        Phase::Swap { caller, answers } => {
            require(options.over_limit == OverLimit::Swap, "the rule set has no exchange of hands")?;
            require(
                answers.as_slice().iter().all(|(_, active)| !active),
                "an accepted offer is no answer to wait on",
            )?;
            check_answers(state, caller, answers)
        }
        Phase::Request { asker, card } => {
            require(options.card_requests, "the rule set has no card requests")?;
            check_active(state, asker)?;
            let asked = asker != state.turn && state.pile.pickable().any(|here: Card| here == card);
            require(asked, "a request is another's, for a card that can be picked up")
        }
        Phase::MatchOver { winner } => {
            let ranking = state.ranking();
            let firsts = ranking.iter().filter(|place| **place == 1).count();
            let is_first = |seat: u8| ranking.get(usize::from(seat)) == Some(&1);
            require(
                winner.map_or(firsts > 1, |seat| firsts == 1 && is_first(seat)),
                "the winner is not first",
            )
        }
    }
}

fn check_answers(state: &RoundState, caller: u8, answers: Answers) -> Result<(), BadState> {
    check_active(state, caller)?;
    for (i, (seat, _)) in answers.as_slice().iter().enumerate() {
        check_active(state, *seat)?;
        let again = answers.as_slice().iter().take(i).any(|(before, _)| before == seat);
        require(*seat != caller && !again, "an answer is the caller's own, or given twice")?;
    }
    require(state.pending(caller, answers).next().is_some(), "everyone has answered")
}

fn check_active(state: &RoundState, seat: u8) -> Result<(), BadState> {
    require(seat < state.players && state.seat(seat).is_active(), "a seat does not exist or is out")
}

pub(crate) fn require(holds: bool, otherwise: &'static str) -> Result<(), BadState> {
    if holds { Ok(()) } else { Err(BadState::new(otherwise)) }
}

/// Rejects more cards than the largest pack has, before they are stored.
pub(crate) fn check_amount(cards: usize) -> Result<(), BadState> {
    require(cards <= MAX_CARDS, "there are more cards than in four packs")
}
