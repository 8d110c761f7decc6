//! The bytes choose the rules, the players and their actions, legal or not.
//!
//! After each action: no card is lost or duplicated, the stored form round-trips, listed actions are accepted, views
//! hide hidden cards.
#![no_main]

use libfuzzer_sys::fuzz_target;
use yaniv_engine::{Match, SeedChain, Shuffler};

#[path = "../../crates/yaniv-engine/tests/it/invariants.rs"]
mod invariants;
#[expect(dead_code, reason = "the tests need more of it")]
#[path = "../../crates/yaniv-engine/tests/it/support.rs"]
mod support;
mod tape;

use invariants::{cards_of, comes_back, listed_is_accepted, view_hides};
use support::{Choose, Dice, random_action, random_legal, random_rules, seats};
use tape::Tape;

fuzz_target!(|bytes: &[u8]| {
    let mut tape = Tape(bytes);
    // Rules from a short seed: one byte changes them all; the rest of the input selects actions.
    let seed = u64::from(tape.byte()) << 8 | u64::from(tape.byte());
    let (rules, players) = random_rules(&mut Dice(seed));
    let root = [tape.byte(); 32];
    let client_seeds = vec![String::new(); usize::from(players)];
    let shuffler = if tape.one_in(4) {
        Shuffler::unseeded()
    } else {
        // Few rounds are reached: start near the end of the chain, which would take long to compute in full.
        let chain = SeedChain::new(root).round(990);
        Shuffler::from_published(vec![chain; 8], "fuzz", &client_seeds)
    };
    let mut state = Match::start(&rules, players, &shuffler).expect("checked");
    let pack = cards_of(&state);
    for _ in 0..200 {
        if tape.0.is_empty() {
            break;
        }
        let seat = tape.pick(&seats(&state));
        let (seat, action) = if tape.one_in(3) {
            (seat, random_action(&state, seat, &mut tape))
        } else {
            match random_legal(&state, &mut tape) {
                Some(choice) => choice,
                None => break,
            }
        };
        listed_is_accepted(&state, seat, &action, &shuffler).unwrap_or_else(|what| panic!("{what}"));
        assert_eq!(action.to_string().parse(), Ok(action.clone()));
        if state.play(seat, &action, &shuffler).is_err() {
            continue;
        }
        assert_eq!(cards_of(&state), pack);
        comes_back(&state).unwrap_or_else(|what| panic!("{what}"));
        view_hides(&state, Some(seat), &mut tape).unwrap_or_else(|what| panic!("{what}"));
    }
});
