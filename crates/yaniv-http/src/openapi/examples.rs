//! Generates examples of responses from the examples in the schemas, so that they cannot contradict the schemas.

use serde_json::{Map, Value, json};

/// Deepest nesting of references.
const DEPTH: u32 = 16;

/// Adds an example to every JSON response of an operation that has none.
pub(crate) fn add_examples(operation: &mut Value, schemas: &Map<String, Value>) {
    let responses = operation.get_mut("responses").and_then(Value::as_object_mut);
    for (_, response) in responses.into_iter().flatten() {
        let Some(content) = response.pointer_mut("/content/application~1json") else { continue };
        let Some(content) = content.as_object_mut() else { continue };
        let example = content.get("schema").map(|schema| example(schema, schemas, DEPTH));
        if let Some(example) = example {
            content.entry("example").or_insert(example);
        }
    }
}

fn example(schema: &Value, schemas: &Map<String, Value>, depth: u32) -> Value {
    if depth == 0 {
        return Value::Null;
    }
    if let Some(given) = schema.get("example").or_else(|| schema.get("examples")?.get(0)) {
        return given.clone();
    }
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let name = reference.rsplit('/').next().unwrap_or_default();
        return schemas.get(name).map_or(Value::Null, |schema| example(schema, schemas, depth - 1));
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("object") => {
            let fields = schema.get("properties").and_then(Value::as_object);
            let fields = fields.into_iter().flatten();
            fields.map(|(name, field)| (name.clone(), example(field, schemas, depth - 1))).collect()
        }
        Some("array") => {
            let item = schema.get("items").map(|items| example(items, schemas, depth - 1));
            Value::Array(item.into_iter().filter(|item| !item.is_null() && *item != json!("")).collect())
        }
        Some("string") => text(schema),
        Some("integer") => schema.get("minimum").cloned().unwrap_or_else(|| json!(0)),
        Some("boolean") => json!(false),
        _ => Value::Null,
    }
}

fn text(schema: &Value) -> Value {
    match schema.get("format").and_then(Value::as_str) {
        Some("uuid") => json!("0193aa00-0000-7000-8000-000000000001"),
        Some("date-time") => json!("2026-11-21T08:00:00Z"),
        _ => match schema.get("enum").and_then(|values| values.get(0)) {
            Some(first) => first.clone(),
            None => json!(""),
        },
    }
}
