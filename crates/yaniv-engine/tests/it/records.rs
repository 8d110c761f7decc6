//! Records: the seven of the specification are valid, and each single change is detected at the right place.

use serde_json::{Value, json};
use yaniv_engine::{Discrepancy, Record, verify};

const RECORDS: [(&str, &str); 7] = [
    ("dhumbal-3", include_str!("../data/records/dhumbal-3.json")),
    ("everything-3", include_str!("../data/records/everything-3.json")),
    ("jhyap-3", include_str!("../data/records/jhyap-3.json")),
    ("kluft-4", include_str!("../data/records/kluft-4.json")),
    ("speedy-2", include_str!("../data/records/speedy-2.json")),
    ("yaniv-2", include_str!("../data/records/yaniv-2.json")),
    ("yaniv-4", include_str!("../data/records/yaniv-4.json")),
];

#[test]
fn every_record_of_the_specification_holds() {
    for (name, text) in RECORDS {
        let record: Record = serde_json::from_str(text).expect(name);
        assert_eq!(verify(&record), Ok(()), "{name}");
    }
}

#[test]
fn records_are_written_as_they_are_read() {
    for (name, text) in RECORDS {
        let record: Record = serde_json::from_str(text).expect(name);
        let written = serde_json::to_value(&record).expect(name);
        assert_eq!(written, serde_json::from_str::<Value>(text).expect(name), "{name}");
    }
}

/// Where the fault of a changed record must be reported: from `first` on, up to the end of that round.
struct Place {
    round: u16,
    action: Option<usize>,
}

fn check(changed: Value, place: &Place, what: &str) {
    let Ok(record) = serde_json::from_value::<Record>(changed) else {
        return; // No record at all: refused even earlier.
    };
    let found = verify(&record).expect_err(what);
    let Discrepancy { round, action, .. } = &found;
    assert_eq!(*round, Some(place.round), "{what}: {found}");
    if let Some(at) = place.action {
        assert!(action.is_none_or(|action| action >= at), "{what}: {found}");
    }
}

fn rounds(record: &Value) -> &[Value] {
    record["rounds"].as_array().expect("rounds")
}

fn length(value: &Value) -> usize {
    value.as_array().map_or(0, Vec::len)
}

#[test]
fn a_changed_seed_digit_is_found_in_its_round() {
    for (name, text) in RECORDS {
        let record: Value = serde_json::from_str(text).expect(name);
        for (i, round) in rounds(&record).iter().enumerate() {
            for digit in [0, i % 64, 63] {
                let mut seed: Vec<u8> = round["seed"].as_str().expect("seed").bytes().collect();
                seed[digit] = if seed[digit] == b'0' { b'1' } else { b'0' };
                let mut changed = record.clone();
                changed["rounds"][i]["seed"] = json!(String::from_utf8(seed).expect("ASCII"));
                let place = Place { round: u16::try_from(i).expect("few") + 1, action: None };
                check(changed, &place, &format!("{name}: seed of round {}", i + 1));
            }
        }
        let mut changed = record.clone();
        changed["commitment"] = changed["rounds"][0]["seed"].clone();
        check(changed, &Place { round: 1, action: None }, &format!("{name}: commitment"));
    }
}

#[test]
fn a_changed_card_is_found_where_it_is() {
    for (name, text) in RECORDS {
        let record: Value = serde_json::from_str(text).expect(name);
        for (i, round) in rounds(&record).iter().enumerate().step_by(3) {
            let number = u16::try_from(i).expect("few") + 1;
            let other = |card: &Value| {
                if *card == json!("3H") { json!("3S") } else { json!("3H") }
            };
            for seat in 0..length(&round["hands"]) {
                for card in 0..length(&round["hands"][seat]) {
                    let mut changed = record.clone();
                    changed["rounds"][i]["hands"][seat][card] = other(&round["hands"][seat][card]);
                    check(
                        changed,
                        &Place { round: number, action: None },
                        &format!("{name}: dealt {number}"),
                    );
                }
            }
            let mut changed = record.clone();
            changed["rounds"][i]["upcard"] = other(&round["upcard"]);
            check(changed, &Place { round: number, action: None }, &format!("{name}: upcard {number}"));
            for (j, action) in round["actions"].as_array().expect("actions").iter().enumerate() {
                let place = Place { round: number, action: Some(j) };
                let mut changed = record.clone();
                let drew = &mut changed["rounds"][i]["actions"][j]["drew"];
                *drew = if action.get("drew").is_some() { other(&action["drew"]) } else { json!("3H") };
                let Ok(record) = serde_json::from_value::<Record>(changed) else {
                    panic!("{name}: a card was changed to a card");
                };
                let found = verify(&record).expect_err("another card drawn");
                assert_eq!((found.round, found.action), (Some(number), place.action), "{name}: {found}");
            }
        }
    }
}

#[test]
fn a_changed_score_is_found_in_its_round() {
    for (name, text) in RECORDS {
        let record: Value = serde_json::from_str(text).expect(name);
        for (i, round) in rounds(&record).iter().enumerate() {
            let place = Place { round: u16::try_from(i).expect("few") + 1, action: None };
            for list in ["points", "scores", "totals"] {
                for seat in 0..length(&round["result"][list]) {
                    let mut changed = record.clone();
                    let value = &mut changed["rounds"][i]["result"][list][seat];
                    *value = json!(value.as_i64().expect("a number") + 1);
                    check(changed, &place, &format!("{name}: {list} of seat {seat}"));
                }
            }
            for list in ["reduced", "out"] {
                let mut changed = record.clone();
                let seats = changed["rounds"][i]["result"][list].as_array_mut().expect("seats");
                if seats.pop().is_none() {
                    seats.push(json!(0));
                }
                check(changed, &place, &format!("{name}: {list}"));
            }
            let mut changed = record.clone();
            changed["rounds"][i]["starter"] = json!((round["starter"].as_u64().expect("a seat") + 1) % 2);
            check(changed, &place, &format!("{name}: starter"));
            let mut changed = record.clone();
            changed["rounds"][i]["result"] = Value::Null;
            check(changed, &place, &format!("{name}: no result"));
        }
    }
}

#[test]
fn a_changed_action_is_found_there_or_later_in_its_round() {
    let instead = ["call", "resign", "3H+#", "KDKS+#", "pass", "nonsense", "give"];
    for (name, text) in RECORDS {
        let record: Value = serde_json::from_str(text).expect(name);
        for (i, round) in rounds(&record).iter().enumerate().step_by(4) {
            let number = u16::try_from(i).expect("few") + 1;
            for (j, action) in round["actions"].as_array().expect("actions").iter().enumerate() {
                let text = instead[(i + j) % instead.len()];
                let same = action["action"] == json!(text)
                    || (text == "call" && action["action"].as_str().is_some_and(|a| a.starts_with("call")));
                if same {
                    continue;
                }
                let place = Place { round: number, action: Some(j) };
                let mut changed = record.clone();
                changed["rounds"][i]["actions"][j]["action"] = json!(text);
                check(changed, &place, &format!("{name}: {text} for {action}"));
                if action["action"] == json!("stay") {
                    continue; // Without a "stay" the record may still be right: another accepted.
                }
                let mut changed = record.clone();
                changed["rounds"][i]["actions"].as_array_mut().expect("actions").remove(j);
                check(changed, &place, &format!("{name}: without {action}"));
            }
        }
    }
}

#[test]
fn a_record_that_is_cut_short_or_changed_as_a_whole_is_refused() {
    for (name, text) in RECORDS {
        let record: Value = serde_json::from_str(text).expect(name);
        let change = |change: &dyn Fn(&mut Value)| {
            let mut changed = record.clone();
            change(&mut changed);
            serde_json::from_value::<Record>(changed).map(|record| verify(&record))
        };
        let last = rounds(&record).len() - 1;
        let changes: [&dyn Fn(&mut Value); 9] = [
            &|r| r["format"] = json!("yaniv-record/2"),
            &|r| r["match_id"] = json!("another"),
            &|r| r["match_id"] = json!("a\nb"),
            &|r| r["rules"]["hand_size"] = json!(4),
            &|r| r["players"][0]["client_seed"] = json!("mine"),
            &|r| r["players"][0]["seat"] = json!(1),
            &|r| r["result"]["winner"] = Value::Null,
            &|r| r["result"]["ranking"][0] = json!(9),
            &|r| r["rounds"] = json!([]),
        ];
        for (i, changed) in changes.iter().enumerate() {
            assert!(!matches!(change(changed), Ok(Ok(()))), "{name}: change {i}");
        }
        let cut = change(&|r| {
            r["rounds"].as_array_mut().map(Vec::pop);
        });
        assert!(matches!(cut, Ok(Err(_))), "{name}: without the last round");
        let no_seed = change(&|r| r["rounds"][last]["seed"] = Value::Null);
        assert!(matches!(no_seed, Ok(Err(_))), "{name}: without the last seed");
    }
}

#[test]
fn what_does_not_hold_is_said_with_its_place() {
    let say = |round, action| Discrepancy { round, action, what: "the totals".to_owned() }.to_string();
    assert_eq!(say(None, None), "the totals");
    assert_eq!(say(Some(3), None), "round 3: the totals");
    assert_eq!(say(Some(3), Some(0)), "round 3, action 0: the totals");
}
