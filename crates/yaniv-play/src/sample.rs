//! Test fixture: the example view of the OpenAPI document, with changes.

use std::sync::Arc;

use serde_json::Value;
use yaniv_client::View;

/// The committed document.
const DOCUMENT: &str = include_str!("../../../openapi/yaniv-3.0.json");

/// The example of `getMatch` with these fields replaced; objects are merged. `rules` are those of the settings.
pub(crate) fn view(mut changes: Value) -> View {
    let document: Value = serde_json::from_str(DOCUMENT).unwrap();
    let mut settings = example(&document, "/v1/matches/{match_id}/settings");
    let rules = changes.as_object_mut().and_then(|changes| changes.remove("rules"));
    merge(&mut settings["rules"], rules.unwrap_or_else(|| Value::Object(serde_json::Map::new())));
    let mut view = example(&document, "/v1/matches/{match_id}");
    merge(&mut view, changes);
    let settings = Arc::new(serde_json::from_value(settings).unwrap());
    View { state: serde_json::from_value(view).unwrap(), settings }
}

/// The example of what a path answers. One that several operations have is among the components.
fn example(document: &Value, path: &str) -> Value {
    let content = &document["paths"][path]["get"]["responses"]["200"]["content"]["application/json"];
    let shared = || {
        let named = content["examples"].as_object()?.values().next()?;
        document.pointer(named["$ref"].as_str()?.strip_prefix('#')?)?.get("value")
    };
    content.get("example").or_else(shared).unwrap().clone()
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
