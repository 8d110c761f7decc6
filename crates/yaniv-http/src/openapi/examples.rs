//! Examples of requests and responses: recorded by `tests/api/story.rs` (`story.json`).
//!
//! A response that the story does not tell has the example of another operation with the same schema, or else one that
//! is composed from the examples in the schema.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use crate::openapi::{members, operations};

/// What each operation was sent and answered.
const STORY: &str = include_str!("story.json");
/// Deepest nesting of references.
const DEPTH: u32 = 16;
/// Longest example of its own that a response has, as JSON. Longer ones are shared by all responses with the schema.
const LONGEST: usize = 1_300;
/// The media type of most bodies.
const JSON: &str = "/content/application~1json";

/// Adds an example to every JSON response that has none, and replaces those of requests by the story's.
pub(crate) fn add_examples(document: &mut Value) {
    let story: Map<String, Value> = serde_json::from_str(STORY).unwrap_or_default();
    let told = by_schema(document, &story);
    let schemas =
        document.pointer("/components/schemas").and_then(Value::as_object).cloned().unwrap_or_default();
    for (_, operation) in operations(document) {
        let own = operation.get("operationId").and_then(|id| story.get(id.as_str()?));
        let sent = own.and_then(|own| own.get("request"));
        if let (Some(sent), Some(body)) = (sent, operation.get_mut("requestBody")) {
            set_example(body, |_| sent.clone());
        }
        for (_, response) in members(operation, "responses") {
            let received = own.and_then(|own| own.get("response"));
            let received = received.filter(|body| body.to_string().len() <= LONGEST);
            set_example(response, |schema| {
                let shared = || told.get(&schema.to_string());
                received.or_else(shared).cloned().unwrap_or_else(|| example(schema, &schemas, DEPTH))
            });
        }
    }
}

/// For each schema of a response, what an operation with it answers: `getMatch` for `Match`, or else the first one.
fn by_schema(document: &mut Value, story: &Map<String, Value>) -> HashMap<String, Value> {
    let mut told = HashMap::new();
    for (_, operation) in operations(document) {
        let Some(id) = operation.get("operationId").and_then(Value::as_str).map(str::to_owned) else {
            continue;
        };
        let Some(received) = story.get(&id).and_then(|own| own.get("response")) else { continue };
        for (_, response) in members(operation, "responses") {
            let Some(schema) = response.pointer(&format!("{JSON}/schema")).map(Value::to_string) else {
                continue;
            };
            if schema.ends_with(&format!("/{}\"}}", id.trim_start_matches("get"))) {
                told.insert(schema, received.clone());
            } else {
                told.entry(schema).or_insert_with(|| received.clone());
            }
        }
    }
    told
}

/// Sets the example of a JSON body, made from its schema.
fn set_example(body: &mut Value, example: impl Fn(&Value) -> Value) {
    let Some(content) = body.pointer_mut(JSON).and_then(Value::as_object_mut) else { return };
    if let Some(example) = content.get("schema").map(example) {
        content.insert("example".to_owned(), example);
    }
}

/// Leaves out the examples of properties: each operation has a whole one.
pub(crate) fn drop_property_examples(document: &mut Value) {
    let schemas = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut);
    for (_, property) in schemas.into_iter().flatten().flat_map(|(_, schema)| members(schema, "properties")) {
        let items = property.get_mut("items").and_then(Value::as_object_mut);
        items.map(|items| items.shift_remove("examples"));
        property.as_object_mut().map(|property| property.shift_remove("examples"));
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
            // What may be left out often must be, as its description says.
            let required = schema.get("required").and_then(Value::as_array);
            let is_required =
                |name: &String| required.is_some_and(|names| names.iter().any(|one| one == name));
            let fields = schema.get("properties").and_then(Value::as_object);
            let fields = fields.into_iter().flatten().filter(|(name, _)| is_required(name));
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
        Some("date-time") => json!("2026-11-21T08:00:00.000000Z"),
        _ => match schema.get("enum").and_then(|values| values.get(0)) {
            Some(first) => first.clone(),
            None => json!(""),
        },
    }
}
