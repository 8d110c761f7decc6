//! The worked examples of the specification, through `analyze_line`: inputs and expected outputs.

use serde_json::{Value, json};
use yaniv_engine::analyze_line;

#[test]
fn every_example_is_answered_as_the_specification_says() {
    let examples = include_str!("../data/examples.jsonl");
    let mut wrong = Vec::new();
    for line in examples.lines() {
        let example: Value = serde_json::from_str(line).expect("an example is JSON");
        let mut answer: Value =
            serde_json::from_str(&analyze_line(&example["in"].to_string())).expect("JSON");
        if let Some(error) = answer.get_mut("error").and_then(Value::as_object_mut) {
            assert!(
                error.remove("detail").is_some_and(|detail| detail.as_str().is_some_and(|d| !d.is_empty()))
            );
        }
        if answer != example["out"] {
            wrong.push(json!({"name": example["name"], "expected": example["out"], "answer": answer}));
        }
    }
    assert_eq!(examples.lines().count(), 72);
    assert!(wrong.is_empty(), "{} of 72 differ: {wrong:#?}", wrong.len());
}
