//! The course of a match over several rounds, which a single position cannot show; rule sets; records of running
//! matches.

use serde_json::{Value, json};
use yaniv_engine::{
    Action, BadRules, Code, Match, PhaseKind, Preset, Record, RecordBuilder, RecordPlayer, RuleOptions,
    Rules, Seat, SeedChain, Shuffler, rules_from_json, verify,
};

use crate::support::{Choose, Dice, random_legal, random_rules, seats};

fn rules(json: &Value) -> Rules {
    rules_from_json(json).expect("rules")
}

fn shuffler(players: usize) -> Shuffler {
    Shuffler::new(SeedChain::new([1; 32]), "flow", &vec![String::new(); players])
}

/// Plays the first listed action until `stop`.
fn play_until(state: &mut Match, shuffler: &Shuffler, stop: impl Fn(&Match) -> bool) {
    while !stop(state) {
        let seat = state.to_act()[0];
        let action = state.legal_actions(seat)[0].clone();
        state.play(seat, &action, shuffler).expect("listed");
    }
}

#[test]
fn an_unscored_round_counts_and_the_next_has_the_same_starter_or_the_next_active() {
    for caller_starts in [true, false] {
        let rules = rules(&json!({"response": "final_turn", "call_limit": null, "second_deck_at": 3}));
        let shuffler = shuffler(4);
        let mut state = Match::start(&rules, 4, &shuffler).expect("four");
        let starter = state.view(None).starter;
        if !caller_starts {
            let action = state.legal_actions(starter)[0].clone();
            state.play(starter, &action, &shuffler).expect("listed");
        }
        let caller = state.to_act()[0];
        state.play(caller, &Action::Call { word: None }, &shuffler).expect("no limit");
        let played = state.play(caller, &Action::Resign, &shuffler).expect("always");
        let end = played.round_ended.expect("the round");
        assert_eq!((end.round, end.result.is_none(), state.round()), (1, true, 2));
        let next = Seat::new((starter.number() + u8::from(caller_starts)) % 4);
        assert_eq!((state.view(None).starter, state.phase()), (next, PhaseKind::Turn));
        assert!((0..4).all(|seat| state.total(Seat::new(seat)) == 0));
        let cards: u16 = state.view(None).seats.iter().map(|seat| seat.cards).sum();
        assert_eq!(cards + state.view(None).stock + 1, 108, "the second pack stays");
    }
}

#[test]
fn a_tie_is_played_off_without_those_who_are_not_tied() {
    // Two rounds at most, and a penalty of nothing: ties for the lowest total are common.
    let rules = rules(&json!({"max_rounds": 1, "call_limit": null, "hand_size": 3, "over_limit": "ignore"}));
    let mut played_off = 0;
    for root in 0..=255 {
        let seeds = vec![String::new(); 3];
        let shuffler = Shuffler::new(SeedChain::new([root; 32]), "tie", &seeds);
        let mut state = Match::start(&rules, 3, &shuffler).expect("three");
        let mut last = None;
        while !state.is_over() {
            let seat = state.to_act()[0];
            let played = state.play(seat, &Action::Call { word: None }, &shuffler).expect("no limit");
            let result = played.round_ended.expect("revealed").result.expect("scored");
            let lowest = result.totals.iter().zip(0..).filter(|(_, seat)| {
                !state.is_out(Seat::new(*seat)) || result.out.contains(&Seat::new(*seat))
            });
            let least = lowest.clone().map(|(total, _)| *total).min().expect("someone");
            let tied: Vec<Seat> =
                lowest.filter(|(total, _)| **total == least).map(|(_, seat)| Seat::new(seat)).collect();
            if state.is_over() {
                assert_eq!(state.result().expect("over").winner, Some(tied[0]));
                assert_eq!(tied.len(), 1);
            } else {
                played_off += 1;
                assert!(state.view(None).sudden_death);
                let going_on: Vec<Seat> =
                    seats(&state).into_iter().filter(|seat| !state.is_out(*seat)).collect();
                assert_eq!(going_on, tied);
            }
            last = Some(result);
        }
        assert_eq!(last.expect("a round").next_starter, None);
    }
    assert!(played_off > 0);
}

#[test]
fn no_match_is_longer_than_a_thousand_rounds() {
    // The lowest hand calls and has 100 points taken off: totals only fall.
    let rules = rules(&json!({"call_limit": null, "tie_is_wrong": false, "elimination": 1000,
        "bonus": {"every": 1, "points": 100}}));
    let shuffler = shuffler(3);
    let mut state = Match::start(&rules, 3, &shuffler).expect("three");
    while !state.is_over() {
        let seat = state.to_act()[0];
        let points = |seat: &Seat| state.view(Some(*seat)).hand.expect("own").points;
        let lowest = seats(&state).iter().map(points).min().expect("three");
        let action = if points(&seat) == lowest {
            Action::Call { word: None }
        } else {
            state.legal_actions(seat)[0].clone()
        };
        let p = state.play(seat, &action, &shuffler).expect("listed");
        if p.round_ended.is_some() {
            println!("{p:?}");
        }
    }
    assert_eq!(state.round(), 1000);
    assert_eq!(state.play(Seat::new(0), &Action::Pass, &shuffler).expect_err("over").code, Code::MatchOver);
    assert_eq!(Match::from_bytes(&rules, &state.to_bytes()).as_ref(), Ok(&state));
}

#[test]
fn rule_sets_outside_the_bounds_are_refused_by_name() {
    let bad = [
        (json!({"decks": 5}), "decks"),
        (json!({"decks": 0}), "decks"),
        (json!({"suits": 3}), "suits"),
        (json!({"jokers": 3}), "jokers"),
        (json!({"hand_size": 8}), "hand_size"),
        (json!({"points": {"ace": 21}}), "points"),
        (json!({"points": {"ten": 1}}), "points"),
        (json!({"min_naturals": 0}), "min_naturals"),
        (json!({"call_limit": 201}), "call_limit"),
        (json!({"call_limit": 5.5}), "call_limit"),
        (json!({"min_turns": 6}), "min_turns"),
        (json!({"call_words": []}), "call_words"),
        (json!({"call_words": ["Yaniv"]}), "call_words"),
        (json!({"word_penalty": 101}), "word_penalty"),
        (json!({"over_limit": "maybe"}), "over_limit"),
        (json!({"reductions": {"1001": 5}}), "reductions"),
        (json!({"reductions": {"-5": 5}}), "reductions"),
        (json!({"bonus": {"every": 0, "points": 20}}), "bonus"),
        (json!({"bonus": {"every": 3}}), "bonus"),
        (json!({"elimination": 9}), "elimination"),
        (json!({"max_rounds": 101}), "max_rounds"),
        (json!({"preset": "bridge"}), "preset"),
        (json!({"speed": 3}), "speed"),
        (json!({"ace_high": 1}), "ace_high"),
        (json!({"jokers": null}), "jokers"),
        (json!(7), "rules"),
        (json!("bridge"), "preset"),
    ];
    for (json, option) in bad {
        let BadRules { option: named, .. } = rules_from_json(&json).expect_err(option);
        assert_eq!(named, option, "{json}");
    }
}

#[test]
fn rule_sets_come_back_from_json_and_know_their_players() {
    let mut dice = Dice(1);
    for _ in 0..500 {
        let (rules, players) = random_rules(&mut dice);
        let json = serde_json::to_value(rules.options()).expect("JSON");
        assert_eq!(rules_from_json(&json).as_ref(), Ok(&rules));
        assert!(rules.max_players() >= players && rules.check_players(rules.max_players()).is_ok());
    }
    let options = |preset: Preset| Rules::new(preset.options()).expect("a preset");
    assert_eq!(options(Preset::Yaniv), Rules::default());
    assert_eq!(options(Preset::Yaniv).max_players(), 8);
    assert_eq!(options(Preset::Jhyap).max_players(), 10);
    assert_eq!((options(Preset::Jhyap).packs(4), options(Preset::Jhyap).packs(5)), (1, 2));
    assert_eq!(options(Preset::Speedy).max_players(), 4);
    let partial = rules(&json!({"preset": "dhumbal", "points": {"ace": 11}}));
    assert_eq!((partial.options().points.ace, partial.options().points.jack), (11, 0));
}

fn players(count: u8) -> Vec<RecordPlayer> {
    let player =
        |seat| RecordPlayer { seat: Seat::new(seat), name: format!("p{seat}"), client_seed: String::new() };
    (0..count).map(player).collect()
}

#[test]
fn a_record_written_while_playing_holds_at_every_moment() {
    for seed in 0..150 {
        let mut dice = Dice(seed);
        let (rules, count) = random_rules(&mut dice);
        let chain = SeedChain::new([3; 32]);
        let mut builder = RecordBuilder::new(&rules, "a-record", players(count), chain).expect("players");
        for step in 0..400 {
            let Some((seat, action)) = random_legal(builder.state(), &mut dice) else {
                break;
            };
            let action = if step > 300 && dice.one_in(10) { Action::Resign } else { action };
            builder.push(seat, &action, Some(format!("{step}"))).expect("listed");
            if dice.one_in(20) {
                let viewer = dice.one_in(2).then(|| dice.pick(&seats(builder.state())));
                let json = serde_json::to_string(&builder.finish(viewer)).expect("JSON");
                let record: Record = serde_json::from_str(&json).expect("its own form");
                assert_eq!(verify(&record), Ok(()), "{json}");
            }
        }
        assert_eq!(verify(&builder.finish(None)), Ok(()));
    }
}

#[test]
fn a_running_round_shows_a_viewer_only_what_is_theirs() {
    let mut builder =
        RecordBuilder::new(&Rules::default(), "running", players(3), SeedChain::new([5; 32])).expect("three");
    let dealer = builder.state().dealer();
    assert_eq!(
        builder.gift(Seat::new((dealer.number() + 1) % 3), "x").expect_err("not theirs").code,
        Code::NotYourTurn
    );
    assert_eq!(builder.gift(dealer, "a\nb").expect_err("a line break").code, Code::BadNotation);
    builder.gift(dealer, "for you").expect("the dealer's");
    assert_eq!(builder.gift(dealer, "again").expect_err("once").code, Code::WrongPhase);
    for _ in 0..5 {
        let seat = builder.state().to_act()[0];
        let action = builder.state().legal_actions(seat)[0].clone();
        builder.push(seat, &action, None).expect("listed");
    }
    let own = Seat::new(1);
    for viewer in [Some(own), None] {
        let record = builder.finish(viewer);
        let round = &record.rounds[0];
        assert!(round.seed.is_none() && round.result.is_none() && record.result.is_none());
        for seat in 0..3 {
            assert_eq!(round.hands[usize::from(seat)].is_empty(), viewer != Some(Seat::new(seat)));
        }
        for action in &round.actions {
            assert_eq!(action.drew.is_some(), viewer == Some(action.seat), "every play drew from the stock");
        }
        assert_eq!(round.gift.as_ref().map(|gift| gift.text.as_str()), Some("for you"));
    }
}

#[test]
fn play_goes_on_over_many_refills() {
    let rules = Rules::new(RuleOptions { suits: 2, jokers: 0, ..RuleOptions::default() }).expect("rules");
    let shuffler = shuffler(4);
    let mut state = Match::start(&rules, 4, &shuffler).expect("four");
    play_until(&mut state, &shuffler, |state| {
        state.view(None).seats.iter().any(|seat| seat.turns > 60) || state.is_over()
    });
    assert_eq!(Match::from_bytes(&rules, &state.to_bytes()).as_ref(), Ok(&state));
}
