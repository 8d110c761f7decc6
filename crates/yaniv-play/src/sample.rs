//! Test fixture: the example view of the OpenAPI document, with changes.

use serde_json::Value;
use yaniv_client::types::Match;

/// The committed document.
const DOCUMENT: &str = include_str!("../../../openapi/yaniv-3.0.json");

/// The example of `getMatch` with these fields replaced; objects are merged.
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
