//! The JSON Schemas of the files that the API answers: records and exports.

use serde_json::{Map, Value};

use crate::openapi;

const RECORD: &str = include_str!("docs/record.schema.json");
const EXPORT: &str = include_str!("docs/export.schema.json");
/// Where a schema refers to others.
const DEFS: &str = "#/$defs/";

/// The schema of a record.
pub(crate) fn record_schema() -> Vec<u8> {
    RECORD.as_bytes().to_vec()
}

/// The schema of an export, with those of the OpenAPI document that it refers to, and that of a record.
pub(crate) fn export_schema() -> Vec<u8> {
    let mut schema: Value = serde_json::from_str(EXPORT).unwrap_or_default();
    let mut record: Value = serde_json::from_str(RECORD).unwrap_or_default();
    let parts = record.as_object_mut().and_then(|record| record.shift_remove("$defs"));
    let Some(Value::Object(mut defs)) = parts else { return Vec::new() };
    defs.insert("Record".to_owned(), record);
    let document = openapi::declared();
    let none = Map::new();
    let named = document.pointer("/components/schemas").and_then(Value::as_object).unwrap_or(&none);
    loop {
        let text = format!("{schema}{}", Value::Object(defs.clone()));
        let names = text.split(DEFS).skip(1).filter_map(|rest| rest.split('"').next());
        let missing: Vec<&str> = names.filter(|name| !defs.contains_key(*name)).collect();
        if missing.is_empty() {
            break;
        }
        for name in missing {
            defs.insert(name.to_owned(), named.get(name).map(part).unwrap_or_default());
        }
    }
    if let Some(fields) = schema.as_object_mut() {
        fields.insert("$defs".to_owned(), Value::Object(defs));
    }
    serde_json::to_vec(&schema).unwrap_or_default()
}

/// A schema of the document as a part of that of an export, which leaves out `server_time`.
fn part(schema: &Value) -> Value {
    let text = schema.to_string().replace("#/components/schemas/", DEFS);
    let mut schema: Value = serde_json::from_str(&text).unwrap_or_default();
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|name| name != "server_time");
    }
    schema
}
