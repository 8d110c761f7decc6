//! `analyze` on invalid lines, on impossible positions, and on any position.

use serde_json::{Value, json};
use yaniv_engine::{Card, Code, PhaseKind, analyze_line};

use crate::support::{Choose, Dice, random_rules};

#[test]
fn any_line_has_an_answer() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let position =
        r#""position":{"seats":[{"hand":["2C"]},{"hand":["3C"]}],"pile":["7S"],"stock":["2H"],"turn":0}"#;
    let many = format!(
        r#"{{"rules":"yaniv","position":{{"seats":[{{"hand":[{}"2C"]}},{{}}],"turn":0,"pile":["7S"]}}}}"#,
        r#""2C","#.repeat(5_000)
    );
    let lines = [
        ("", "bad_notation"),
        ("[]", "bad_notation"),
        ("{", "bad_notation"),
        (deep.as_str(), "bad_notation"),
        ("{}", "bad_rules"),
        (r#"{"rules":1e999}"#, "bad_notation"),
        (r#"{"rules":{"decks":99999999999999999999}}"#, "bad_rules"),
        (r#"{"rules":"yaniv"}"#, "bad_position"),
        (r#"{"rules":"yaniv","position":[]}"#, "bad_position"),
        (many.as_str(), "bad_position"),
        (&format!(r#"{{"rules":"yaniv",{position},"perft":-1}}"#), "bad_notation"),
        (&format!(r#"{{"rules":"yaniv",{position},"perft":4000000000}}"#), "bad_notation"),
        (&format!(r#"{{"rules":"yaniv",{position},"perft":64}}"#), "bad_notation"),
        (&format!(r#"{{"rules":"yaniv",{position},"actions":7}}"#), "bad_notation"),
        (&format!(r#"{{"rules":"yaniv",{position},"actions":[7]}}"#), "bad_notation"),
        (&format!(r#"{{"rules":"yaniv",{position},"actions":["9:call"]}}"#), "bad_notation"),
        (&format!(r#"{{"rules":"yaniv",{position},"actions":["ⓐ+#"]}}"#), "bad_notation"),
    ];
    for (line, code) in lines {
        let answer: Value = serde_json::from_str(&analyze_line(line)).expect("JSON");
        assert_eq!(answer["error"]["code"], code, "{:.200}", line);
    }
    let bad_positions = [
        json!({"turn": 2}),
        json!({"turn": -1}),
        json!({"seats": [{"hand": ["2C"]}]}),
        json!({"seats": [{"hand": ["2C"], "out": true}, {"hand": ["2C"]}]}),
        json!({"seats": [{"hand": ["2C"], "out": true}, {"hand": ["2C"]}, {"hand": ["2C"]}]}),
        json!({"seats": [{"hand": ["1C"]}, {"hand": ["2C"]}]}),
        json!({"phase": "later"}),
        json!({"phase": "final_turn"}),
        json!({"phase": "final_turn", "caller": 0}),
        json!({"phase": "request", "asker": 1}),
        json!({"pile": [], "stock": []}),
        json!({"pickable": ["8C"]}),
        json!({"starter": 5}),
        json!({"round": 0}),
        json!({"round": 1001}),
        json!({"slam": {"seat": 1, "card": "3C"}}),
    ];
    for change in bad_positions {
        let mut request: Value =
            serde_json::from_str(&format!("{{\"rules\":\"yaniv\",{position}}}")).expect("JSON");
        let fields = change.as_object().expect("fields").clone();
        request["position"].as_object_mut().expect("a position").extend(fields);
        let answer: Value = serde_json::from_str(&analyze_line(&request.to_string())).expect("JSON");
        assert_eq!(answer["error"]["code"], "bad_position", "{change}");
        assert!(answer["error"].get("at").is_none());
    }
}

/// Lists of nearly 200,000 discards: one for each of the plays before would take minutes.
#[test]
fn perft_pays_for_long_lists_and_not_only_for_plays() {
    let hand: Vec<&str> =
        ["9C", "9D", "9H", "9S", "XB", "XR"].into_iter().flat_map(|card| [card; 3]).collect();
    let mut request = json!({
        "rules": {"decks": 4, "jokers": 2, "jokers_in_sets": true},
        "position": {
            "seats": [{"hand": hand}, {"hand": hand}], "pile": ["7S"], "stock": ["2H", "2H", "2H"], "turn": 0,
        },
    });
    let answer = |request: &Value| -> Value {
        serde_json::from_str(&analyze_line(&request.to_string())).expect("JSON")
    };
    let listed = answer(&request)["legal"].as_array().expect("a list").len();
    request["perft"] = json!(1);
    assert_eq!(answer(&request)["perft"], listed);
    request["perft"] = json!(2);
    assert_eq!(answer(&request)["error"]["code"], "bad_notation");
    // With fewer cards the same request is cheap.
    request["position"]["seats"] = json!([{"hand": ["9C", "9D", "9H"]}, {"hand": ["9S", "XB"]}]);
    assert!(answer(&request)["perft"].as_u64().is_some_and(|count| count > 50));
}

#[test]
fn a_great_hand_is_no_hindrance_where_nothing_is_played() {
    let hand: Vec<&str> =
        ["9C", "9D", "9H", "9S", "XB", "XR"].into_iter().flat_map(|card| [card; 6]).collect();
    let mut request = json!({
        "rules": {"preset": "kluft", "jokers_in_sets": true},
        "position": {
            "seats": [{"hand": ["AC"]}, {"hand": hand}], "pile": ["7S"], "turn": 1,
            "phase": "challenge", "caller": 0, "answers": [],
        },
    });
    let answer: Value = serde_json::from_str(&analyze_line(&request.to_string())).expect("JSON");
    assert_eq!(answer["legal"], json!(["challenge", "expose"]));
    request["position"]["phase"] = json!("turn");
    let answer: Value = serde_json::from_str(&analyze_line(&request.to_string())).expect("JSON");
    assert_eq!(answer["error"]["code"], "bad_position");
}

/// Cards with many equal ones among them.
fn cards(dice: &mut Dice, most: usize) -> Vec<Value> {
    let kinds = 1 + dice.below(54);
    let card =
        |dice: &mut Dice| u8::try_from(dice.below(kinds)).ok().and_then(Card::from_index).expect("below 54");
    (0..dice.below(most + 1)).map(|_| json!(card(dice).code())).collect()
}

fn any_request(dice: &mut Dice) -> Value {
    let (rules, players) = random_rules(dice);
    let players = usize::from(players);
    let most = dice.pick(&[2, 5, 9, 30]);
    let seats: Vec<Value> = (0..players)
        .map(|_| json!({"hand": cards(dice, most), "total": dice.below(300), "out": dice.one_in(9), "turns": dice.below(3)}))
        .collect();
    let phase = dice.pick(PhaseKind::ALL).as_str();
    let answers: Vec<Value> = (0..dice.below(3))
        .map(|_| json!([dice.below(players), dice.pick(&["stay", "expose", "challenge", "swap"])]))
        .collect();
    let pile = cards(dice, 4);
    let mut position = json!({
        "seats": seats, "pile": pile, "stock": cards(dice, 9), "buried": cards(dice, 5), "turn": dice.below(players),
        "round": 1 + dice.below(1000), "sudden_death": dice.one_in(5), "asked": dice.one_in(3),
    });
    if !dice.one_in(3) {
        position["phase"] = json!(phase);
        position["caller"] = json!(dice.below(players));
        position["answers"] = json!(answers);
        position["asker"] = json!(dice.below(players));
        position["card"] = pile.first().cloned().unwrap_or(json!("7S"));
    }
    if dice.one_in(4) {
        let seat = dice.below(players);
        let card = position["seats"][seat]["hand"][0].clone();
        position["slam"] = json!({"seat": seat, "card": card});
    }
    json!({"rules": rules.options(), "position": position, "actions": []})
}

#[test]
fn any_position_is_answered_and_its_list_can_be_played() {
    let (mut good, mut played) = (0, 0);
    for seed in 0..6000 {
        let mut dice = Dice(seed);
        let mut request = any_request(&mut dice);
        let mut answer: Value = serde_json::from_str(&analyze_line(&request.to_string())).expect("JSON");
        for _ in 0..6 {
            if let Some(error) = answer.get("error") {
                let code = error["code"].as_str().expect("a code");
                assert!(Code::ALL.iter().any(|known| known.as_str() == code));
                break;
            }
            good += 1;
            let mut actions: Vec<String> = answer["legal"]
                .as_array()
                .expect("a list")
                .iter()
                .map(|action| action.as_str().expect("text").to_owned())
                .collect();
            assert!(actions.is_sorted());
            actions.truncate(500);
            actions.extend(["resign", "0:slam", "1:slam:first", "1:ask:7S"].map(str::to_owned));
            let listed = actions.len() - 4;
            let choice = dice.below(actions.len());
            request["actions"].as_array_mut().expect("a list").push(json!(actions[choice]));
            answer = serde_json::from_str(&analyze_line(&request.to_string())).expect("JSON");
            assert!(choice >= listed || answer.get("error").is_none(), "{request} {answer}");
            played += 1;
        }
    }
    assert!(good > 3000 && played > 3000, "{good} {played}");
}
