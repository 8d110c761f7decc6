//! Names of components, derived from their content.

use actix_web::http::StatusCode;
use serde_json::Value;

use crate::kernel::problem::ProblemCode;
use crate::openapi::common_responses::{ACTION_LIMITS, CANNOT_ACT, INVALID_REQUEST, UNAVAILABLE};

/// Codes that occur together, and the name that stands for all of them. No code is in two groups.
const GROUPS: [(&str, &[ProblemCode]); 4] = [
    ("InvalidRequest", &INVALID_REQUEST),
    ("CannotAct", &CANNOT_ACT),
    ("ActionLimits", &ACTION_LIMITS),
    ("Unavailable", &UNAVAILABLE),
];

/// The name of a response: its problem codes, or else its status.
///
/// Different sets of codes have different names.
pub(crate) fn response_name(status: &str, response: &Value) -> Option<String> {
    let Some(codes) = response.get("x-problem-codes").and_then(Value::as_array) else {
        let status: StatusCode = status.parse().ok()?;
        return status.canonical_reason().map(pascal_case);
    };
    Some(name_of(codes.iter().filter_map(Value::as_str).collect()))
}

fn name_of(mut codes: Vec<&str>) -> String {
    let mut parts = Vec::new();
    for (name, group) in GROUPS {
        if group.iter().all(|code| codes.contains(&code.as_str())) {
            codes.retain(|code| group.iter().all(|grouped| grouped.as_str() != *code));
            parts.push(name.to_owned());
        }
    }
    parts.extend(codes.into_iter().map(pascal_case));
    parts.join("Or")
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
    fn a_response_is_named_by_its_codes() {
        let name = |codes: &[&str]| name_of(codes.to_vec());
        assert_eq!(name(&["not_your_turn"]), "NotYourTurn");
        assert_eq!(name(&["match_started", "too_few_players"]), "MatchStartedOrTooFewPlayers");
        assert_eq!(name(&["bad_rules", "invalid_body", "invalid_parameter"]), "InvalidRequestOrBadRules");
        assert_eq!(name(&["invalid_parameter"]), "InvalidParameter");
        let not_modified = response_name("304", &serde_json::json!({}));
        assert_eq!(not_modified.as_deref(), Some("NotModified"));
    }

    /// Otherwise two sets of codes could have one name.
    #[test]
    fn no_code_is_in_two_groups_or_has_the_name_of_a_group() {
        for code in ProblemCode::ALL {
            assert!(GROUPS.iter().filter(|(_, group)| group.contains(code)).count() <= 1, "{code:?}");
            assert!(GROUPS.iter().all(|(name, _)| *name != pascal_case(code.as_str())), "{code:?}");
        }
    }
}
