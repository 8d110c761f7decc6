//! `analyze` on any line: the answer is JSON, and listed actions can be played. Counts of action sequences are tested
//! elsewhere: each may take up to a second.
#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use yaniv_engine::{Code, Position, analyze_line};

fuzz_target!(|bytes: &[u8]| {
    let line = String::from_utf8_lossy(bytes);
    let mut request: Value = match serde_json::from_str(&line) {
        // The worked examples of the engine's tests have the line under this name, so they can be used as inputs.
        Ok(Value::Object(mut request)) => request.remove("in").unwrap_or(Value::Object(request)),
        _ => {
            check(&answer(&line));
            return;
        }
    };
    if !request.is_object() {
        check(&answer(&request.to_string()));
        return;
    }
    if request.get("perft").and_then(Value::as_u64).is_some_and(|depth| depth > 1) {
        request["perft"] = json!(1);
    }
    let first = answer(&request.to_string());
    check(&first);
    let Some(legal) = first["legal"].as_array() else {
        return;
    };
    // The position in the answer is valid input again, unless the round is over, and gets the same answer.
    let position: Position = serde_json::from_value(first["position"].clone()).expect("a position");
    if position.phase.as_deref() != Some("over") {
        let again = answer(&json!({"rules": request["rules"], "position": position}).to_string());
        let nothing_left =
            position.pile.is_empty() && position.stock.is_empty() && position.buried.is_empty();
        if !nothing_left {
            assert_eq!(again["legal"], first["legal"], "{line}\n{first}\n{again}");
            assert_eq!(again["position"], first["position"], "{line}");
        }
    }
    for action in legal.iter().step_by(1 + legal.len() / 8) {
        let mut next = json!({"rules": request["rules"], "position": request["position"]});
        let mut actions = request["actions"].as_array().cloned().unwrap_or_default();
        actions.push(action.clone());
        next["actions"] = Value::Array(actions);
        let after = answer(&next.to_string());
        assert!(after.get("error").is_none(), "{line}\n{action} is listed, but {after}");
    }
});

fn answer(line: &str) -> Value {
    serde_json::from_str(&analyze_line(line)).expect("an answer is JSON")
}

fn check(answer: &Value) {
    if let Some(error) = answer.get("error") {
        let code = error["code"].as_str().expect("a code");
        assert!(Code::ALL.iter().any(|known| known.as_str() == code));
    }
}
