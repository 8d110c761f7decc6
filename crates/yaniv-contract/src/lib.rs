//! Checks requests and answers against the OpenAPI document.
//!
//! An answer must be documented: its status, media type, every field of its body, its problem code, and the headers
//! that clients rely on. An accepted request must be one that the document allows.

mod examples;
pub mod leaks;
mod operation;
mod references;
mod schemas;

use std::sync::Arc;

use serde_json::Value;

pub use examples::wrong_examples;
pub use references::resolved;

use operation::Operation;
use schemas::{Schemas, is_any_time, is_printed_time};

/// Media type of problems.
const PROBLEM: &str = "application/problem+json";
/// Paths outside of the document: the document itself and the page that shows it.
const BESIDE: [&str; 3] = ["/openapi.json", "/openapi-3.0.json", "/docs"];

/// A request and its answer, as sent over the wire.
#[derive(Clone, Debug)]
pub struct Exchange<'a> {
    /// Method of the request, in upper case.
    pub method: &'a str,
    /// Path with the query.
    pub target: &'a str,
    /// Headers of the request, names in lower case.
    pub sent: Vec<(String, String)>,
    /// Body of the request.
    pub request: Option<&'a [u8]>,
    /// Status of the answer.
    pub status: u16,
    /// Headers of the answer, names in lower case.
    pub received: Vec<(String, String)>,
    /// Body of the answer.
    pub answer: &'a [u8],
}

/// The compiled document.
pub struct Contract {
    operations: Vec<Operation>,
    problem: Arc<jsonschema::Validator>,
}

impl Contract {
    /// Reads an OpenAPI 3.1 document.
    ///
    /// # Errors
    /// If a schema cannot be read, or the document has no `Problem`.
    pub fn new(document: &Value) -> Result<Self, String> {
        let document = resolved(document);
        let mut schemas = Schemas::new(&document, is_printed_time);
        let mut requests = Schemas::new(&document, is_any_time);
        let mut operations = Vec::new();
        let paths = document.get("paths").and_then(Value::as_object);
        for (path, item) in paths.into_iter().flatten() {
            for (method, operation) in item.as_object().into_iter().flatten() {
                operations.push(Operation::read(method, path, operation, &mut requests, &mut schemas)?);
            }
        }
        let problem = schemas.validator(&serde_json::json!({"$ref": "#/components/schemas/Problem"}))?;
        Ok(Self { operations, problem })
    }

    /// Checks an exchange against the document.
    ///
    /// # Errors
    /// The undocumented part, in words.
    pub fn check(&self, exchange: &Exchange<'_>) -> Result<(), String> {
        let path = exchange.target.split('?').next().unwrap_or_default();
        if BESIDE.iter().any(|beside| path.starts_with(beside)) {
            return Ok(());
        }
        let found = self.operations.iter().find(|operation| operation.is(exchange.method, path));
        let checked = match found {
            Some(operation) => operation.check(exchange),
            None => self.check_fallback(exchange),
        };
        checked.map_err(|wrong| {
            let Exchange { method, target, status, .. } = exchange;
            format!("{method} {target} → {status}: {wrong}\n{}", String::from_utf8_lossy(exchange.answer))
        })
    }

    /// Other paths get 404, or 405 with the allowed methods.
    fn check_fallback(&self, exchange: &Exchange<'_>) -> Result<(), String> {
        let code = match exchange.status {
            404 => "not_found",
            405 if header(&exchange.received, "allow").is_some() => "method_not_allowed",
            _ => return Err("no operation, and neither 404 nor 405 with Allow".to_owned()),
        };
        if exchange.method == "HEAD" {
            return Ok(());
        }
        let body = json(exchange.answer)?;
        schemas::check(&self.problem, &body)?;
        if body.get("code").and_then(Value::as_str) == Some(code) {
            Ok(())
        } else {
            Err(format!("not the code {code}"))
        }
    }
}

/// Checks a value against a JSON Schema, whose unknown fields are errors.
///
/// # Errors
/// The first mismatch, or what is wrong with the schema.
pub fn check_file(schema: &Value, value: &Value) -> Result<(), String> {
    let validator = Schemas::new(&Value::Null, is_any_time).validator(schema)?;
    schemas::check(&validator, value)
}

/// A header's value.
fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
}

fn json(body: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(body).map_err(|error| format!("no JSON: {error}"))
}
