//! The API's document, made from the operations themselves. What every operation of a kind can answer besides its
//! own is added here, once: missing tokens, unreadable bodies, reused keys, faults.

use actix_web::App;
use serde_json::{Map, Value, json};
use utoipa::OpenApi;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa_actix_web::AppExt;

use super::openapi_examples::add_examples;
use super::problem::{Problem, ProblemCode};

const PROBLEM_MEDIA: &str = "application/problem+json";

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Yaniv",
        description = include_str!("openapi.md"),
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    servers((url = "/", description = "This server.")),
    tags(
        (name = "accounts", description = "Registering and logging in."),
        (name = "matches", description = "Creating matches, joining them, looking at them."),
        (name = "actions", description = "What players do in a match, and the log of it."),
        (name = "rules", description = "The rule sets that there are, and their options."),
        (name = "records", description = "What was played, and the means to check it."),
        (name = "service", description = "State of the service.")
    ),
    components(schemas(Problem)),
    modifiers(&AccessToken)
)]
struct Base;

struct AccessToken;

impl utoipa::Modify for AccessToken {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let scheme = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .bearer_format("JWT")
            .description(Some("The access_token of a log-in."))
            .build();
        let components = openapi.components.get_or_insert_default();
        components.add_security_scheme("access_token", SecurityScheme::Http(scheme));
    }
}

/// The document, OpenAPI 3.1; needs neither server nor database.
pub fn document() -> Value {
    let (_, api) =
        App::new().into_utoipa_app().openapi(Base::openapi()).configure(super::routes).split_for_parts();
    let mut document = serde_json::to_value(api).unwrap_or_default();
    let schemas =
        document.pointer("/components/schemas").and_then(Value::as_object).cloned().unwrap_or_default();
    for path in members(&mut document, "paths") {
        for (_, operation) in path.1.as_object_mut().into_iter().flatten() {
            if operation.get("responses").is_some() {
                add_common_answers(operation);
                add_examples(operation, &schemas);
            }
        }
    }
    sort_by_tag(&mut document);
    document
}

/// Routes are tried in the order in which they were given, documents are read from top to bottom.
fn sort_by_tag(document: &mut Value) {
    let names = |value: &Value| value.as_array().cloned().unwrap_or_default().into_iter();
    let tags: Vec<Value> = document
        .get("tags")
        .map(names)
        .into_iter()
        .flatten()
        .filter_map(|tag| tag.get("name").cloned())
        .collect();
    let place = |item: &Value| {
        let tag = item.as_object().and_then(|item| item.values().next()?.pointer("/tags/0"));
        tags.iter().position(|name| Some(name) == tag)
    };
    if let Some(paths) = document.get_mut("paths").and_then(Value::as_object_mut) {
        let mut sorted: Vec<(String, Value)> = std::mem::take(paths).into_iter().collect();
        sorted.sort_by_key(|(_, item)| place(item));
        paths.extend(sorted);
    }
}

/// The document as it is served and committed.
pub fn document_text() -> String {
    let mut text = serde_json::to_string_pretty(&document()).unwrap_or_default();
    text.push('\n');
    text
}

/// Paths of the document, each with the methods that it has.
pub fn methods() -> Vec<(String, Vec<String>)> {
    let mut document = document();
    members(&mut document, "paths")
        .map(|(path, item)| {
            let methods = item.as_object().into_iter().flatten().map(|(method, _)| method.to_uppercase());
            (path.clone(), methods.collect())
        })
        .collect()
}

fn members<'a>(value: &'a mut Value, name: &str) -> impl Iterator<Item = (&'a String, &'a mut Value)> {
    value.get_mut(name).and_then(Value::as_object_mut).into_iter().flatten()
}

fn add_common_answers(operation: &mut Value) {
    if !is_secured(operation)
        && let Some(fields) = operation.as_object_mut()
    {
        // Said aloud: open to all.
        fields.insert("security".to_owned(), json!([]));
    }
    let codes = common_codes(operation);
    let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) else { return };
    for code in codes {
        add_answer(responses, code);
    }
    for (_, response) in responses.iter_mut() {
        add_problem_example(response);
    }
    responses.sort_keys();
}

fn is_secured(operation: &Value) -> bool {
    operation.get("security").and_then(Value::as_array).is_some_and(|schemes| !schemes.is_empty())
}

/// What an operation can answer because of its form: a match in its path, a body, a key.
fn common_codes(operation: &Value) -> Vec<ProblemCode> {
    use ProblemCode as P;
    let parameters = operation.get("parameters").and_then(Value::as_array);
    let has = |field: &str, value: Value| {
        parameters.into_iter().flatten().any(|parameter| parameter.get(field) == Some(&value))
    };
    let key =
        parameters.into_iter().flatten().find(|parameter| parameter.get("in") == Some(&json!("header")));
    let mut codes = vec![P::InvalidParameter, P::Internal, P::Busy, P::DatabaseUnavailable];
    if is_secured(operation) {
        codes.push(P::InvalidToken);
    }
    if has("name", json!("match_id")) {
        codes.push(P::MatchNotFound);
    }
    if operation.get("requestBody").is_some() {
        codes.extend([
            P::InvalidJson,
            P::RequestTimeout,
            P::BodyTooLarge,
            P::UnsupportedMediaType,
            P::InvalidBody,
        ]);
    }
    if let Some(key) = key {
        codes.extend([P::IdempotencyKeyRequired, P::IdempotencyKeyReused, P::OutcomeUnknown]);
        if key.get("required") == Some(&json!(true)) {
            // Only actions in play require a key.
            codes.extend([P::VersionConflict, P::NotYourTurn, P::WrongPhase]);
            codes.extend([P::SeatOut, P::MatchOver, P::MatchNotStarted]);
        }
    }
    codes
}

/// Names the code in the answer of its status, which is made if need be.
fn add_answer(responses: &mut Map<String, Value>, code: ProblemCode) {
    let status = code.status().as_str().to_owned();
    let response = responses.entry(status).or_insert_with(|| {
        json!({
            "description": "",
            "content": {PROBLEM_MEDIA: {"schema": {"$ref": "#/components/schemas/Problem"}}}
        })
    });
    let name = format!("`{}`", code.as_str());
    let Some(Value::String(description)) = response.get_mut("description") else {
        return;
    };
    if description.is_empty() {
        *description = format!("{name}.");
    } else if !description.contains(&name) {
        *description = format!("{}, {name}.", description.trim_end_matches('.'));
    }
}

/// An example for each problem: the first code that its description names.
fn add_problem_example(response: &mut Value) {
    let description = response.get("description").and_then(Value::as_str).unwrap_or_default();
    let named = description.split('`').nth(1).unwrap_or_default();
    let Some(code) = ProblemCode::ALL.iter().find(|code| code.as_str() == named) else {
        return;
    };
    let example = serde_json::to_value(Problem::new(*code, code.title())).unwrap_or_default();
    if let Some(content) = response.pointer_mut("/content/application~1problem+json")
        && let Some(content) = content.as_object_mut()
    {
        content.insert("example".to_owned(), example);
    }
}
