//! Schemas of the document, made strict: undocumented fields are errors.

use std::collections::HashMap;
use std::sync::Arc;

use jsonschema::Validator;
use serde_json::{Map, Value, json};

/// The components that schemas refer to.
pub(crate) struct Schemas {
    components: Value,
    is_time: fn(&str) -> bool,
    /// Cache of validators by the schema's text: the same few schemas occur in many places.
    made: HashMap<String, Arc<Validator>>,
}

impl Schemas {
    /// The components of a document, with a check for the format `date-time`.
    pub(crate) fn new(document: &Value, is_time: fn(&str) -> bool) -> Self {
        let schemas = document.pointer("/components/schemas").cloned().unwrap_or_default();
        Self { components: strict(&schemas), is_time, made: HashMap::new() }
    }

    /// The validator of a schema of the document.
    ///
    /// # Errors
    /// If it is not a valid schema.
    pub(crate) fn validator(&mut self, schema: &Value) -> Result<Arc<Validator>, String> {
        let text = schema.to_string();
        if let Some(made) = self.made.get(&text) {
            return Ok(Arc::clone(made));
        }
        let mut root = strict(schema);
        if let Some(fields) = root.as_object_mut() {
            let named = self.components.clone();
            fields.insert("components".to_owned(), json!({"schemas": named}));
        }
        let options = jsonschema::options().should_validate_formats(true);
        let made = options.with_format("date-time", self.is_time).build(&root);
        let made = Arc::new(made.map_err(|error| format!("{text}: {error}"))?);
        self.made.insert(text, Arc::clone(&made));
        Ok(made)
    }
}

/// A time as a request may contain it: RFC 3339. Only its form is checked; the service validates the rest.
pub(crate) fn is_any_time(text: &str) -> bool {
    has_form(text, "0000-00-00T00:00:00") && (text.ends_with('Z') || text.contains(['+', '-']))
}

/// A time as all answers print it: UTC, with microseconds.
pub(crate) fn is_printed_time(text: &str) -> bool {
    text.len() == 27 && has_form(text, "0000-00-00T00:00:00.000000Z")
}

/// Whether a text begins with this form, in which 0 stands for any digit.
fn has_form(text: &str, form: &str) -> bool {
    let fits = |(wanted, given): (u8, u8)| wanted == given || (wanted == b'0' && given.is_ascii_digit());
    text.len() >= form.len() && form.bytes().zip(text.bytes()).all(fits)
}

/// Clients ignore unknown fields, so that fields can be added, and unknown values of open lists; tests do not.
fn strict(schema: &Value) -> Value {
    match schema {
        Value::Object(fields) => {
            let mut fields: Map<String, Value> =
                fields.iter().map(|(name, value)| (name.clone(), strict(value))).collect();
            if fields.get("type") == Some(&json!("object")) && fields.contains_key("properties") {
                fields.entry("additionalProperties").or_insert(json!(false));
            }
            if let Some(values) = fields.remove("x-extensible-enum") {
                fields.insert("enum".to_owned(), values);
            }
            Value::Object(fields)
        }
        Value::Array(items) => items.iter().map(strict).collect(),
        _ => schema.clone(),
    }
}

/// The first mismatch of a value, with its location.
///
/// # Errors
/// The mismatch, in words.
pub(crate) fn check(validator: &Validator, value: &Value) -> Result<(), String> {
    validator.validate(value).map_err(|error| format!("{} at {}", error, error.instance_path()))
}
