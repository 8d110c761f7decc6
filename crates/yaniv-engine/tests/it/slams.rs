//! How slam-downs are recorded (rules §12): `slam:first` only where the card fits at both ends of a run.

use serde_json::json;
use yaniv_engine::{
    Action, Match, Position, Record, RecordBuilder, RecordPlayer, Seat, SeedChain, rules_from_json, verify,
};

use crate::support::{Dice, random_legal};

#[test]
fn slam_first_is_recorded_only_where_it_means_something() {
    let rules = rules_from_json(&json!({"slam_down": "any"})).expect("rules");
    let first = Action::Slam { first: true };
    let cases = [
        (json!(["4D", "5D", "6D"]), "7D", "slam"),
        (json!(["4D", "5D", "6D"]), "3D", "slam"),
        (json!(["4D", "5D", "6D"]), "XR", "slam:first"),
        (json!(["6D", "5D", "4D"]), "XR", "slam:first"),
        (json!(["AD", "2D", "3D"]), "XR", "slam"),
        (json!(["JD", "QD", "KD"]), "XR", "slam"),
        (json!(["7S"]), "7D", "slam"),
        (json!(["7S", "7H"]), "7D", "slam"),
    ];
    for (pile, card, recorded) in cases {
        let position: Position = serde_json::from_value(json!({
            "seats": [{"hand": ["KC"]}, {"hand": [card, "9C"]}],
            "pile": pile, "stock": ["2H", "3H"], "turn": 0, "slam": {"seat": 1, "card": card},
        }))
        .expect("a position");
        let mut state = Match::from_position(&rules, &position).expect("a position");
        let seat = Seat::new(1);
        let as_recorded = state.as_recorded(seat, &first);
        assert_eq!(as_recorded.to_string(), recorded, "{card} on {pile}");
        assert_eq!(state.as_recorded(seat, &Action::Slam { first: false }).to_string(), "slam");
        // Both forms are accepted, with the same effect.
        let mut same = state.clone();
        let shuffler = yaniv_engine::Shuffler::unseeded();
        state.play(seat, &first, &shuffler).expect("accepted");
        same.play(seat, &as_recorded, &shuffler).expect("accepted");
        assert_eq!(state, same);
    }
    let call = Action::Call { word: Some("yaniv".parse().expect("a word")) };
    let position =
        json!({"seats": [{"hand": ["AC"]}, {"hand": ["KC"]}], "pile": ["7S"], "stock": ["2H"], "turn": 0});
    let position: Position = serde_json::from_value(position).expect("a position");
    let state = Match::from_position(&rules, &position).expect("a position");
    assert_eq!(state.as_recorded(Seat::new(0), &call), call, "what a caller said is kept");
}

#[test]
fn records_in_which_slam_first_means_nothing_still_hold() {
    let rules =
        rules_from_json(&json!({"slam_down": "any", "max_rounds": 3, "pickup": "any"})).expect("rules");
    let (mut wished, mut renamed) = (0, 0);
    for seed in 0..200 {
        let player = |seat| RecordPlayer {
            seat: Seat::new(seat),
            name: "somebody".to_owned(),
            client_seed: String::new(),
        };
        let chain = SeedChain::new([seed; 32]);
        let mut builder =
            RecordBuilder::new(&rules, "slams", (0..3).map(player).collect(), chain).expect("three");
        let mut dice = Dice(u64::from(seed));
        // Per slam-down: the requested end, and whether the end mattered.
        let mut slams = Vec::new();
        while let Some((seat, action)) = random_legal(builder.state(), &mut dice) {
            if let Action::Slam { first } = action {
                let either = builder.state().legal(seat).slam.is_some_and(|slam| slam.either_end);
                slams.push((first, either));
            }
            builder.push(seat, &action, None).expect("legal");
        }
        let mut record: Record = builder.finish(None);
        assert_eq!(verify(&record), Ok(()));
        let actions = record.rounds.iter_mut().flat_map(|round| &mut round.actions);
        let recorded = actions.filter(|action| action.action.starts_with("slam"));
        for (action, (first, either)) in recorded.zip(&slams) {
            assert_eq!(action.action, if *first && *either { "slam:first" } else { "slam" });
            wished += u32::from(*first);
            // As earlier versions recorded it.
            if *first && !either {
                action.action = "slam:first".to_owned();
                renamed += 1;
            }
        }
        assert_eq!(verify(&record), Ok(()), "seed {seed}");
    }
    assert!(wished >= renamed && renamed > 10, "{wished} {renamed}");
}
