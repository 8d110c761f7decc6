//! Names of components: of a response by what it is for, so that a new code renames none; of the others by their content.

use actix_web::http::StatusCode;
use serde_json::Value;

/// What an operation is like, as far as the names of its responses depend on it.
pub(crate) struct Sort {
    is_read: bool,
    /// Whether it takes an idempotency key, and requires it.
    key: Option<bool>,
    /// What its path names first: `Match`, `Account`.
    thing: Option<String>,
    /// The limit by which it is counted.
    limit: Option<String>,
}

impl Sort {
    /// The sort of an operation.
    pub(crate) fn of(method: &str, operation: &Value) -> Self {
        let parameters = || operation.get("parameters").and_then(Value::as_array).into_iter().flatten();
        let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        let key = parameters().find(|one| text(one, "name").as_deref() == Some("Idempotency-Key"));
        let thing = parameters().find(|one| text(one, "in").as_deref() == Some("path"));
        let limits = operation.get("x-rate-limits").and_then(Value::as_array);
        Self {
            is_read: method == "get",
            key: key.map(|key| key.get("required") == Some(&Value::Bool(true))),
            thing: thing.and_then(|thing| text(thing, "name")).map(|name| thing_name(&name)),
            limit: limits.and_then(|limits| limits.last()?.as_str()).map(pascal_case),
        }
    }
}

fn thing_name(parameter: &str) -> String {
    match parameter {
        "username" => "Account".to_owned(),
        "code" => "JoinCode".to_owned(),
        other => pascal_case(other.trim_end_matches("_id")),
    }
}

/// The name of a response that operations of a sort share; none if each has its own.
pub(crate) fn response_name(status: &str, sort: &Sort) -> Option<String> {
    let fixed = match (status, sort.key) {
        ("304", _) => "NotModified",
        ("400", None) => "InvalidJson",
        ("400", Some(_)) => "InvalidJsonOrKey",
        ("404", _) => return sort.thing.as_ref().map(|thing| format!("{thing}NotFound")),
        ("409", Some(true)) => "CannotAct",
        ("409", _) => return None,
        ("422", _) if sort.is_read => "InvalidQuery",
        ("422", None) => "InvalidRequest",
        ("422", Some(false)) => "InvalidRequestOrKey",
        ("422", Some(true)) => "InvalidAction",
        ("429", _) => return sort.limit.as_ref().map(|limit| format!("TooMany{limit}")),
        ("503", _) if sort.is_read => "Unavailable",
        ("503", _) => "WriteUnavailable",
        _ => {
            let status: StatusCode = status.parse().ok()?;
            return status.canonical_reason().map(pascal_case);
        }
    };
    Some(fixed.to_owned())
}

/// The name of a parameter. A header that is required differs from one that may be left out.
pub(crate) fn parameter_name(parameter: &Value) -> Option<String> {
    let name = pascal_case(parameter.get("name")?.as_str()?);
    let is = |field: &str, value: Value| parameter.get(field) == Some(&value);
    let required = is("in", "header".into()) && is("required", true.into());
    Some(if required { format!("Required{name}") } else { name })
}

/// The name of an example: its problem code, or else its schema.
pub(crate) fn example_name(media_type: &Value) -> Option<String> {
    let schema = media_type.pointer("/schema/$ref")?.as_str()?.rsplit('/').next()?;
    match media_type.pointer("/example/code").and_then(Value::as_str) {
        Some(code) if schema == "Problem" => Some(pascal_case(code)),
        _ => Some(schema.to_owned()),
    }
}

/// `not_your_turn` and `Not Your Turn` are `NotYourTurn`.
pub(crate) fn pascal_case(words: &str) -> String {
    let mut name = String::new();
    for word in words.split(['_', '-', ' ']) {
        let mut letters = word.chars();
        name.extend(letters.next().map(|letter| letter.to_ascii_uppercase()));
        name.push_str(letters.as_str());
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_response_is_named_by_what_it_is_for() {
        let operation = serde_json::json!({
            "parameters": [
                {"name": "match_id", "in": "path"},
                {"name": "Idempotency-Key", "in": "header", "required": true},
            ],
            "x-rate-limits": ["refused_actions", "actions"],
        });
        let action = Sort::of("post", &operation);
        let names = ["401", "404", "409", "415", "422", "429", "503"];
        let names = names.map(|status| response_name(status, &action).unwrap());
        let expected = [
            "Unauthorized",
            "MatchNotFound",
            "CannotAct",
            "UnsupportedMediaType",
            "InvalidAction",
            "TooManyActions",
            "WriteUnavailable",
        ];
        assert_eq!(names, expected);
        let read = Sort::of("get", &serde_json::json!({}));
        assert_eq!(response_name("422", &read).as_deref(), Some("InvalidQuery"));
        assert_eq!(response_name("404", &read), None);
    }
}
