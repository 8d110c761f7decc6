//! The level `expert`: its weights, the rules that they fit, and that it is stronger than `hard`.

use yaniv_bot::expert::{BadWeights, Expert, Family};
use yaniv_bot::{History, Level, Sight, decide};
use yaniv_engine::{Match, Preset, Reduction, Rules, SeedChain, Shuffler};

/// Plays a match; calls `each` with each action. The winner's seat.
fn play(rules: &Rules, deal: u32, levels: &[Level], mut each: impl FnMut(&str)) -> Option<u8> {
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
        each(&action.to_string());
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
        let bytes = expert.to_bytes();
        assert_eq!(Expert::from_bytes(&bytes).as_ref(), Ok(expert));
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
    "yaniv 45fab0aea1c8f162",
    "yaniv_wikipedia 4991ef4742ed4c4c",
    "jhyap 2545978a4ba8abdb",
    "dhumbal cce9ddb586e1d507",
    "dhumbal_jokers 4495bc848357ae1e",
    "kluft 11b904dd32a3e807",
    "speedy b27f5774aa9d5350",
];
