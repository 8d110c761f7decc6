//! The OpenAPI document, generated from the operations; `common_responses` adds the responses that all operations of a
//! kind share.

pub mod common_responses;
pub mod examples;
pub mod v30;

use actix_web::App;
use serde_json::Value;
use utoipa::OpenApi;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa_actix_web::AppExt;

use crate::kernel::problem::{Problem, ProblemCode};
use crate::openapi::common_responses::{add_common_answers, add_headers};
use crate::openapi::examples::add_examples;
use crate::openapi::v30::v30;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Yaniv",
        description = include_str!("openapi.md"),
        contact(name = "The operator of this server"),
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    servers((url = "/", description = "This server.")),
    tags(
        (name = "accounts", description = "Register, play as a guest, log in, manage your account."),
        (name = "sessions", description = "Refresh, list and end the sessions of your devices."),
        (name = "tokens", description = "Personal tokens with limited scopes, for bots and scripts."),
        (name = "calendar", description = "Quiet hours and vacations, which pause your clocks."),
        (name = "bots", description = "Accounts for programs, owned by you."),
        (name = "matches", description = "Create, join and read matches."),
        (name = "pairing", description = "Find opponents: open matches, and automatic pairing by rules and size."),
        (name = "challenges", description = "Challenge players by name, and offer rematches."),
        (name = "people", description = "Profiles, friends and blocked accounts."),
        (name = "notices", description = "Notifications by web push or webhook: to your browser, phone or server."),
        (name = "actions", description = "Actions in a match, and its action log."),
        (name = "sandboxes", description = "Test matches for client developers."),
        (name = "events", description = "Your turns, and events by long poll or event stream: docs/events.md."),
        (name = "rules", description = "Rule presets and rule options."),
        (name = "records", description = "Past matches, replays, and records that prove the shuffles."),
        (name = "statistics", description = "Statistics of players and of the service: docs/statistics.md."),
        (name = "ratings", description = "Ratings by preset, and leaderboards: docs/ratings.md."),
        (name = "service", description = "Health and properties of the service.")
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
            .description(Some(
                "The access_token of a session, which has all scopes; or a personal token, which has some of them: \
                 `read`, `play`, `account`. Each operation names its scope.",
            ))
            .build();
        let components = openapi.components.get_or_insert_default();
        components.add_security_scheme("access_token", SecurityScheme::Http(scheme));
    }
}

/// The document as OpenAPI 3.1; needs neither server nor database.
pub fn document() -> Value {
    let (_, api) =
        App::new().into_utoipa_app().openapi(Base::openapi()).configure(crate::routes).split_for_parts();
    let mut document = serde_json::to_value(api).unwrap_or_default();
    let schemas =
        document.pointer("/components/schemas").and_then(Value::as_object).cloned().unwrap_or_default();
    for path in members(&mut document, "paths") {
        for (method, operation) in path.1.as_object_mut().into_iter().flatten() {
            if operation.get("responses").is_some() {
                add_common_answers(operation, method);
                add_headers(operation);
                add_examples(operation, &schemas);
            }
        }
    }
    sort_by_tag(&mut document);
    if let Some(Value::String(text)) = document.pointer_mut("/info/description") {
        text.push_str(&table_of_codes());
    }
    document
}

/// Table of all problem codes, for the description of the document.
fn table_of_codes() -> String {
    let row = |code: &ProblemCode| {
        format!(
            "| `{}` | {} | {} | {} |\n",
            code.as_str(),
            code.status().as_u16(),
            code.title(),
            code.advice()
        )
    };
    let rows: String = ProblemCode::ALL.iter().map(row).collect();
    format!("\n| code | status | meaning | what to do |\n|---|---|---|---|\n{rows}")
}

/// Sorts paths by tag for readers: routes are registered in the order in which they are matched.
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

/// Version of OpenAPI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edition {
    /// 3.1.0.
    #[default]
    V31,
    /// 3.0.3, derived from 3.1.
    V30,
}

/// The document as it is served and committed.
pub fn document_text(edition: Edition) -> String {
    let document = match edition {
        Edition::V31 => document(),
        Edition::V30 => v30(&document()),
    };
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}

/// Paths of the document, each with its methods.
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
