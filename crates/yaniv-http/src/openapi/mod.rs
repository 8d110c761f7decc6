//! The OpenAPI document, generated from the operations; `common_responses` adds the responses that all operations of a
//! kind share, and `sharing` moves what repeats to the components.

pub mod common_responses;
pub mod examples;
mod names;
mod open_lists;
mod operations;
mod problem_examples;
mod sharing;
pub mod v30;

use serde_json::{Value, json};
use utoipa::OpenApi;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};

use crate::kernel::problem::Problem;
use crate::openapi::common_responses::{add_common_answers, add_headers, rate_limits, table_of_limits};
use crate::openapi::examples::{add_examples, drop_property_examples};
use crate::openapi::open_lists::add_open_lists;
use crate::openapi::operations::Documented;
pub(crate) use crate::openapi::operations::identifiers;
pub use crate::openapi::operations::{Operations, methods};
use crate::openapi::sharing::share;
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
        (name = "tokens", description = "Personal tokens with limited scopes, for bots, scripts and apps."),
        (name = "calendar", description = "Quiet hours and vacations, which pause your clocks."),
        (name = "bots", description = "Accounts for programs, owned by you."),
        (name = "matches", description = "Create, join and read matches."),
        (name = "pairing", description = "Find opponents: open matches, and automatic pairing by rules and size."),
        (name = "challenges", description = "Challenge players by name, and offer rematches."),
        (name = "people", description = "Profiles, friends and blocked accounts."),
        (name = "moderation", description = "Report players, and what they write; for moderators: the queue and decisions."),
        (name = "notifications", description = "Notifications by web push or webhook: to your browser, phone or server."),
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
                "The access_token of a session, which has all scopes; or a personal token, also one of an app by OAuth, which has some of them: \
                 `read`, `play`, `account`; for moderators also `moderate`. Each operation names its scope.",
            ))
            .build();
        let components = openapi.components.get_or_insert_default();
        components.add_security_scheme("access_token", SecurityScheme::Http(scheme));
    }
}

/// The document as OpenAPI 3.1; needs neither server nor database.
pub fn document() -> Value {
    let mut document = declared();
    for (method, operation) in operations(&mut document) {
        add_common_answers(operation, method);
        add_headers(operation);
    }
    add_examples(&mut document);
    drop_property_examples(&mut document);
    state_once(&mut document);
    link_pages(&mut document);
    sort_by_tag(&mut document);
    share(&mut document);
    document
}

/// States for the whole document what most operations have in common.
fn state_once(document: &mut Value) {
    let usual = json!([{"access_token": []}]);
    for (_, operation) in operations(document) {
        if let Some(fields) =
            operation.as_object_mut().filter(|fields| fields.get("security") == Some(&usual))
        {
            fields.shift_remove("security");
        }
    }
    if let Some(Value::String(text)) = document.pointer_mut("/info/description") {
        text.push_str(&table_of_limits());
    }
    if let Some(fields) = document.as_object_mut() {
        fields.insert("security".to_owned(), usual);
        fields.insert("x-rate-limits".to_owned(), rate_limits());
    }
}

/// Schemas of what browsers make: they add members, which the service ignores.
const OPEN: [&str; 4] =
    ["PasskeyRegistration", "PasskeyAttestation", "PasskeyAuthentication", "PasskeyAssertion"];

/// The operations as their handlers declare them: with all examples of the schemas, and without what they share.
pub fn declared() -> Value {
    let (mut document, mut documented) = (Base::openapi(), Documented::default());
    crate::routes(&mut documented);
    documented.add_to(&mut document);
    let mut document = serde_json::to_value(document).unwrap_or_default();
    for name in OPEN {
        if let Some(Value::Object(schema)) = document.pointer_mut(&format!("/components/schemas/{name}")) {
            schema.insert("additionalProperties".to_owned(), Value::Bool(true));
        }
    }
    forget_int64(&mut document);
    allow_no_body(&mut document);
    add_open_lists(&mut document);
    document
}

/// To a POST whose fields are all optional, the body may be left out.
fn allow_no_body(document: &mut Value) {
    let schemas = document.pointer("/components/schemas").cloned().unwrap_or_default();
    for (method, operation) in operations(document) {
        let Some(body) = operation.get_mut("requestBody").filter(|_| method == "post") else { continue };
        let schema = body.pointer("/content/application~1json/schema/$ref").and_then(Value::as_str);
        let schema = schema.and_then(|path| schemas.get(path.rsplit('/').next()?));
        let required =
            schema.and_then(|schema| schema.get("required")?.as_array()).is_some_and(|all| !all.is_empty());
        if let Some(body) = body.as_object_mut().filter(|_| !required) {
            body.insert("required".to_owned(), Value::Bool(false));
        }
    }
}

/// Leaves out the format of large counts: generators make big integers of `int64`, which JSON libraries cannot write.
fn forget_int64(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            if fields.get("format").is_some_and(|format| format == "int64") {
                fields.shift_remove("format");
            }
            fields.values_mut().for_each(forget_int64);
        }
        Value::Array(items) => items.iter_mut().for_each(forget_int64),
        _ => {}
    }
}

/// The page of each tag that has one.
const TAG_PAGES: [(&str, &str); 11] = [
    ("tokens", "oauth"),
    ("calendar", "clocks"),
    ("bots", "first-bot"),
    ("matches", "rules"),
    ("notifications", "notifications"),
    ("actions", "standing-orders"),
    ("events", "events"),
    ("rules", "rules"),
    ("records", "records"),
    ("statistics", "statistics"),
    ("ratings", "ratings"),
];

/// Makes links of the mentions of pages; each tag names its page.
fn link_pages(document: &mut Value) {
    for tag in document.get_mut("tags").and_then(Value::as_array_mut).into_iter().flatten() {
        let page = page_of(tag);
        let mention = page.map(|page| format!("docs/{page}.md"));
        if let (Some(mention), Some(Value::String(text))) = (mention, tag.get_mut("description"))
            && !text.contains(&mention)
        {
            *text = format!("{}: {mention}.", text.trim_end_matches('.'));
        }
    }
    link_descriptions(document);
}

fn page_of(tag: &Value) -> Option<&'static str> {
    let name = tag.get("name").and_then(Value::as_str)?;
    TAG_PAGES.iter().find(|(known, _)| *known == name).map(|(_, page)| *page)
}

/// The document of a service with a public address: URLs of the server and of the pages, which have to be absolute.
pub(crate) fn at_address(document: &mut Value, url: &str) {
    if let Some(server) = document.pointer_mut("/servers/0/url") {
        *server = url.into();
    }
    for tag in document.get_mut("tags").and_then(Value::as_array_mut).into_iter().flatten() {
        if let (Some(page), Some(tag)) = (page_of(tag), tag.as_object_mut()) {
            tag.insert("externalDocs".to_owned(), json!({"url": format!("{url}/docs/{page}")}));
        }
    }
    if let Some(fields) = document.as_object_mut() {
        fields.insert("externalDocs".to_owned(), json!({"url": format!("{url}/docs/")}));
    }
}

/// The text with each `docs/NAME.md` as a link to the page.
fn linked(text: &str) -> String {
    let mut parts = text.split("docs/");
    let mut linked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let name = part.split_once(".md").map(|(name, _)| name);
        let name = name.filter(|name| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'));
        match name.and_then(|name| Some((name, part.strip_prefix(name)?.strip_prefix(".md")?))) {
            Some((name, rest)) => linked.push_str(&format!("[docs/{name}.md](/docs/{name}){rest}")),
            None => linked.extend(["docs/", part]),
        }
    }
    linked
}

fn link_descriptions(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(text) if name == "description" => *text = linked(text),
                    other => link_descriptions(other),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(link_descriptions),
        _ => {}
    }
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

/// The document in this version.
pub(crate) fn document_in(edition: Edition) -> Value {
    match edition {
        Edition::V31 => document(),
        Edition::V30 => v30(&document()),
    }
}

/// The document as it is committed; it is served without line breaks.
pub fn document_text(edition: Edition) -> String {
    let mut text = serde_json::to_string_pretty(&document_in(edition)).unwrap_or_default();
    text.push('\n');
    text
}

/// The operations, each with its method.
fn operations(document: &mut Value) -> impl Iterator<Item = (&String, &mut Value)> {
    let items = members(document, "paths").filter_map(|(_, item)| item.as_object_mut());
    items.flatten().filter(|(_, operation)| operation.get("responses").is_some())
}

fn members<'a>(
    value: &'a mut Value,
    name: &str,
) -> impl Iterator<Item = (&'a String, &'a mut Value)> + use<'a> {
    value.get_mut(name).and_then(Value::as_object_mut).into_iter().flatten()
}
