//! Converts the document to OpenAPI 3.0.3, for generators that do not support 3.1.
//!
//! The document has no unions, nulls or tuples, so little differs: examples in schemas, the identifier of the licence,
//! and siblings of `$ref`, which 3.0 forbids.

use serde_json::{Map, Value, json};

/// URL of the licences; 3.0 has no licence identifiers.
const LICENCES: &str = "https://spdx.org/licenses/";

/// The document as 3.0.3.
pub(crate) fn v30(document: &Value) -> Value {
    let mut copy = older(document);
    if let Some(fields) = copy.as_object_mut() {
        fields.insert("openapi".to_owned(), json!("3.0.3"));
    }
    if let Some(licence) = copy.pointer_mut("/info/license").and_then(Value::as_object_mut) {
        licence.remove("identifier");
        licence.insert("url".to_owned(), json!(LICENCES));
    }
    copy
}

fn older(value: &Value) -> Value {
    match value {
        Value::Object(fields) => object(fields),
        Value::Array(items) => items.iter().map(older).collect(),
        _ => value.clone(),
    }
}

fn object(fields: &Map<String, Value>) -> Value {
    if let Some(reference @ Value::String(_)) = fields.get("$ref") {
        return json!({"$ref": reference});
    }
    let older = fields.iter().map(|(name, value)| match value {
        // In a schema; in a media type, `examples` is an object.
        Value::Array(examples) if name == "examples" => {
            ("example".to_owned(), examples.first().cloned().unwrap_or_default())
        }
        _ => (name.clone(), older(value)),
    });
    older.collect()
}
