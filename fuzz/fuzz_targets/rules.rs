//! Rule sets from bytes: either refused with a named option, or playable with every number of players that they allow.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use yaniv_engine::{Match, Seat, Shuffler, rules_from_json};

fuzz_target!(|bytes: &[u8]| {
    let Ok(value) = serde_json::from_slice::<Value>(bytes) else {
        return;
    };
    let rules = match rules_from_json(&value) {
        Ok(rules) => rules,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let written = serde_json::to_value(rules.options()).expect("JSON");
    assert_eq!(rules_from_json(&written).as_ref(), Ok(&rules), "as written: {written}");
    let most = rules.max_players();
    for players in 0..=12 {
        let start = Match::start(&rules, players, &Shuffler::unseeded());
        assert_eq!(start.is_ok(), rules.check_players(players).is_ok(), "{players} players");
        assert_eq!(start.is_ok(), (2..=most).contains(&players) && start.is_ok());
    }
    if rules.check_players(most).is_err() {
        // A rule set may have too few cards for two players.
        assert!((2..=10).all(|players| rules.check_players(players).is_err()));
        return;
    }
    let mut state = Match::start(&rules, most, &Shuffler::unseeded()).expect("checked");
    for _ in 0..12 {
        let Some(seat) = state.next_to_act() else {
            break;
        };
        for viewer in (0..most).map(Seat::new) {
            let _view = state.view(Some(viewer));
        }
        let actions = state.legal_actions(seat);
        let action = actions.last().expect("there is always something to do");
        state.play(seat, action, &Shuffler::unseeded()).expect("listed");
    }
});
