//! Checks the document's examples against their schemas.

use serde_json::Value;

use crate::resolved;
use crate::schemas::{Schemas, check};

/// The examples that do not match their schemas: where, and why.
///
/// # Errors
/// If a schema cannot be read.
pub fn wrong_examples(document: &Value) -> Result<Vec<String>, String> {
    let mut schemas = Schemas::new(document, crate::schemas::is_any_time);
    let mut wrong = Vec::new();
    look("", &resolved(document), &mut schemas, &mut wrong)?;
    Ok(wrong)
}

fn look(place: &str, value: &Value, schemas: &mut Schemas, wrong: &mut Vec<String>) -> Result<(), String> {
    if let Value::Object(fields) = value {
        // In a body or parameter, the example is beside the schema; in a schema, within it.
        let beside =
            fields.get("schema").zip(fields.get("example")).map(|(schema, example)| (schema, vec![example]));
        let within = fields.get("examples").and_then(Value::as_array);
        let within =
            within.filter(|_| fields.contains_key("type")).map(|examples| (value, examples.iter().collect()));
        for (schema, examples) in beside.into_iter().chain(within) {
            let schema = schemas.validator(schema)?;
            let found = examples.into_iter().filter_map(|example| check(&schema, example).err());
            wrong.extend(found.map(|error| format!("{place}: {error}")));
        }
    }
    match value {
        Value::Object(fields) => fields
            .iter()
            .filter(|(name, _)| !["example", "examples"].contains(&name.as_str()))
            .try_for_each(|(name, value)| look(&format!("{place}/{name}"), value, schemas, wrong)),
        Value::Array(items) => items.iter().try_for_each(|item| look(place, item, schemas, wrong)),
        _ => Ok(()),
    }
}
