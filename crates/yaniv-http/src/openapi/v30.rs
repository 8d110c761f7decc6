//! The document as OpenAPI 3.0.3, derived from the one of 3.1: for generators that do not read 3.1.
//!
//! The document has no unions, nulls or tuples, so that little differs: where examples of schemas stand, how a licence
//! is named, and that nothing may stand beside a reference.

use serde_json::{Map, Value, json};

/// Where the text of a licence is; 3.0 has no identifiers of them.
const LICENCES: &str = "https://spdx.org/licenses/";

/// The same document in the older form.
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
        // Of a schema; media types have an object of examples.
        Value::Array(examples) if name == "examples" => {
            ("example".to_owned(), examples.first().cloned().unwrap_or_default())
        }
        _ => (name.clone(), older(value)),
    });
    older.collect()
}
