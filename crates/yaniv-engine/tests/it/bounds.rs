//! Limits of a round and a match (rules §8): 1,000 turns, 20,000 actions; and the stored and recorded forms of matches
//! that reached a limit.

use serde_json::{Value, json};
use yaniv_engine::{
    Action, Code, MAX_ACTIONS, Match, Played, Preset, Record, RecordBuilder, RecordPlayer, Rules, Seat,
    SeedChain, Shuffler, rules_from_json, verify,
};

use crate::support::{Dice, random_legal, random_rules, seats};

fn rules(json: &Value) -> Rules {
    rules_from_json(json).expect("rules")
}

fn builder(rules: &Rules, players: u8) -> RecordBuilder {
    let player = |seat| RecordPlayer {
        seat: Seat::new(seat),
        name: format!("player {seat}"),
        client_seed: String::new(),
    };
    let players = (0..players).map(player).collect();
    RecordBuilder::new(rules, "bounds", players, SeedChain::new([9; 32])).expect("players")
}

/// Throws a card and draws one, so that a hand never becomes smaller.
fn passive(state: &Match) -> (Seat, Action) {
    let seat = state.to_act()[0];
    let legal = state.legal(seat);
    let cards = legal.discards.iter().find(|cards| cards.len() == 1).expect("cards").clone();
    (seat, Action::Play { cards, draw: legal.draws[0] })
}

fn comes_back(state: &Match) {
    assert_eq!(Match::from_bytes(state.rules(), &state.to_bytes()).as_ref(), Ok(state));
}

/// Bytes of the version that did not count actions, of a match with fewer than 128 actions.
fn uncounted(state: &Match) -> Match {
    assert!(state.actions().is_some_and(|actions| actions < 128));
    let mut bytes = state.to_bytes();
    bytes[0] = 1;
    bytes.remove(7);
    let read = Match::from_bytes(state.rules(), &bytes).expect("the version before");
    assert_eq!((read.actions(), read.to_bytes()), (None, bytes));
    read
}

fn shuffler(players: usize) -> Shuffler {
    Shuffler::new(SeedChain::new([9; 32]), "bounds", &vec![String::new(); players])
}

/// The first position of a match, with its action counter set to a value.
fn after(rules: &Rules, players: u8, actions: u64) -> Match {
    let state = Match::start(rules, players, &shuffler(usize::from(players))).expect("players");
    let mut state = uncounted(&state);
    state.set_actions(actions);
    comes_back(&state);
    state
}

#[test]
fn who_only_plays_on_comes_to_a_thousand_turns_a_round_and_twenty_thousand_actions() {
    let presets = [
        (json!("yaniv"), 2),
        (json!({"preset": "yaniv", "decks": 2}), 10),
        (json!("jhyap"), 10),
        (json!("dhumbal"), 2),
        (json!("kluft"), 5),
        (json!("speedy"), 4),
    ];
    for (preset, players) in presets {
        let mut builder = builder(&rules(&preset), players);
        let mut running = None;
        for action in 1..=MAX_ACTIONS {
            let (seat, play) = passive(builder.state());
            let (round, starter) = (builder.state().round(), builder.state().starter());
            let played = builder.push(seat, &play, None).expect("legal");
            let state = builder.state();
            assert_eq!(state.actions(), Some(action));
            assert_eq!(played.round_ended.is_some(), action % 1000 == 0, "{preset}: {action}");
            assert_eq!(played.match_ended.is_some(), action == MAX_ACTIONS);
            if let Some(end) = played.round_ended {
                assert_eq!((end.round, end.result), (round, None));
                assert_eq!(state.starter(), starter);
                assert_eq!(state.round(), round + u16::from(action < MAX_ACTIONS));
            }
            if action % 1000 < 2 || action % 1000 == 999 {
                comes_back(state);
                assert!(state.to_bytes().len() < 300);
            }
            if action == MAX_ACTIONS - 1 {
                running = Some(builder.finish(None));
            }
        }
        let state = builder.state();
        let result = state.result().expect("over");
        assert_eq!((result.winner, result.ranking), (None, vec![1; usize::from(players)]), "a shared win");
        for seat in seats(state) {
            assert_eq!(state.legal(seat), yaniv_engine::Legal::default());
            assert_eq!(state.view(Some(seat)).legal, Some(yaniv_engine::Legal::default()));
        }
        assert_eq!(state.to_act(), []);
        let mut more = state.clone();
        let refused = more.play(Seat::new(0), &Action::Resign, builder.shuffler()).expect_err("over");
        assert_eq!((refused.code, &more), (Code::MatchOver, state));
        assert_eq!(verify(&running.expect("one before the last")), Ok(()));
        records_hold(&builder.finish(None));
    }
}

/// The whole record is valid, in both forms; cut before a limit, or continued after it, it is not.
fn records_hold(record: &Record) {
    assert_eq!(verify(record), Ok(()));
    assert_eq!(Record::from_text(&record.to_text()).as_ref(), Ok(record));
    let said = |change: &dyn Fn(&mut Record)| {
        let mut changed = record.clone();
        change(&mut changed);
        verify(&changed).expect_err("changed").to_string()
    };
    let cut = said(&|record| drop(record.rounds[0].actions.pop()));
    assert_eq!(cut, "round 1: the round has a seed, but is not over");
    let longer = said(&|record| {
        let last = record.rounds[1].actions[0].clone();
        record.rounds[0].actions.push(last);
    });
    assert_eq!(longer, "round 1, action 1000: the round was over before this action");
    let shorter = said(&|record| drop(record.rounds.pop()));
    assert_eq!(shorter, "the record ends before the match");
    let another = said(&|record| {
        let last = record.rounds[19].clone();
        record.rounds.push(last);
    });
    assert_eq!(another, "round 21: the match was over before this round");
}

#[test]
fn what_is_no_turn_is_an_action_all_the_same() {
    // Each turn is a request, its answer, and a play.
    let rules = rules(&json!({"card_requests": true, "pickup": "any"}));
    let mut builder = builder(&rules, 3);
    while !builder.state().is_over() {
        let state = builder.state();
        let asker = seats(state).into_iter().find(|seat| !state.legal(*seat).ask.is_empty());
        let (seat, action) = match (asker, state.legal(state.to_act()[0]).give) {
            (_, true) => (state.to_act()[0], Action::Keep),
            (Some(asker), false) => (asker, Action::Ask(state.legal(asker).ask[0])),
            (None, false) => {
                // The card kept is thrown with the others of its kind, so that hands stay small.
                let (seat, _) = passive(state);
                let legal = state.legal(seat);
                let most = legal.discards.iter().max_by_key(|cards| cards.len()).expect("cards").clone();
                (seat, Action::Play { cards: most, draw: legal.draws[0] })
            }
        };
        builder.push(seat, &action, None).expect("legal");
    }
    let record = builder.finish(None);
    assert_eq!(builder.state().actions(), Some(MAX_ACTIONS));
    assert_eq!(record.rounds.iter().map(|round| round.actions.len()).sum::<usize>(), 20_000);
    let (last, full) = record.rounds.split_last().expect("rounds");
    let plays = |round: &yaniv_engine::RecordRound| {
        round.actions.iter().filter(|action| action.action.contains('+')).count()
    };
    assert!(full.iter().all(|round| plays(round) == 1000 && round.actions.len() > 1000));
    assert!(plays(last) < 1000, "the match ended in the middle of a round");
    assert!(last.result.is_none());
    assert_eq!(verify(&record), Ok(()));
}

#[test]
fn the_last_action_may_be_of_any_kind() {
    let last = u64::from(MAX_ACTIONS) - 1;
    let play = |state: &mut Match, seat: u8, action: &Action| -> Played {
        let shuffler = shuffler(usize::from(state.players()));
        state.play(Seat::new(seat), action, &shuffler).expect("legal")
    };
    // A call that scores the round: the lowest total wins, regardless of elimination, and no other round is dealt.
    let any_call = rules(&json!({"call_limit": null}));
    let mut state = after(&any_call, 3, last);
    let caller = state.starter();
    let played = play(&mut state, caller.number(), &Action::Call { word: None });
    let scored = played.round_ended.expect("scored").result.expect("scored");
    assert_eq!((state.round(), scored.next_starter, played.match_ended.is_some()), (1, None, true));
    let lowest = scored.totals.iter().min().expect("three");
    let winner = state.result().expect("over").winner;
    let alone = scored.totals.iter().filter(|total| *total == lowest).count() == 1;
    assert_eq!(winner.map(|seat| &scored.totals[seat.index()]), alone.then_some(lowest));
    comes_back(&state);
    // A call that waits for answers, and a resignation: neither wins anything.
    let kluft = rules(&json!({"preset": "kluft", "call_limit": null}));
    let mut state = after(&kluft, 3, last);
    let caller = state.starter();
    let played = play(&mut state, caller.number(), &Action::Call { word: None });
    assert_eq!(played.round_ended.expect("ended").result, None);
    assert_eq!(state.result().expect("over").ranking, [1, 1, 1]);
    comes_back(&state);
    let mut state = after(&kluft, 3, last);
    play(&mut state, 1, &Action::Resign);
    assert_eq!(state.result().expect("over").ranking, [1, 3, 1]);
    comes_back(&state);
    // A refused action is not counted.
    let mut state = after(&any_call, 3, last);
    let before = state.clone();
    let refused = state.play(state.starter(), &Action::Give, &shuffler(3)).expect_err("nobody has asked");
    assert_eq!((refused.code, &state), (Code::NotAllowedByRules, &before));
}

#[test]
fn a_match_stored_before_actions_were_counted_goes_on() {
    let rules = Rules::new(Preset::Yaniv.options()).expect("a preset");
    let shuffler = shuffler(2);
    let mut counted = Match::start(&rules, 2, &shuffler).expect("two");
    for _ in 0..30 {
        let (seat, action) = passive(&counted);
        counted.play(seat, &action, &shuffler).expect("legal");
    }
    let mut read = uncounted(&counted);
    // Without a count, play continues as before.
    let (seat, action) = passive(&read);
    let mut on = read.clone();
    on.play(seat, &action, &shuffler).expect("legal");
    assert_eq!(on.actions(), None);
    read.set_actions(30);
    assert_eq!(read, counted);
    // A match above the limit ends with its next action.
    read.set_actions(1_000_000);
    comes_back(&read);
    let played = read.play(seat, &action, &shuffler).expect("legal");
    assert!(played.match_ended.is_some());
    comes_back(&read);
}

#[test]
fn no_random_match_is_longer_than_the_bounds() {
    let mut long = 0;
    for seed in 0..12 {
        let mut dice = Dice(seed);
        let (rules, players) = random_rules(&mut dice);
        let shuffler = crate::support::shuffler(&mut dice, players);
        let mut state = Match::start(&rules, players, &shuffler).expect("checked");
        let (mut actions, mut turns) = (0_u32, 0_u32);
        while let Some((seat, action)) = random_legal(&state, &mut dice) {
            let leaves = matches!(action, Action::Call { .. } | Action::Resign);
            let (seat, action) = match state.legal(state.to_act()[0]) {
                legal if leaves && !legal.discards.is_empty() => {
                    let play = Action::Play { cards: legal.discards[0].clone(), draw: legal.draws[0] };
                    (state.to_act()[0], play)
                }
                _ => (seat, action),
            };
            let played = state.play(seat, &action, &shuffler).expect("legal");
            actions += 1;
            let is_turn = matches!(action, Action::Play { .. } | Action::Pass);
            turns += u32::from(is_turn);
            assert!(turns <= 1000 && actions <= 20_000);
            assert_eq!(state.actions().map(u32::from), Some(actions));
            if let Some(end) = &played.round_ended {
                long += u32::from(end.result.is_none() && turns == 1000);
                turns = 0;
            }
        }
        assert!(state.is_over());
    }
    assert!(long > 0, "some rounds came to their bound");
}
