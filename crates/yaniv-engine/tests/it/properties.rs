//! What holds in every match under every rule set: cards are conserved, what is listed is what is accepted,
//! a view tells nothing that is hidden, what is stored comes back, and matches end.

use proptest::prelude::*;
use yaniv_engine::{Action, Card, Match, PhaseKind, Position, Seat, SeatView};

use crate::support::{Dice, random_action, random_legal, random_rules, seats, shuffler};

/// Plays `steps` random actions and shows each position to `look`.
fn wander(seed: u64, steps: usize, mut look: impl FnMut(&Match, &mut Dice)) {
    let mut dice = Dice(seed);
    let (rules, players) = random_rules(&mut dice);
    let shuffler = shuffler(&mut dice, players);
    let mut state = Match::start(&rules, players, &shuffler).expect("checked");
    for _ in 0..steps {
        look(&state, &mut dice);
        let Some((seat, action)) = random_legal(&state, &mut dice) else {
            break;
        };
        state.play(seat, &action, &shuffler).unwrap_or_else(|error| panic!("{seat}:{action}: {error}"));
    }
    look(&state, &mut dice);
}

fn cards_of(position: &Position) -> Vec<Card> {
    let mut cards: Vec<Card> = position.seats.iter().flat_map(|seat| seat.hand.clone()).collect();
    cards.extend(position.pile.iter().chain(&position.buried).chain(&position.stock));
    cards.sort_unstable();
    cards
}

/// Rules §12 has no position for a match that is over, nor for one with every card in a hand.
fn has_a_position(state: &Match) -> bool {
    let view = state.view(None);
    state.phase() != PhaseKind::Over && !(view.pile.is_empty() && view.stock == 0)
}

/// Is this action among those that the match lists for the seat, in its canonical form?
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

/// The position with the cards that this viewer cannot see dealt out anew.
fn with_hidden_cards_shuffled(state: &Match, viewer: Option<Seat>, dice: &mut Dice) -> Position {
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
    // Another's open slam-down is as hidden as the card it is about.
    position.slam = position.slam.filter(|slam| viewer == Some(Seat::new(slam.seat)));
    position
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn cards_are_conserved_and_snapshots_come_back(seed in any::<u64>()) {
        let mut pack = None;
        wander(seed, 300, |state, _| {
            let cards = cards_of(&state.position());
            assert_eq!(pack.get_or_insert(cards.clone()), &cards);
            let bytes = state.to_bytes();
            assert_eq!(Match::from_bytes(state.rules(), &bytes).as_ref(), Ok(state));
        });
    }

    #[test]
    fn what_is_listed_is_what_is_accepted(seed in any::<u64>()) {
        wander(seed, 200, |state, dice| {
            let mut shuffler_dice = Dice(seed);
            let shuffler = shuffler(&mut shuffler_dice, state.players());
            let seat = dice.pick(&seats(state));
            if !state.legal(seat).truncated {
                let action = random_action(state, seat, dice);
                let mut next = state.clone();
                let played = next.play(seat, &action, &shuffler);
                let out_of_turn_call = matches!(action, Action::Call { .. }) && !state.to_act().contains(&seat);
                if played.is_err() {
                    assert_eq!(&next, state, "a refused action changed something");
                }
                if !(out_of_turn_call && played.is_ok()) {
                    assert_eq!(played.is_ok(), is_listed(state, seat, &action), "{seat}:{action} {played:?}");
                }
            }
            for seat in state.to_act() {
                let actions = state.legal(seat).discards;
                let forms: Vec<String> = actions.iter().map(ToString::to_string).collect();
                assert!(forms.is_sorted_by(|one, next| one < next), "{forms:?}");
                for action in state.legal_actions(seat).iter().step_by(7) {
                    let mut next = state.clone();
                    let played = next.play(seat, action, &shuffler);
                    assert!(played.is_ok(), "{seat}:{action} {played:?}");
                    if let Action::Play { cards, .. } = action {
                        assert_eq!(state.canonical_discard(cards).as_ref(), Some(cards));
                    }
                }
            }
        });
    }

    #[test]
    fn a_view_tells_nothing_that_is_hidden(seed in any::<u64>()) {
        wander(seed, 150, |state, dice| {
            if !has_a_position(state) {
                return;
            }
            for viewer in seats(state).into_iter().map(Some).chain([None]) {
                let other = with_hidden_cards_shuffled(state, viewer, dice);
                let other = Match::from_position(state.rules(), &other).expect("as good as the first");
                // A position does not say in which round a seat went out; the dealer depends on it.
                let seen = SeatView { dealer: state.dealer(), ..other.view(viewer) };
                assert_eq!(seen, state.view(viewer), "as {viewer:?} sees it");
            }
        });
    }

    #[test]
    fn notation_and_positions_come_back(seed in any::<u64>()) {
        wander(seed, 150, |state, dice| {
            for seat in seats(state) {
                let action = random_action(state, seat, dice);
                assert_eq!(action.to_string().parse(), Ok(action));
            }
            if has_a_position(state) {
                let position = state.position();
                let again = Match::from_position(state.rules(), &position).expect("its own position");
                assert_eq!(again.position(), position);
                for seat in seats(state) {
                    assert_eq!(again.legal(seat), state.legal(seat));
                }
            }
        });
    }

    #[test]
    fn the_same_seeds_make_the_same_match(seed in any::<u64>()) {
        let mut first = Vec::new();
        wander(seed, 200, |state, _| first.push(state.to_bytes()));
        let mut second = Vec::new();
        wander(seed, 200, |state, _| second.push(state.to_bytes()));
        assert_eq!(first, second);
    }

    #[test]
    fn a_damaged_snapshot_is_refused_or_is_a_match(seed in any::<u64>()) {
        wander(seed, 60, |state, dice| {
            let mut bytes = state.to_bytes();
            for _ in 0..1 + dice.below(3) {
                let at = dice.below(bytes.len());
                match dice.below(4) {
                    0 => bytes.truncate(at),
                    1 => bytes.insert(at, u8::try_from(dice.below(256)).expect("a byte")),
                    _ => bytes[at] = u8::try_from(dice.below(256)).expect("a byte"),
                }
                if bytes.is_empty() {
                    break;
                }
            }
            let Ok(mut damaged) = Match::from_bytes(state.rules(), &bytes) else {
                return;
            };
            // It passed the door, so it can be looked at and played on.
            let shuffler = shuffler(dice, damaged.players());
            for _ in 0..20 {
                for seat in seats(&damaged) {
                    let _view = damaged.view(Some(seat));
                }
                let Some((seat, action)) = random_legal(&damaged, dice) else {
                    break;
                };
                assert!(damaged.play(seat, &action, &shuffler).is_ok(), "{seat}:{action}");
                assert_eq!(Match::from_bytes(damaged.rules(), &damaged.to_bytes()).as_ref(), Ok(&damaged));
            }
        });
    }
}

#[test]
fn thousands_of_matches_come_to_an_end() {
    let (mut unfinished, mut shared, mut sudden) = (0, 0, 0);
    for seed in 0..3000 {
        let mut dice = Dice(seed);
        let (rules, players) = random_rules(&mut dice);
        let shuffler = shuffler(&mut dice, players);
        let mut state = Match::start(&rules, players, &shuffler).expect("checked");
        let mut round = 1;
        for step in 0..30_000 {
            let Some((seat, action)) = random_legal(&state, &mut dice) else {
                break;
            };
            // Whoever has not finished after so long gives up: some rule sets have no natural end.
            let action = if step > 3_000 && dice.one_in(50) { Action::Resign } else { action };
            let played = state.play(seat, &action, &shuffler).expect("listed");
            assert_eq!(played.round, round);
            sudden += u32::from(state.view(None).sudden_death);
            if let Some(end) = &played.round_ended {
                assert_eq!(end.round, round);
                round = state.round();
                assert_eq!(round, end.round + u16::from(played.match_ended.is_none()));
            }
            assert_eq!(played.match_ended, state.result());
        }
        let Some(result) = state.result() else {
            unfinished += 1;
            continue;
        };
        let mut places = result.ranking.clone();
        places.sort_unstable();
        assert_eq!(places[0], 1);
        assert!(places.iter().zip(1..).all(|(place, i)| *place <= i));
        let firsts = places.iter().filter(|place| **place == 1).count();
        assert_eq!(result.winner.is_some(), firsts == 1);
        assert!(result.winner.is_none_or(|winner| result.ranking[winner.index()] == 1));
        shared += u32::from(result.winner.is_none());
        assert_eq!(state.to_act(), []);
        assert!(state.play(Seat::new(0), &Action::Resign, &shuffler).is_err());
    }
    assert_eq!((unfinished, shared), (0, 0), "no match is without an end");
    assert!(sudden > 0, "ties were decided too");
}
