//! Invariants of every position, as checks that describe the violation: for the property tests, the example `soak` and
//! the fuzz targets, which supply the positions.

use yaniv_engine::{Action, Card, Match, PhaseKind, Position, Seat, SeatView, Shuffler};

use crate::support::Choose;

/// All cards, in canonical order: the same from the first deal to the end of the match.
pub(crate) fn cards_of(state: &Match) -> Vec<Card> {
    let position = state.position();
    let mut cards: Vec<Card> = position.seats.iter().flat_map(|seat| seat.hand.clone()).collect();
    cards.extend(position.pile.iter().chain(&position.buried).chain(&position.stock));
    cards.sort_unstable();
    cards
}

/// The stored form reads back to the same match.
pub(crate) fn comes_back(state: &Match) -> Result<(), String> {
    match Match::from_bytes(state.rules(), &state.to_bytes()) {
        Ok(again) if again == *state => Ok(()),
        other => Err(format!("stored and read it is another: {other:?}")),
    }
}

/// An action is accepted if and only if it is listed; a refused one changes nothing.
pub(crate) fn listed_is_accepted(
    state: &Match,
    seat: Seat,
    action: &Action,
    shuffler: &Shuffler,
) -> Result<(), String> {
    let mut next = state.clone();
    let played = next.play(seat, action, shuffler);
    if played.is_err() && next != *state {
        return Err(format!("{seat}:{action} was refused, but changed something"));
    }
    // Calls that a rule punishes are not listed, and a list that was cut off proves nothing.
    let out_of_turn = matches!(action, Action::Call { .. }) && !state.to_act().contains(&seat);
    if (out_of_turn && played.is_ok()) || state.legal(seat).truncated {
        return Ok(());
    }
    if played.is_ok() == is_listed(state, seat, action) {
        Ok(())
    } else {
        Err(format!("{seat}:{action} is listed or accepted, but not both: {played:?}"))
    }
}

/// The view stays the same if the cards hidden from this viewer are redealt.
pub(crate) fn view_hides(state: &Match, viewer: Option<Seat>, dice: &mut impl Choose) -> Result<(), String> {
    if !has_a_position(state) {
        return Ok(());
    }
    let other = with_hidden_cards_shuffled(state, viewer, dice);
    let other = Match::from_position(state.rules(), &other).map_err(|error| error.to_string())?;
    // A position does not say in which round a seat went out; the dealer depends on it.
    let seen = SeatView { dealer: state.dealer(), ..other.view(viewer) };
    if seen == state.view(viewer) { Ok(()) } else { Err(format!("{viewer:?} sees what is hidden")) }
}

/// Rules §12 has no position for a match that is over, nor for one with every card in a hand.
pub(crate) fn has_a_position(state: &Match) -> bool {
    let view = state.view(None);
    state.phase() != PhaseKind::Over && !(view.pile.is_empty() && view.stock == 0)
}

/// Whether the match lists this action for the seat, in canonical form.
fn is_listed(state: &Match, seat: Seat, action: &Action) -> bool {
    let legal = state.legal(seat);
    match action {
        Action::Play { cards, draw } => {
            let canonical = state.canonical_discard(cards);
            canonical.is_some_and(|form| legal.discards.contains(&form)) && legal.draws.contains(draw)
        }
        Action::Slam { .. } => legal.slam.is_some(),
        Action::Ask(card) => legal.ask.contains(card),
        Action::Give | Action::Keep => legal.give,
        Action::Challenge | Action::Expose => legal.challenge,
        Action::Swap | Action::Stay => legal.swap,
        Action::Pass => legal.pass,
        Action::Resign => legal.resign,
        Action::Call { word } => {
            let words = &state.rules().options().call_words;
            legal.call && word.as_ref().is_none_or(|word| words.iter().any(|known| known == word.as_str()))
        }
    }
}

/// The position, with the cards hidden from this viewer redealt.
fn with_hidden_cards_shuffled(state: &Match, viewer: Option<Seat>, dice: &mut impl Choose) -> Position {
    let mut position = state.position();
    let view = state.view(viewer);
    let hidden = |seat: usize| viewer.map(Seat::index) != Some(seat) && view.seats[seat].exposed.is_none();
    let mut cards: Vec<Card> = position.stock.iter().chain(&position.buried).copied().collect();
    for (_, seat) in position.seats.iter().enumerate().filter(|(seat, _)| hidden(*seat)) {
        cards.extend(&seat.hand);
    }
    dice.shuffle(&mut cards);
    let mut cards = cards.into_iter();
    let mut redeal =
        |hand: &mut Vec<Card>| hand.iter_mut().zip(&mut cards).for_each(|(place, card)| *place = card);
    for (_, seat) in position.seats.iter_mut().enumerate().filter(|(seat, _)| hidden(*seat)) {
        redeal(&mut seat.hand);
    }
    redeal(&mut position.stock);
    redeal(&mut position.buried);
    // The open slam-down of another seat is as hidden as its card.
    position.slam = position.slam.filter(|slam| viewer == Some(Seat::new(slam.seat)));
    position
}
