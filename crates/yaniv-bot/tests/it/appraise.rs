//! The published estimates are those by which the bot decides.

use proptest::prelude::*;
use yaniv_bot::{Appraisal, History, Level, Sight, appraise, decide, volunteer};
use yaniv_engine::{Action, Match, Preset, Rules, Seat};

use crate::support::{Choose, Dice, random_rules, shuffler};

/// Tolerance between equal estimates.
const SAME: f64 = 1e-6;

fn worth(list: &[Appraisal], action: &Action) -> Option<f64> {
    list.iter().find(|one| one.action == *action).map(|one| one.worth)
}

/// Plays some rounds and checks every decision; returns their number.
fn look(rules: &Rules, players: u8, dice: &mut Dice, most: usize) -> Result<usize, TestCaseError> {
    let shuffler = shuffler(dice, players);
    let mut state = Match::start(rules, players, &shuffler).expect("checked");
    let mut history = History::new(state.round());
    let mut looked = 0;
    for step in 0..most {
        let Some(seat) = state.next_to_act() else { break };
        let view = state.view(Some(seat));
        let sight = Sight { view: &view, rules, seat, history: &history };
        let seed = u64::try_from(step).expect("small");
        let decided = decide(&sight, Level::Expert, seed).expect("it is to act");
        let list = appraise(&sight, None);
        let first = list.first().map(|first| first.worth).unwrap_or(f64::NAN);
        let own = worth(&list, &decided).unwrap_or(f64::NAN);
        prop_assert!((first - own).abs() < SAME, "{decided}: {own}, {:?}", list.first());
        prop_assert!(list.windows(2).all(|pair| pair[0].worth >= pair[1].worth), "{list:?}");
        // `also` is in the list if it is such an action, and does not change the other estimates.
        let options = state.legal_actions(seat);
        let other = dice.pick(&options);
        let with = appraise(&sight, Some(&other));
        if matches!(other, Action::Play { .. }) {
            prop_assert!(worth(&with, &other).is_some_and(|worth| worth <= first + SAME), "{other}");
        }
        for one in &list {
            prop_assert_eq!(worth(&with, &one.action), Some(one.worth));
        }
        looked += 1;
        // Other players act now and then, to vary the hands.
        let action = if dice.below(4) == 0 { other } else { decided };
        let slammed = state.legal(seat).slam.map(|slam| slam.card);
        let slammed = slammed.filter(|_| matches!(action, Action::Slam { .. }));
        let played = state.play(seat, &action, &shuffler).expect("legal");
        history.note(seat, &action, slammed, played.recycled);
        if history.round() != state.round() {
            history = History::new(state.round());
        }
    }
    Ok(looked)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_an_expert_does_is_what_is_worth_most(seed in any::<u64>()) {
        let mut dice = Dice(seed);
        let (rules, players) = random_rules(&mut dice);
        look(&rules, players, &mut dice, 150)?;
    }
}

#[test]
fn every_decision_of_the_presets_is_appraised() {
    for preset in Preset::ALL {
        let rules = Rules::new(preset.options()).expect("a preset");
        let looked = look(&rules, 4, &mut Dice(7), 400).expect("as decided");
        assert!(looked > 100, "{preset}: {looked}");
    }
}

#[test]
fn who_is_not_waited_for_decides_nothing() {
    let rules = Rules::new(Preset::Yaniv.options()).expect("a preset");
    let shuffler = shuffler(&mut Dice(3), 2);
    let state = Match::start(&rules, 2, &shuffler).expect("two can play");
    let history = History::new(1);
    let turn = state.to_act()[0];
    for seat in [Seat::new(0), Seat::new(1)] {
        let view = state.view(Some(seat));
        let sight = Sight { view: &view, rules: &rules, seat, history: &history };
        assert_eq!(appraise(&sight, None).is_empty(), seat != turn);
        assert_eq!(volunteer(&sight, Level::Hard), None);
    }
    let view = state.view(None);
    let sight = Sight { view: &view, rules: &rules, seat: turn, history: &history };
    assert_eq!(appraise(&sight, None), Vec::new(), "the public sees no hand");
}
