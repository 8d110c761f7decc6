//! Single positions, and the decision of each level.

use serde_json::{Value, json};
use yaniv_bot::{History, Level, Sight, decide, safe_turn, volunteer};
use yaniv_engine::{Action, Match, OverLimit, Preset, Response, RuleOptions, Rules, Seat, SlamDown};

/// A position of two or more seats, by their hands; all have had three turns.
fn position(hands: &[&[&str]], pile: &[&str], more: &Value) -> Value {
    let seats: Vec<Value> = hands.iter().map(|hand| json!({"hand": hand, "turns": 3})).collect();
    let stock = ["8C", "TD", "QS", "5C", "6H", "9S"];
    let mut position = json!({"seats": seats, "pile": pile, "stock": stock, "turn": 0});
    for (name, value) in more.as_object().expect("fields") {
        position[name] = value.clone();
    }
    position
}

fn game(options: RuleOptions, position: Value) -> Match {
    let position = serde_json::from_value(position).expect("a position");
    Match::from_position(&Rules::new(options).expect("bounds"), &position).expect("it can be")
}

fn does(state: &Match, seat: u8, level: Level, history: &History) -> String {
    does_by(3, state, seat, level, history)
}

/// With this seed.
fn does_by(seed: u64, state: &Match, seat: u8, level: Level, history: &History) -> String {
    let (seat, view) = (Seat::new(seat), state.view(Some(Seat::new(seat))));
    let sight = Sight { view: &view, rules: state.rules(), seat, history };
    decide(&sight, level, seed).map_or_else(String::new, |action| action.to_string())
}

fn wishes(state: &Match, seat: u8, level: Level) -> String {
    let (seat, view, history) = (Seat::new(seat), state.view(Some(Seat::new(seat))), History::new(1));
    let sight = Sight { view: &view, rules: state.rules(), seat, history: &history };
    volunteer(&sight, level).map_or_else(String::new, |action| action.to_string())
}

fn safe(state: &Match, seat: u8) -> String {
    let view = state.view(Some(Seat::new(seat)));
    safe_turn(&view, state.rules()).map_or_else(String::new, |action| action.to_string())
}

#[test]
fn who_looks_ahead_picks_up_what_makes_a_set() {
    // With 9H from the pile the hand is two nines and an ace, and after the next turn only the ace is left.
    let state = game(
        Preset::Yaniv.options(),
        position(&[&["9C", "KD", "AS"], &["2C", "3C", "7D"]], &["9H"], &json!({})),
    );
    for level in [Level::Medium, Level::Hard] {
        assert_eq!(does(&state, 0, level, &History::new(1)), "KD+9H", "{level}");
    }
    let easy = |seed| does_by(seed, &state, 0, Level::Easy, &History::new(1));
    let ahead = (0..70).filter(|seed| easy(*seed) == "KD+9H").count();
    let single = (0..70).filter(|seed| easy(*seed).ends_with("+#")).count();
    assert!(ahead > 40 && single > 3, "an easy bot is careless now and then: {ahead} and {single}");
}

#[test]
fn a_call_that_is_known_to_be_wrong_is_not_made_by_who_counts() {
    let hands: &[&[&str]] = &[&["2C", "3D"], &["AC", "AD"]];
    let state = game(Preset::Yaniv.options(), position(hands, &["KH"], &json!({})));
    let mut history = History::new(1);
    // Both aces were picked up in public, and the other player has at most two cards.
    for action in ["7C+AC", "7D+AD"] {
        history.note(Seat::new(1), &action.parse::<Action>().expect("an action"), None, false);
    }
    assert_ne!(does(&state, 0, Level::Hard, &history), "call");
    assert_ne!(does(&state, 0, Level::Medium, &history), "call");
    assert_eq!(does(&state, 0, Level::Easy, &history), "call", "it does not count");
    // The history of another round is ignored.
    let mut other = History::new(2);
    other.note(Seat::new(1), &"7C+AC".parse::<Action>().expect("an action"), None, false);
    assert_eq!(does(&state, 0, Level::Hard, &other), does(&state, 0, Level::Hard, &History::new(1)));
}

#[test]
fn a_call_that_cannot_fail_is_made_by_all() {
    let hands: &[&[&str]] = &[&["XR"], &["2C", "9D", "QH"]];
    let state = game(Preset::Jhyap.options(), position(hands, &["KH"], &json!({})));
    for level in Level::ALL {
        assert_eq!(does(&state, 0, level, &History::new(1)), "call", "{level}");
    }
}

#[test]
fn who_counts_feeds_nobody() {
    // A king or a queen is thrown, depending on what the next player has picked up.
    let hands: &[&[&str]] = &[&["QC", "KS", "4D"], &["2H", "3H", "7S", "8S", "9H"]];
    let state = game(Preset::Yaniv.options(), position(hands, &["8H"], &json!({})));
    for (taken, thrown) in [(["2C+QH", "2D+QD"], "KS+#"), (["2C+KH", "2D+KD"], "QC+#")] {
        let mut history = History::new(1);
        for action in taken {
            history.note(Seat::new(1), &action.parse::<Action>().expect("an action"), None, false);
        }
        assert_eq!(does(&state, 0, Level::Hard, &history), thrown);
    }
}

#[test]
fn a_safe_turn_throws_what_weighs_most_and_never_calls() {
    let hands: &[&[&str]] = &[&["AC", "AD", "2S"], &["2C", "9D", "QH"]];
    let state = game(Preset::Yaniv.options(), position(hands, &["XR"], &json!({})));
    assert_eq!(safe(&state, 0), "2S+#", "four points are enough to call, and a joker lies there");
    let pair: &[&[&str]] = &[&["6C", "6D", "KS"], &["2C", "9D", "QH"]];
    assert_eq!(safe(&game(Preset::Yaniv.options(), position(pair, &["XR"], &json!({}))), 0), "6C6D+#");
    let without_stock =
        position(pair, &["9H", "9S", "3H"], &json!({"stock": [], "buried": [], "pickable": ["9H", "3H"]}));
    assert_eq!(safe(&game(Preset::Yaniv.options(), without_stock), 0), "6C6D+3H");
    let empty: &[&[&str]] = &[&[], &["2C", "9D", "QH"]];
    assert_eq!(safe(&game(Preset::Yaniv.options(), position(empty, &["KH"], &json!({}))), 0), "call");
    assert_eq!(safe(&state, 1), "", "it is not to act");
}

#[test]
fn a_safe_answer_is_the_passive_one() {
    let hands: &[&[&str]] = &[&["AC", "2D"], &["XR"]];
    let called = json!({"phase": "challenge", "caller": 0, "answers": []});
    let state = game(Preset::Kluft.options(), position(hands, &["KH"], &called));
    assert_eq!(safe(&state, 1), "expose");
    assert_eq!(does(&state, 1, Level::Hard, &History::new(1)), "challenge", "a joker can hardly lose");

    let mut options = RuleOptions { over_limit: OverLimit::Swap, ..Preset::Yaniv.options() };
    let offered = json!({"phase": "swap", "caller": 0, "answers": []});
    let hands: &[&[&str]] = &[&["9C", "2D"], &["KC", "QC", "KD", "QD", "JS"]];
    let state = game(options.clone(), position(hands, &["KH"], &offered));
    assert_eq!(safe(&state, 1), "stay");
    assert_eq!(does(&state, 1, Level::Medium, &History::new(1)), "swap", "two cards for fifty points");

    options.card_requests = true;
    let asked = json!({"phase": "request", "asker": 1, "card": "KH", "asked": true});
    let state = game(options, position(&[&["9C", "2D"], &["KC", "KS"]], &["KH"], &asked));
    assert_eq!(safe(&state, 0), "keep");
    assert_eq!(does(&state, 0, Level::Medium, &History::new(1)), "give", "a king is of no use");
}

#[test]
fn slam_downs_are_made_and_cards_that_fit_are_asked_for() {
    let options = RuleOptions { slam_down: SlamDown::Any, ..Preset::Yaniv.options() };
    let open = json!({"turn": 1, "slam": {"seat": 0, "card": "7D"}});
    let state = game(options, position(&[&["7D", "2C"], &["KC", "QC"]], &["7C"], &open));
    assert_eq!(wishes(&state, 0, Level::Easy), "slam");
    assert_eq!(wishes(&state, 1, Level::Easy), "", "it has none");

    let options = RuleOptions { card_requests: true, ..Preset::Yaniv.options() };
    let hands: &[&[&str]] = &[&["4D", "2C"], &["3H", "5S", "QS"], &["TC", "TD", "TS", "AH"], &["QD", "6C"]];
    let state = game(options, position(hands, &["TH"], &json!({})));
    assert_eq!(wishes(&state, 2, Level::Medium), "", "three tens go by themselves already");
    let hands: &[&[&str]] = &[&["4D", "2C"], &["3H", "5S", "QS"], &["8H", "6H", "AH"], &["QD", "6C"]];
    let options = RuleOptions { card_requests: true, ..Preset::Yaniv.options() };
    let state = game(options, position(hands, &["7H"], &json!({})));
    assert_eq!(wishes(&state, 2, Level::Medium), "ask:7H", "the middle of a run");
}

#[test]
fn in_a_final_turn_only_what_is_left_counts() {
    let options = RuleOptions { response: Response::FinalTurn, ..Preset::Yaniv.options() };
    let last = json!({"phase": "final_turn", "caller": 1});
    // A pair has no use any more: the ace is worth more than the nine that would complete one.
    let state = game(options, position(&[&["9C", "TD"], &["2C", "2D"]], &["9H", "8D", "AS"], &last));
    assert_eq!(does(&state, 0, Level::Medium, &History::new(1)), "TD+AS");
}
