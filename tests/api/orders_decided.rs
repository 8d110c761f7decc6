//! Decisions of standing orders in given positions: executed as intended, void when anything has changed.

use serde_json::{Value, json};
use yaniv_engine::{Action, Card, Draw, Match, Position, Seat, rules_from_json};
use yaniv_match::standing_orders::{Bound, Decision, PlayOrder, StandingOrders, VoidReason};

const ME: Seat = Seat::new(1);

/// A position of three, with seat 1 to act unless `change` says otherwise.
fn game(rules: &Value, change: &Value) -> Match {
    let mut position = json!({
        "seats": [{"hand": ["KC", "KD", "9S"], "turns": 1}, {"hand": ["AH", "2H", "9C", "9D"]}, {"hand": ["3C", "8S"]}],
        "pile": ["4D", "5D", "6D"], "stock": ["2C", "3H", "4H", "5H", "6H", "8H"], "turn": 1, "starter": 0
    });
    for (name, value) in change.as_object().unwrap() {
        position[name] = value.clone();
    }
    let position: Position = serde_json::from_value(position).unwrap();
    Match::from_position(&rules_from_json(rules).unwrap(), &position).unwrap()
}

fn usual(change: &Value) -> Match {
    game(&json!("yaniv"), change)
}

fn hand(cards: &[&str]) -> Value {
    json!([{"hand": ["KC", "KD", "9S"], "turns": 1}, {"hand": cards}, {"hand": ["3C", "8S"]}])
}

fn cards(codes: &[&str]) -> Vec<Card> {
    codes.iter().map(|code| code.parse().unwrap()).collect()
}

fn play(throw: &[&str], draw: &str, if_pickable: &[&str]) -> PlayOrder {
    PlayOrder { cards: cards(throw), draw: draw.parse().unwrap(), if_pickable: cards(if_pickable) }
}

/// Bound as if they had been placed in this position.
fn bound(game: &Match) -> Bound {
    Bound::now(&game.view(Some(ME)), ME).unwrap()
}

fn decide(orders: &StandingOrders, game: &Match) -> Decision {
    orders.decide(&bound(game), game, ME, false)
}

/// The action in the log's notation, or the reason why there is none.
fn done(orders: &StandingOrders, game: &Match) -> String {
    match decide(orders, game) {
        Decision::Act(carried) => carried.action.to_string(),
        Decision::Void(reason) => format!("void: {}", reason.as_str()),
        Decision::Wait => "wait".to_owned(),
    }
}

fn calling(most: u16) -> StandingOrders {
    StandingOrders { call_at_most: Some(most), ..StandingOrders::default() }
}

fn playing(plays: Vec<PlayOrder>) -> StandingOrders {
    StandingOrders { plays, ..StandingOrders::default() }
}

#[test]
fn a_call_is_made_with_so_many_points_at_most() {
    let low = usual(&json!({"seats": hand(&["AH", "2H", "2C"])}));
    assert_eq!(done(&calling(5), &low), "call");
    assert_eq!(done(&calling(4), &low), "void: nothing_fits");
    let both = StandingOrders { call_at_most: Some(4), ..playing(vec![play(&["2C", "2H"], "#", &[])]) };
    assert_eq!(done(&both, &low), "2C2H+#");
    // Not before a call is allowed, nor where the rules would penalise it.
    let early = game(&json!({"min_turns": 1}), &json!({"seats": hand(&["AH", "2H", "2C"])}));
    assert_eq!(done(&both, &early), "2C2H+#");
    let punished = game(&json!({"over_limit": "penalty"}), &json!({}));
    assert_eq!(done(&calling(21), &punished), "void: nothing_fits");
}

#[test]
fn the_first_play_that_fits_is_done() {
    let orders = playing(vec![
        play(&["9C", "9D"], "7D", &[]),
        play(&["9C", "9D"], "#", &["4D", "7D"]),
        play(&["9C"], "6D", &["4D"]),
        play(&["9D"], "#", &[]),
    ]);
    // Only the ends of a run can be drawn.
    assert_eq!(done(&orders, &usual(&json!({}))), "9C+6D");
    assert_eq!(done(&orders, &usual(&json!({"pile": ["4D", "5D", "6D", "7D"]}))), "9C9D+7D");
    assert_eq!(done(&orders, &usual(&json!({"pile": ["JS"]}))), "9D+#");
    let picky = playing(vec![play(&["9C"], "7D", &[])]);
    assert_eq!(done(&picky, &usual(&json!({}))), "void: nothing_fits");
    let wish = StandingOrders { slam_down: Some(true), ..orders };
    let Decision::Act(carried) = decide(&wish, &usual(&json!({"pile": ["JS"]}))) else {
        panic!("nothing done")
    };
    assert_eq!((carried.slam_down, carried.is_last()), (Some(true), true));
    assert_eq!(
        carried.action,
        Action::Play { cards: cards(&["9D"]).into_iter().collect(), draw: Draw::Stock }
    );
}

#[test]
fn orders_wait_until_it_is_their_turn() {
    let orders = StandingOrders {
        call_at_most: Some(5),
        give_from: Some(0),
        ..playing(vec![play(&["9C"], "#", &[])])
    };
    assert_eq!(done(&orders, &usual(&json!({"turn": 0}))), "wait");
    assert_eq!(done(&orders, &usual(&json!({"turn": 2}))), "wait");
    let rules = json!({"card_requests": true});
    let another = json!({"turn": 0, "phase": "request", "asker": 2, "card": "4D", "asked": true});
    assert_eq!(done(&orders, &game(&rules, &another)), "wait");
}

#[test]
fn orders_are_void_when_anything_is_not_as_it_was() {
    let orders = playing(vec![play(&["9C"], "#", &[])]);
    let now = usual(&json!({}));
    let as_it_was = bound(&now);
    let mut fewer = as_it_was.clone();
    fewer.hand.pop();
    for (bound, reason) in [
        (Bound { round: 2, ..as_it_was.clone() }, VoidReason::RoundOver),
        (Bound { turns: 1, ..as_it_was.clone() }, VoidReason::TurnTaken),
        (fewer, VoidReason::HandChanged),
    ] {
        assert_eq!(orders.decide(&bound, &now, ME, false), Decision::Void(reason));
        // Also while it is another player's turn: they can no longer be executed.
        let later = usual(&json!({"turn": 2}));
        assert_eq!(orders.decide(&bound, &later, ME, false), Decision::Void(reason));
    }
    assert_eq!(orders.decide(&as_it_was, &now, ME, true), Decision::Void(VoidReason::Called));
    let out = usual(&json!({"turn": 0, "seats": [
        {"hand": ["KC"], "turns": 1}, {"hand": [], "out": true, "total": 201}, {"hand": ["3C", "8S"]}]}));
    assert_eq!(orders.decide(&as_it_was, &out, ME, false), Decision::Void(VoidReason::Out));
}

#[test]
fn a_request_for_a_card_is_answered_by_its_points() {
    let rules = json!({"card_requests": true, "pickup": "any"});
    let asked = |card: &str| {
        let change = json!({"pile": ["KH", "KS", "AD"], "pickable": ["AD", "KH", "KS"], "phase": "request",
            "asker": 2, "card": card, "asked": true});
        game(&rules, &change)
    };
    let rest = playing(vec![play(&["9C", "9D"], "#", &[])]);
    let orders = StandingOrders { give_from: Some(5), ..rest.clone() };
    assert_eq!(done(&orders, &asked("KH")), "give");
    assert_eq!(done(&orders, &asked("AD")), "keep");
    assert_eq!(done(&rest, &asked("KH")), "void: asked");
    // After giving, the orders still hold; after keeping, the hand is different.
    for (card, last, then) in [("KH", false, "9C9D+#"), ("AD", true, "void: hand_changed")] {
        let mut game = asked(card);
        let bound = bound(&game);
        let Decision::Act(carried) = orders.decide(&bound, &game, ME, false) else { panic!("nothing done") };
        assert_eq!(carried.is_last(), last);
        game.play(ME, &carried.action, &yaniv_engine::Shuffler::unseeded()).unwrap();
        let after = match orders.decide(&bound, &game, ME, false) {
            Decision::Act(carried) => carried.action.to_string(),
            Decision::Void(reason) => format!("void: {}", reason.as_str()),
            Decision::Wait => "wait".to_owned(),
        };
        assert_eq!(after, then);
    }
}

#[test]
fn a_call_is_answered_by_points_and_voids_everything_else() {
    let plays = playing(vec![play(&["9C"], "#", &[])]);
    let challenge = json!({"turn": 0, "phase": "challenge", "caller": 0, "answers": []});
    let called = game(&json!("kluft"), &challenge);
    // AH 2H 9C 9D are 21 points.
    for (most, answer) in [(21, "challenge"), (20, "expose")] {
        let orders = StandingOrders { challenge_at_most: Some(most), ..plays.clone() };
        // These orders are about a call.
        let decision = orders.decide(&bound(&called), &called, ME, true);
        assert_eq!(decision, decide(&orders, &called));
        assert_eq!(done(&orders, &called), answer);
    }
    assert_eq!(done(&plays, &called), "void: called");
    let answered = json!({"turn": 0, "phase": "challenge", "caller": 0, "answers": [[1, "expose"]]});
    let orders = StandingOrders { challenge_at_most: Some(0), ..plays.clone() };
    assert_eq!(done(&orders, &game(&json!("kluft"), &answered)), "void: called");

    let offer = json!({"turn": 0, "phase": "swap", "caller": 0, "answers": []});
    let offered = game(&json!({"over_limit": "swap"}), &offer);
    for (least, answer) in [(21, "swap"), (22, "stay")] {
        let orders = StandingOrders { swap_from: Some(least), ..plays.clone() };
        assert_eq!(done(&orders, &offered), answer);
    }
    assert_eq!(done(&plays, &offered), "void: called");
    let last = json!({"phase": "final_turn", "caller": 0});
    assert_eq!(done(&plays, &game(&json!({"response": "final_turn"}), &last)), "void: called");
}

/// Compares two tables that look the same to the player, with other hidden cards.
#[test]
fn what_is_hidden_decides_nothing() {
    let orders = StandingOrders {
        call_at_most: Some(5),
        slam_down: Some(false),
        ..playing(vec![play(&["9C", "9D"], "7D", &[]), play(&["9C"], "#", &[])])
    };
    let one = usual(&json!({}));
    let other = usual(&json!({
        "seats": [{"hand": ["AC", "AD", "AS"], "turns": 1}, {"hand": ["AH", "2H", "9C", "9D"]}, {"hand": ["XR", "XB"]}],
        "stock": ["9H", "9S", "KC", "KD", "3C", "8S"]
    }));
    assert_ne!(one.position(), other.position());
    assert_eq!(decide(&orders, &one), decide(&orders, &other));
}

#[test]
fn orders_are_stored_as_they_are() {
    let orders = StandingOrders {
        call_at_most: Some(0),
        slam_down: Some(true),
        give_from: Some(10),
        challenge_at_most: Some(7),
        swap_from: Some(20),
        ..playing(vec![play(&["9C", "9D"], "7D", &["XR"]), play(&["9C"], "-", &[])])
    };
    let stored = serde_json::to_value(&orders).unwrap();
    assert_eq!(stored["plays"][0], json!({"cards": ["9C", "9D"], "draw": "7D", "if_pickable": ["XR"]}));
    assert_eq!(serde_json::from_value::<StandingOrders>(stored).unwrap(), orders);
    assert_eq!(serde_json::to_value(StandingOrders::default()).unwrap(), json!({}));
    assert!(StandingOrders::default().is_empty() && !orders.is_empty());
}
