//! Records from bytes, and valid records with a change: verification never panics, and a change of meaning is always
//! detected.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use yaniv_engine::{Record, verify};

#[expect(dead_code, reason = "the tests need more of it")]
#[path = "../../crates/yaniv-engine/tests/it/support.rs"]
mod support;
mod tape;

use support::Choose;
use tape::Tape;

static RECORDS: LazyLock<Vec<Value>> = LazyLock::new(|| {
    let texts = [
        include_str!("../../crates/yaniv-engine/tests/data/records/kluft-4.json"),
        include_str!("../../crates/yaniv-engine/tests/data/records/everything-3.json"),
        include_str!("../../crates/yaniv-engine/tests/data/records/speedy-2.json"),
    ];
    texts.iter().map(|text| serde_json::from_str(text).expect("JSON")).collect()
});

fuzz_target!(|bytes: &[u8]| {
    if let Ok(record) = serde_json::from_slice::<Record>(bytes) {
        let _holds = verify(&record);
        let text = serde_json::to_string(&record).expect("JSON");
        assert_eq!(serde_json::from_str::<Record>(&text).expect("as written"), record);
        return;
    }
    let mut tape = Tape(bytes);
    let original = tape.pick(&RECORDS);
    let mut changed = original.clone();
    for _ in 0..=tape.below(3) {
        change(&mut changed, &mut tape);
    }
    let (Ok(before), Ok(after)) =
        (serde_json::from_value::<Record>(original), serde_json::from_value::<Record>(changed))
    else {
        return;
    };
    if verify(&after).is_ok() {
        // An equivalent form, or an unverifiable part: then cards and scores are the same.
        let facts = |record: &Record| -> Vec<_> {
            let round = |round: &yaniv_engine::RecordRound| {
                (round.seed, round.starter, round.hands.clone(), round.upcard, round.result.clone())
            };
            record.rounds.iter().map(round).collect()
        };
        let (before_facts, after_facts) = (facts(&before), facts(&after));
        assert_eq!(after.commitment, before.commitment);
        assert_eq!(after.match_id, before.match_id);
        // A running match reveals less.
        let known = after_facts.iter().filter(|round| round.0.is_some()).count();
        assert_eq!(after_facts.get(..known), before_facts.get(..known), "{after:?}");
    }
});

/// Descends from the top, guided by the bytes, and changes the value that it reaches.
fn change(value: &mut Value, tape: &mut Tape<'_>) {
    match value {
        Value::Array(list) if !list.is_empty() && !tape.one_in(6) => {
            let at = tape.below(list.len());
            if let Some(next) = list.get_mut(at) {
                change(next, tape);
            }
        }
        Value::Object(map) if !map.is_empty() && !tape.one_in(12) => {
            let at = tape.below(map.len());
            if let Some(next) = map.values_mut().nth(at) {
                change(next, tape);
            }
        }
        Value::Array(list) => match (tape.below(3), list.len()) {
            (0, 1..) => {
                list.remove(tape.below(list.len()));
            }
            (1, 1..) => list.push(list[tape.below(list.len())].clone()),
            (_, 2..) => {
                let (one, other) = (tape.below(list.len()), tape.below(list.len()));
                list.swap(one, other);
            }
            _ => list.push(json!(0)),
        },
        Value::Number(number) => *value = json!(number.as_i64().unwrap_or(0) + i64::from(tape.byte()) - 100),
        Value::String(text) => {
            let instead =
                ["3H", "call", "pass", "resign", "stay", "expose", "challenge", "keep", "3H+#", "slam"];
            if tape.one_in(2) || text.is_empty() {
                *value = json!(tape.pick(&instead));
            } else {
                let mut bytes = text.clone().into_bytes();
                let at = tape.below(bytes.len());
                bytes[at] = tape.byte() & 0x7f;
                *value = json!(String::from_utf8_lossy(&bytes));
            }
        }
        Value::Bool(flag) => *flag = !*flag,
        other => *other = json!(tape.byte()),
    }
}
