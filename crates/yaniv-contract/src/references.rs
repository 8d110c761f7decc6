//! References of a document to its shared responses, headers, parameters and examples.

use serde_json::{Map, Value};

/// Schemas may contain themselves, so references to them stay.
const SCHEMAS: &str = "#/components/schemas/";

/// The document with the shared parts in the places that refer to them. Only references to schemas are left.
#[must_use]
pub fn resolved(document: &Value) -> Value {
    let Some(fields) = document.as_object() else { return document.clone() };
    fields.iter().map(|(name, value)| (name.clone(), resolve(value, document))).collect::<Map<_, _>>().into()
}

fn resolve(value: &Value, document: &Value) -> Value {
    match value {
        Value::Object(fields) => match shared(fields, document) {
            Some(shared) => resolve(shared, document),
            None => fields.iter().map(|(name, value)| member(name, resolve(value, document))).collect(),
        },
        Value::Array(items) => items.iter().map(|item| resolve(item, document)).collect(),
        _ => value.clone(),
    }
}

/// A shared example is the only one of `examples`; in its place it is the `example`.
fn member(name: &str, value: Value) -> (String, Value) {
    let only = value.as_object().filter(|examples| name == "examples" && examples.len() == 1);
    match only.and_then(|examples| examples.values().next()?.get("value")) {
        Some(example) => ("example".to_owned(), example.clone()),
        None => (name.to_owned(), value),
    }
}

/// What an object refers to.
fn shared<'a>(fields: &Map<String, Value>, document: &'a Value) -> Option<&'a Value> {
    let reference = fields.get("$ref")?.as_str().filter(|reference| !reference.starts_with(SCHEMAS))?;
    document.pointer(reference.strip_prefix('#')?)
}
