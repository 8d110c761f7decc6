//! One operation: its parameters, body and answers.

use std::sync::Arc;

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::schemas::{Schemas, check};
use crate::{Exchange, PROBLEM, header, json};

/// Headers of answers that clients rely on; they must be documented wherever they occur.
const RELIED_ON: [&str; 9] = [
    "content-disposition",
    "etag",
    "idempotency-replayed",
    "location",
    "ratelimit",
    "ratelimit-policy",
    "retry-after",
    "www-authenticate",
    "x-request-id",
];
/// Those that an answer may omit.
const OPTIONAL: [&str; 1] = ["idempotency-replayed"];

/// An operation of the document.
pub(crate) struct Operation {
    method: String,
    path: Vec<String>,
    parameters: Vec<Parameter>,
    body: Option<Arc<Validator>>,
    answers: Vec<Answer>,
}

struct Parameter {
    name: String,
    place: String,
    is_number: bool,
    is_flag: bool,
    schema: Arc<Validator>,
}

struct Answer {
    status: u16,
    /// Media type and schema.
    content: Option<(String, Arc<Validator>)>,
    codes: Vec<String>,
    /// Names in lower case.
    headers: Vec<String>,
}

impl Operation {
    /// Reads an operation.
    ///
    /// # Errors
    /// If one of its schemas cannot be read.
    pub(crate) fn read(
        method: &str,
        path: &str,
        operation: &Value,
        requests: &mut Schemas,
        schemas: &mut Schemas,
    ) -> Result<Self, String> {
        let list = |name: &str| operation.get(name).and_then(Value::as_array).into_iter().flatten();
        let parameters: Result<_, _> =
            list("parameters").map(|parameter| Parameter::read(parameter, requests)).collect();
        let body = operation.pointer("/requestBody/content/application~1json/schema");
        let answers = operation.get("responses").and_then(Value::as_object).into_iter().flatten();
        let answers: Result<_, _> =
            answers.map(|(status, answer)| Answer::read(status, answer, schemas)).collect();
        Ok(Self {
            method: method.to_uppercase(),
            path: path.split('/').map(str::to_owned).collect(),
            parameters: parameters?,
            body: body.map(|schema| requests.validator(schema)).transpose()?,
            answers: answers?,
        })
    }

    /// Whether a request matches this operation.
    pub(crate) fn is(&self, method: &str, path: &str) -> bool {
        let segments: Vec<&str> = path.split('/').collect();
        let fits = |(wanted, given): (&String, &&str)| {
            wanted == given || (wanted.starts_with('{') && !given.is_empty())
        };
        method == self.method
            && segments.len() == self.path.len()
            && self.path.iter().zip(&segments).all(fits)
    }

    /// Checks an exchange against it.
    ///
    /// # Errors
    /// What is not documented.
    pub(crate) fn check(&self, exchange: &Exchange<'_>) -> Result<(), String> {
        let documented = self.answers.iter().find(|answer| answer.status == exchange.status);
        documented.ok_or("the status is not documented")?.check(exchange)?;
        if exchange.status < 300 { self.check_request(exchange) } else { Ok(()) }
    }

    /// An accepted request must be allowed by the document.
    fn check_request(&self, exchange: &Exchange<'_>) -> Result<(), String> {
        match (&self.body, exchange.request.filter(|body| !body.is_empty())) {
            (Some(schema), Some(body)) => {
                check(schema, &json(body)?).map_err(|wrong| format!("accepted: {wrong}"))?
            }
            (None, Some(body)) if json(body)? != json!({}) => {
                return Err("accepted a body that is not documented".to_owned());
            }
            _ => {}
        }
        let (path, query) = exchange.target.split_once('?').unwrap_or((exchange.target, ""));
        let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        let mut given: Vec<(&str, &str, &str)> = pairs.map(|(name, value)| ("query", name, value)).collect();
        for (wanted, value) in self.path.iter().zip(path.split('/')) {
            if let Some(name) = wanted.strip_prefix('{') {
                given.push(("path", name.trim_end_matches('}'), value));
            }
        }
        given.extend(exchange.sent.iter().map(|(name, value)| ("header", name.as_str(), value.as_str())));
        given.into_iter().try_for_each(|(place, name, value)| self.check_parameter(place, name, value))
    }

    fn check_parameter(&self, place: &str, name: &str, value: &str) -> Result<(), String> {
        let documented = self
            .parameters
            .iter()
            .find(|parameter| parameter.place == place && parameter.name.eq_ignore_ascii_case(name));
        let Some(parameter) = documented else {
            // Undocumented headers of a request are ignored.
            return if place == "header" {
                Ok(())
            } else {
                Err(format!("accepted: the {place} has no {name}"))
            };
        };
        let number = value.parse::<i64>().ok().filter(|_| parameter.is_number).map(|number| json!(number));
        let flag = value.parse::<bool>().ok().filter(|_| parameter.is_flag).map(|flag| json!(flag));
        let value = number.or(flag).unwrap_or_else(|| json!(value));
        check(&parameter.schema, &value).map_err(|wrong| format!("accepted: {name}: {wrong}"))
    }
}

impl Parameter {
    fn read(parameter: &Value, schemas: &mut Schemas) -> Result<Self, String> {
        let text = |name: &str| parameter.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let schema = parameter.get("schema").unwrap_or(&Value::Null);
        Ok(Self {
            name: text("name"),
            place: text("in"),
            is_number: schema.get("type") == Some(&json!("integer")),
            is_flag: schema.get("type") == Some(&json!("boolean")),
            schema: schemas.validator(schema)?,
        })
    }
}

impl Answer {
    fn read(status: &str, answer: &Value, schemas: &mut Schemas) -> Result<Self, String> {
        let content =
            answer.get("content").and_then(Value::as_object).and_then(|content| content.iter().next());
        let content = content.map(|(media, content)| {
            let schema = content.get("schema").unwrap_or(&Value::Null);
            schemas.validator(schema).map(|schema| (media.clone(), schema))
        });
        let codes = answer.get("x-problem-codes").and_then(Value::as_array).into_iter().flatten();
        let headers = answer.get("headers").and_then(Value::as_object).into_iter().flatten();
        Ok(Self {
            status: status.parse().map_err(|_| format!("{status} is no status"))?,
            content: content.transpose()?,
            codes: codes.filter_map(Value::as_str).map(str::to_owned).collect(),
            headers: headers.map(|(name, _)| name.to_lowercase()).collect(),
        })
    }

    fn check(&self, exchange: &Exchange<'_>) -> Result<(), String> {
        for name in RELIED_ON {
            let (given, documented) = (
                header(&exchange.received, name).is_some(),
                self.headers.iter().any(|header| header == name),
            );
            if given && !documented {
                return Err(format!("the header {name} is not documented"));
            }
            // Of the reasons for 403 only a missing scope has it.
            let optional = OPTIONAL.contains(&name) || (self.status, name) == (403, "www-authenticate");
            if documented && !given && !optional {
                return Err(format!("the header {name} is missing"));
            }
        }
        let Some((media, schema)) = &self.content else {
            return if exchange.answer.is_empty() {
                Ok(())
            } else {
                Err("a body that is not documented".to_owned())
            };
        };
        let given = header(&exchange.received, "content-type").unwrap_or_default();
        if given != media {
            return Err(format!("{given} instead of {media}"));
        }
        let is_json = media == "application/json" || media.ends_with("+json");
        let body = if is_json {
            json(exchange.answer)?
        } else {
            Value::from(String::from_utf8_lossy(exchange.answer).into_owned())
        };
        check(schema, &body)?;
        let code = body.get("code").and_then(Value::as_str).unwrap_or_default();
        if media == PROBLEM && !self.codes.iter().any(|documented| documented == code) {
            return Err(format!("the code {code} is not documented"));
        }
        Ok(())
    }
}
