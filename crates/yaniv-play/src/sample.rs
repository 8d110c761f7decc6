//! A view for tests: the example of the API's document, with what a test is about put into it.

use serde_json::Value;
use yaniv_client::types::Match;

/// The document, which is read as it is committed.
const DOCUMENT: &str = include_str!("../../../openapi/yaniv-3.0.json");

/// The example of `getMatch` with these fields in place of its own; those of objects are put in one by one.
pub(crate) fn view(changes: Value) -> Match {
    let document: Value = serde_json::from_str(DOCUMENT).unwrap();
    let responses = &document["paths"]["/v1/matches/{match_id}"]["get"]["responses"];
    let mut example = responses["200"]["content"]["application/json"]["example"].clone();
    merge(&mut example, changes);
    serde_json::from_value(example).unwrap()
}

fn merge(into: &mut Value, changes: Value) {
    match (into, changes) {
        (Value::Object(into), Value::Object(changes)) => {
            for (name, value) in changes {
                merge(into.entry(name).or_insert(Value::Null), value);
            }
        }
        (into, value) => *into = value,
    }
}
