//! Adds the responses that all operations of a kind share: missing tokens and scopes, invalid bodies, reused keys,
//! internal errors.
//!
//! Also adds response headers, rate limits and scopes.

use serde_json::{Map, Value, json};

use crate::kernel::problem::ProblemCode;
use crate::kernel::rate_limit::{Allowance, Bucket};
use crate::openapi::members;
use crate::openapi::problem_examples::problem_example;

const PROBLEM_MEDIA: &str = "application/problem+json";
/// What every action in play can be refused for.
const CANNOT_ACT: [ProblemCode; 7] = [
    ProblemCode::VersionConflict,
    ProblemCode::NotYourTurn,
    ProblemCode::WrongPhase,
    ProblemCode::SeatOut,
    ProblemCode::MatchOver,
    ProblemCode::MatchNotStarted,
    ProblemCode::SeatHeld,
];
/// What every operation can fail with.
const UNAVAILABLE: [ProblemCode; 2] = [ProblemCode::Busy, ProblemCode::DatabaseUnavailable];
/// Header with the idempotency key.
const KEY: &str = "Idempotency-Key";

/// Adds the problem responses that follow from the form of the operation.
pub(crate) fn add_common_answers(operation: &mut Value, method: &str) {
    add_scope(operation);
    let mut codes = take_problems(operation);
    codes.extend(common_codes(operation, method));
    if method != "get" {
        // The connection to the database may be lost during the write.
        codes.push(ProblemCode::OutcomeUnknown);
    }
    let buckets = take_buckets(operation);
    codes.extend(buckets.iter().map(|bucket| bucket.code()));
    add_limits(operation, &buckets);
    let Some(responses) = operation.get_mut("responses").and_then(Value::as_object_mut) else { return };
    for code in codes {
        add_answer(responses, code);
    }
    for (_, response) in responses.iter_mut() {
        add_codes(response);
    }
    responses.sort_keys();
}

/// Repeats the scope in the description.
fn add_scope(operation: &mut Value) {
    let Some(fields) = operation.as_object_mut() else { return };
    let Some(scope) = fields.get("x-scope").and_then(Value::as_str).map(str::to_owned) else {
        // Public: stated explicitly.
        fields.insert("security".to_owned(), json!([]));
        return;
    };
    let optional =
        fields.get("security").and_then(Value::as_array).is_some_and(|all| all.contains(&json!({})));
    let without = if optional { " Also answered without a token." } else { "" };
    // Not in `security`: linters accept scopes there for OAuth only.
    if let Some(Value::String(description)) = fields.get_mut("description") {
        description.push_str(&format!("\n\nScope: `{scope}`.{without}"));
    }
}

fn is_secured(operation: &Value) -> bool {
    operation.get("security").and_then(Value::as_array).is_some_and(|schemes| !schemes.is_empty())
}

/// The problems that the handler declares.
fn take_problems(operation: &mut Value) -> Vec<ProblemCode> {
    let named = take(operation, "x-problems");
    named
        .iter()
        .filter_map(|name| ProblemCode::ALL.iter().find(|code| name == code.as_str()))
        .copied()
        .collect()
}

/// The rate limits of an operation, the strictest first.
fn take_buckets(operation: &mut Value) -> Vec<Bucket> {
    let named = take(operation, "x-buckets");
    named.iter().filter_map(|name| Bucket::ALL.iter().find(|bucket| name == bucket.name())).copied().collect()
}

fn take(operation: &mut Value, extension: &str) -> Vec<Value> {
    let taken = operation.as_object_mut().and_then(|fields| fields.remove(extension));
    taken.and_then(|taken| taken.as_array().cloned()).unwrap_or_default()
}

/// Adds the limits to the description, and their names as `x-rate-limits`.
fn add_limits(operation: &mut Value, buckets: &[Bucket]) {
    let names: Vec<&str> = buckets.iter().map(|bucket| bucket.name()).collect();
    if let Some(Value::String(description)) = operation.get_mut("description")
        && !names.is_empty()
    {
        description.push_str(&format!("\n\nLimits: `{}`.", names.join("`, `")));
    }
    let fields = operation.as_object_mut().filter(|_| !names.is_empty());
    fields.map(|fields| fields.insert("x-rate-limits".to_owned(), json!(names)));
}

/// Table of the rate limits, for the description of the document.
pub(crate) fn table_of_limits() -> String {
    let row = |bucket: &Bucket| {
        let Allowance { count, seconds } = bucket.allowance();
        format!("| `{}` | {count} in {seconds} s for each {} |\n", bucket.name(), for_each(*bucket))
    };
    let rows: String = Bucket::ALL.iter().map(row).collect();
    format!("\n| limit | requests |\n|---|---|\n{rows}")
}

/// All rate limits by name.
pub(crate) fn rate_limits() -> Value {
    let limits = Bucket::ALL.iter().map(|bucket| {
        let Allowance { count, seconds } = bucket.allowance();
        let limit = json!({"count": count, "seconds": seconds, "for_each": for_each(*bucket)});
        (bucket.name().to_owned(), limit)
    });
    Value::Object(limits.collect())
}

fn for_each(bucket: Bucket) -> &'static str {
    match bucket {
        Bucket::SignUps | Bucket::LogIns | Bucket::Refreshes | Bucket::JoinCodeReads => "address",
        _ => "account",
    }
}

/// The codes that follow from the form of an operation: path parameters, body, key.
fn common_codes(operation: &Value, method: &str) -> Vec<ProblemCode> {
    use ProblemCode as P;
    let parameters = operation.get("parameters").and_then(Value::as_array);
    let has = |field: &str, value: Value| {
        parameters.into_iter().flatten().any(|parameter| parameter.get(field) == Some(&value))
    };
    let key = parameters.into_iter().flatten().find(|parameter| is_key(parameter));
    let mut codes = vec![P::InvalidParameter, P::Internal];
    codes.extend(UNAVAILABLE);
    if is_secured(operation) {
        codes.extend([P::InvalidToken, P::InsufficientScope]);
    }
    if has("name", json!("match_id")) {
        codes.push(P::MatchNotFound);
    }
    if has("name", json!("round")) {
        codes.push(P::RoundNotFound);
    }
    if has("name", json!("pairing_id")) {
        codes.push(P::PairingNotFound);
    }
    if has("name", json!("challenge_id")) {
        codes.push(P::ChallengeNotFound);
    }
    if has("name", json!("bot_id")) {
        codes.push(P::BotNotFound);
    }
    if has("name", json!("username")) && !has("name", json!("match_id")) {
        codes.push(P::AccountNotFound);
    }
    let has_body = operation.get("requestBody").is_some();
    // A write without a body also accepts an empty object, and refuses any other.
    if has_body || method != "get" {
        codes.extend([P::InvalidJson, P::RequestTimeout, P::BodyTooLarge, P::InvalidBody]);
    }
    if has_body {
        codes.extend([P::UnsupportedMediaType, P::UnsupportedContentEncoding]);
    }
    if let Some(key) = key {
        codes.extend([P::IdempotencyKeyRequired, P::IdempotencyKeyReused]);
        if key.get("required") == Some(&json!(true)) {
            // Only actions in play require a key.
            codes.extend(CANNOT_ACT);
        }
    }
    codes
}

fn is_key(parameter: &Value) -> bool {
    parameter.get("name").and_then(Value::as_str) == Some(KEY)
}

/// Adds the code to the response of its status, which is created if missing.
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

/// Adds the codes of the description as `x-problem-codes`, and the problem with the first of them as the example.
fn add_codes(response: &mut Value) {
    let Some(description) = response.get("description").and_then(Value::as_str) else { return };
    let named: Vec<&str> = description.split('`').skip(1).step_by(2).collect();
    let codes = ProblemCode::ALL.iter().map(|code| code.as_str());
    let codes: Vec<&str> = codes.filter(|code| named.contains(code)).collect();
    let first = ProblemCode::ALL.iter().find(|code| codes.first() == Some(&code.as_str())).copied();
    let (Some(fields), Some(first)) = (response.as_object_mut(), first) else { return };
    fields.insert("x-problem-codes".to_owned(), json!(codes));
    if let Some(Value::Object(content)) = response.pointer_mut("/content/application~1problem+json") {
        content.insert("example".to_owned(), problem_example(first));
    }
}

/// Declares response headers, and `If-None-Match` where the operation can answer 304.
pub(crate) fn add_headers(operation: &mut Value) {
    let parameters = operation.get("parameters").and_then(Value::as_array);
    let has_key = parameters.into_iter().flatten().any(is_key);
    add_answer_headers(operation, has_key);
    if operation.pointer("/responses/304").is_none() {
        return;
    }
    let Some(fields) = operation.as_object_mut() else { return };
    if let Value::Array(parameters) = fields.entry("parameters").or_insert_with(|| json!([])) {
        parameters.push(json!({
            "name": "If-None-Match",
            "in": "header",
            "description": "The ETag of the response that you have; the answer is 304 if it has not changed.",
            "required": false,
            "schema": {"type": "string"}
        }));
    }
}

fn add_answer_headers(operation: &mut Value, has_key: bool) {
    let responses = operation.get_mut("responses").and_then(Value::as_object_mut);
    for (status, response) in responses.into_iter().flatten() {
        let location = location(response);
        let media =
            response.get("content").and_then(Value::as_object).and_then(|content| content.keys().next());
        let is_file = media.is_some_and(|media| {
            !["application/json", PROBLEM_MEDIA, "text/event-stream"].contains(&media.as_str())
        });
        let mut header = |name: &str, schema: Value, description: &str| {
            let headers =
                response.as_object_mut().map(|fields| fields.entry("headers").or_insert_with(|| json!({})));
            if let Some(Value::Object(headers)) = headers {
                headers.entry(name).or_insert_with(|| json!({"description": description, "schema": schema}));
            }
        };
        let text = |longest: u32| json!({"type": "string", "maxLength": longest});
        header("X-Request-Id", text(36), "Names the request in the log of the server.");
        if is_file {
            header("Content-Disposition", text(200), "The name of the file.");
        }
        match status.as_str() {
            "401" => header("WWW-Authenticate", text(200), "`Bearer`: an access token is required."),
            "403" => {
                let description = "What a token lacks (RFC 6750), with `insufficient_scope` only.";
                header("WWW-Authenticate", text(200), description);
            }
            "429" | "503" => {
                let seconds = json!({"type": "integer", "format": "int32", "minimum": 1, "maximum": 3600});
                header("Retry-After", seconds, "Seconds to wait before a retry.");
                if status == "429" {
                    header(
                        "RateLimit-Policy",
                        text(100),
                        "The limit: bucket, requests (`q`), period in seconds (`w`).",
                    );
                    header(
                        "RateLimit",
                        text(100),
                        "Requests left (`r`), and seconds until more are allowed (`t`).",
                    );
                }
            }
            "304" => header("ETag", text(200), "The tag that you sent."),
            "200" | "201" | "204" if has_key => {
                let description = "`true` if the key was used before: this repeats the first answer.";
                header("Idempotency-Replayed", text(4), description);
            }
            _ => {}
        }
        for (name, header) in members(response, "headers") {
            let example = if name == "Location" { location.clone() } else { header_example(name) };
            header.as_object_mut().map(|header| header.insert("example".to_owned(), example));
        }
    }
}

/// What a header of an answer looks like.
fn header_example(name: &str) -> Value {
    match name {
        "ETag" => json!("W/\"3f1c9a5be07d4c2288aa01ff\""),
        "Idempotency-Replayed" => json!("true"),
        "RateLimit" => json!("\"writes\";r=0;t=2"),
        "RateLimit-Policy" => json!("\"writes\";q=60;w=60"),
        "Retry-After" => json!(2),
        "WWW-Authenticate" => json!("Bearer realm=\"yaniv\""),
        "X-Request-Id" => json!("0193aa00-0000-7000-8000-000000000009"),
        "Content-Disposition" => json!("attachment; filename=\"yaniv-ada.json\""),
        _ => Value::Null,
    }
}

/// The path of what an answer has created: of the kind of its schema.
fn location(response: &Value) -> Value {
    let schema = response.pointer("/content/application~1json/schema/$ref").and_then(Value::as_str);
    let kind = schema.and_then(|path| path.rsplit('/').next()).unwrap_or_default().to_lowercase();
    let plural = if kind.ends_with('h') { "es" } else { "s" };
    json!(format!("/v1/{kind}{plural}/0193aa00-0000-7000-8000-000000000001"))
}
