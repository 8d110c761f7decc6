//! Properties of every match under every rule set: cards are conserved, exactly the listed actions are accepted, views
//! reveal nothing hidden, stored forms read back, and matches end.

use proptest::prelude::*;
use yaniv_engine::{Action, Match, Seat};

use crate::invariants::{cards_of, comes_back, has_a_position, listed_is_accepted, view_hides};
use crate::support::{Choose, Dice, random_action, random_legal, random_rules, seats, shuffler};

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

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn cards_are_conserved_and_snapshots_come_back(seed in any::<u64>()) {
        let mut pack = None;
        wander(seed, 300, |state, _| {
            let cards = cards_of(state);
            assert_eq!(pack.get_or_insert(cards.clone()), &cards);
            assert_eq!(comes_back(state), Ok(()));
        });
    }

    #[test]
    fn what_is_listed_is_what_is_accepted(seed in any::<u64>()) {
        wander(seed, 200, |state, dice| {
            let mut shuffler_dice = Dice(seed);
            let shuffler = shuffler(&mut shuffler_dice, state.players());
            let seat = dice.pick(&seats(state));
            let action = random_action(state, seat, dice);
            assert_eq!(listed_is_accepted(state, seat, &action, &shuffler), Ok(()));
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
            for viewer in seats(state).into_iter().map(Some).chain([None]) {
                assert_eq!(view_hides(state, viewer, dice), Ok(()));
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
            // It passed validation, so it can be viewed and played on.
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
fn hundreds_of_matches_come_to_an_end() {
    let (mut unfinished, mut shared, mut sudden) = (0, 0, 0);
    for seed in 0..600 {
        let mut dice = Dice(seed);
        let (rules, players) = random_rules(&mut dice);
        let shuffler = shuffler(&mut dice, players);
        let mut state = Match::start(&rules, players, &shuffler).expect("checked");
        let mut round = 1;
        for step in 0..30_000 {
            let Some((seat, action)) = random_legal(&state, &mut dice) else {
                break;
            };
            // After this many actions players resign: some rule sets have no natural end.
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
