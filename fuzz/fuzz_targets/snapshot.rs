//! Stored matches from bytes: either refused, or they round-trip and can be continued. Half of the inputs are mutations
//! of a valid one, as hardly anything else is accepted.
#![no_main]

use libfuzzer_sys::fuzz_target;
use yaniv_engine::{Match, Shuffler};

#[expect(dead_code, reason = "the other targets need more of it")]
#[path = "../../crates/yaniv-engine/tests/it/invariants.rs"]
mod invariants;
#[expect(dead_code, reason = "the tests need more of it")]
#[path = "../../crates/yaniv-engine/tests/it/support.rs"]
mod support;
mod tape;

use invariants::{cards_of, comes_back, listed_is_accepted};
use support::{Choose, Dice, random_action, random_legal, random_rules, seats};
use tape::Tape;

fuzz_target!(|bytes: &[u8]| {
    let mut tape = Tape(bytes);
    let seed = u64::from(tape.byte()) << 8 | u64::from(tape.byte());
    let (rules, players) = random_rules(&mut Dice(seed));
    let stored = if tape.one_in(2) { tape.0.to_vec() } else { changed(&mut tape, &rules, players) };
    let Ok(mut state) = Match::from_bytes(&rules, &stored) else {
        return;
    };
    let pack = cards_of(&state);
    comes_back(&state).unwrap_or_else(|what| panic!("{what}"));
    for _ in 0..40 {
        for seat in seats(&state) {
            let view = state.view(Some(seat));
            assert_eq!(view.legal, Some(state.legal(seat)));
        }
        let seat = tape.pick(&seats(&state));
        let action = random_action(&state, seat, &mut tape);
        listed_is_accepted(&state, seat, &action, &Shuffler::unseeded())
            .unwrap_or_else(|what| panic!("{what}"));
        let Some((seat, action)) = random_legal(&state, &mut tape) else {
            break;
        };
        let played = state.play(seat, &action, &Shuffler::unseeded());
        assert!(played.is_ok(), "{seat}:{action} {played:?}");
        assert_eq!(cards_of(&state), pack);
        comes_back(&state).unwrap_or_else(|what| panic!("{what}"));
    }
});

/// A match after some actions, stored, with some of its bytes changed.
fn changed(tape: &mut Tape<'_>, rules: &yaniv_engine::Rules, players: u8) -> Vec<u8> {
    let mut state = Match::start(rules, players, &Shuffler::unseeded()).expect("checked");
    for _ in 0..tape.below(30) {
        let Some((seat, action)) = random_legal(&state, tape) else {
            break;
        };
        state.play(seat, &action, &Shuffler::unseeded()).expect("listed");
    }
    let mut bytes = state.to_bytes();
    for _ in 0..tape.below(4) {
        let at = tape.below(bytes.len());
        match tape.below(4) {
            0 => bytes.insert(at, tape.byte()),
            1 => {
                bytes.remove(at);
            }
            2 => bytes[at] = tape.byte() % 10,
            _ => bytes[at] = tape.byte(),
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}
