//! The level `expert`: its weights, the rules that they fit, and that it is stronger than `hard`.

use yaniv_bot::expert::{BadWeights, Expert, Family, Value};
use yaniv_bot::{History, Level, Sight, decide};
use yaniv_engine::{Match, Preset, Reduction, Rules, Seat, SeedChain, Shuffler};

/// Plays a match; calls `each` with each action. The winner's seat.
fn play(rules: &Rules, deal: u32, levels: &[Level], mut each: impl FnMut(&str)) -> Option<u8> {
    play_with(rules, deal, levels, |_, _, action| each(action))
}

/// Plays a match of two; calls `each` with each position and the seat that is to act.
fn positions(rules: &Rules, deal: u32, mut each: impl FnMut(&Match, Seat)) {
    play_with(rules, deal, &[Level::Hard; 2], |state, seat, _| each(state, seat));
}

fn play_with(
    rules: &Rules,
    deal: u32,
    levels: &[Level],
    mut each: impl FnMut(&Match, Seat, &str),
) -> Option<u8> {
    let mut root = [0; 32];
    root[..4].copy_from_slice(&deal.to_le_bytes());
    let shuffler = Shuffler::new(SeedChain::new(root), "expert", &vec![String::new(); levels.len()]);
    let players = u8::try_from(levels.len()).expect("few");
    let mut state = Match::start(rules, players, &shuffler).expect("these can play");
    let mut history = History::new(1);
    let mut step = 0;
    while let Some(seat) = state.next_to_act() {
        let view = state.view(Some(seat));
        let sight = Sight { view: &view, rules, seat, history: &history };
        step += 1;
        let action = decide(&sight, levels[seat.index()], step).expect("it is to act");
        each(&state, seat, &action.to_string());
        let played = state.play(seat, &action, &shuffler).expect("legal");
        history.note(seat, &action, None, played.recycled);
        if history.round() != state.round() {
            history = History::new(state.round());
        }
    }
    state.result()?.winner.map(|seat| seat.number())
}

fn rules(preset: Preset) -> Rules {
    Rules::new(preset.options()).expect("a preset")
}

#[test]
fn every_preset_has_weights_and_all_are_small() {
    for preset in Preset::ALL {
        assert!(Expert::fitting(&rules(*preset)).is_some(), "{preset}");
    }
    let sizes = Family::ALL.iter().map(|family| {
        let expert = Expert::fitting(&rules(family.preset)).expect("weights");
        let file = format!("{}/weights/{}.bin", env!("CARGO_MANIFEST_DIR"), family.preset);
        let bytes = std::fs::read(&file).expect("committed weights");
        assert_eq!(Expert::from_bytes(&bytes).as_ref(), Ok(expert));
        assert_eq!(Expert::from_bytes(&expert.to_bytes()).as_ref(), Ok(expert));
        assert_eq!(Expert::from_bytes(&bytes[..bytes.len() - 1]), Err(BadWeights));
        assert_eq!(Expert::from_bytes(&[&bytes[..], &[0]].concat()), Err(BadWeights));
        bytes.len()
    });
    assert!(sizes.sum::<usize>() <= 200_000);
}

#[test]
fn what_changes_a_round_needs_other_weights() {
    let fits = |change: fn(&mut yaniv_engine::RuleOptions)| {
        let mut options = Preset::Yaniv.options();
        change(&mut options);
        Expert::fitting(&Rules::new(options).expect("valid")).is_some()
    };
    assert!(fits(|options| options.elimination = 100));
    assert!(fits(|options| options.max_rounds = Some(1)));
    assert!(!fits(|options| options.call_limit = Some(7)));
    assert!(!fits(|options| options.jokers = 0));
}

#[test]
fn who_has_never_seen_a_reduction_ignores_it() {
    for family in Family::ALL.iter().filter(|family| family.preset.options().reductions.is_empty()) {
        let mut options = family.preset.options();
        options.reductions = vec![Reduction { at: 100, to: 50 }];
        let expert = Expert::fitting(&Rules::new(options).expect("valid")).expect("weights");
        let mut ignores = expert.clone();
        ignores.ignore_reductions();
        assert!(*expert == ignores, "{:?}", family.preset);
    }
    let yaniv = Expert::fitting(&rules(Preset::Yaniv)).expect("weights");
    let mut ignores = yaniv.clone();
    ignores.ignore_reductions();
    assert!(*yaniv != ignores);
}

#[test]
fn without_weights_an_expert_is_hard() {
    let mut options = Preset::Yaniv.options();
    options.call_limit = Some(7);
    let rules = Rules::new(options).expect("valid");
    let moves = |level| {
        let mut moves = Vec::new();
        play(&rules, 1, &[level, level], |action| moves.push(action.to_owned()));
        moves
    };
    assert_eq!(moves(Level::Expert), moves(Level::Hard));
}

#[test]
fn an_expert_wins_most_matches_against_hard_ones() {
    let rules = rules(Preset::Yaniv);
    let won = |deal, own: usize| {
        let mut levels = [Level::Hard; 2];
        levels[own] = Level::Expert;
        play(&rules, deal, &levels, |_| ()).map(usize::from) == Some(own)
    };
    let won = (0..30).flat_map(|deal| [won(deal, 0), won(deal, 1)]).filter(|won| *won).count();
    assert!(won >= 40, "{won} of 60");
}

#[test]
fn in_sudden_death_an_expert_plays_for_the_lowest_score() {
    let rules = rules(Preset::Yaniv);
    let expert = Expert::fitting(&rules).expect("weights");
    // In a round of many, and in the same position in sudden death.
    let (mut decisions, mut differ) = (0, 0);
    for deal in 0..20 {
        positions(&rules, deal, |state, seat| {
            let mut position = state.position();
            let many = Match::from_position(&rules, &position).expect("a position");
            position.sudden_death = true;
            position.seats.iter_mut().for_each(|seat| seat.total = 210);
            let sudden = Match::from_position(&rules, &position).expect("a position");
            let history = History::new(state.round());
            let decided = [&many, &sudden].map(|state| {
                let view = state.view(Some(seat));
                let sight = Sight { view: &view, rules: &rules, seat, history: &history };
                let options = expert.weigh(&sight, view.legal.as_ref().expect("to act")).options();
                let action = decide(&sight, Level::Expert, 1).expect("to act");
                let value = options.iter().find(|(option, _)| *option == action).map(|(_, value)| *value);
                let most = |of: fn(&Value) -> i32| options.iter().map(|(_, value)| of(value)).max();
                (action, value, most(|value| value.points), most(|value| value.wins))
            });
            let [many, sudden] = decided;
            if let (Some(value), Some(sudden_value)) = (many.1, sudden.1) {
                decisions += 1;
                differ += u32::from(many.0 != sudden.0);
                assert_eq!(Some(value.points), many.2);
                assert_eq!(Some(sudden_value.wins), sudden.3);
            }
        });
    }
    assert!(decisions > 500 && differ > 20, "{differ} of {decisions}");
}

/// FNV-1a of the actions of a match between experts. The weights and the arithmetic decide it, not the machine.
#[test]
fn a_match_of_experts_is_the_same_everywhere() {
    let hashes = Preset::ALL.iter().map(|preset| {
        let rules = rules(*preset);
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        play(&rules, 7, &[Level::Expert; 3], |action| {
            for byte in action.bytes().chain([b'\n']) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        });
        format!("{preset} {hash:016x}")
    });
    assert_eq!(hashes.collect::<Vec<_>>(), GOLDEN);
}

const GOLDEN: [&str; 7] = [
    "yaniv b4466a72eb51fb14",
    "yaniv_wikipedia 30a0e05fc6b77b63",
    "jhyap 2a75e7483da3014f",
    "dhumbal 5bee03b315f2fd9f",
    "dhumbal_jokers 8d6fc2dec77e524b",
    "kluft c526a5a11f777f7b",
    "speedy 49defac7ad3ab07b",
];
