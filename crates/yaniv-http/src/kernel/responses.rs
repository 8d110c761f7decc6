//! Successful answers: JSON with a tag for conditional requests, and marks on replayed writes.

use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH, LOCATION};
use actix_web::{HttpRequest, HttpResponse};
use chrono::{DateTime, Utc};
use serde::Serialize;
use sha2::{Digest, Sha256};
use yaniv_app::matches::repeated_write::Answer;
use yaniv_model::times::print_time;

use crate::kernel::error::ApiError;
use crate::kernel::problem::ProblemCode;

/// Of readings with a tag: to be asked about each time.
const CACHE: &str = "private, no-cache";

/// A reading: 200 with a weak tag made of what the viewer sees, or 304 if the client has it.
///
/// # Errors
/// Only if the body cannot be printed.
pub(crate) fn tagged(
    request: &HttpRequest,
    body: &impl Serialize,
    now: DateTime<Utc>,
) -> Result<HttpResponse, ApiError> {
    let json = print(body)?;
    let tag = format!("W/\"{}\"", hex(&Sha256::digest(&json), 12));
    if holds(request, &tag) {
        return Ok(not_modified(tag));
    }
    Ok(with_tag(tag, &json, now))
}

/// The client has it.
pub(crate) fn not_modified(tag: String) -> HttpResponse {
    let mut response = HttpResponse::NotModified();
    response.insert_header((ETAG, tag)).insert_header((CACHE_CONTROL, CACHE)).finish()
}

/// An answer with its tag. The server's time is put in afterwards, so that it does not change the tag: `json` is an
/// object without `server_time`.
pub(crate) fn with_tag(tag: String, json: &str, now: DateTime<Utc>) -> HttpResponse {
    let time = print_time(now);
    let rest = json.strip_prefix('{').unwrap_or(json);
    let comma = if rest.starts_with('}') { "" } else { "," };
    let mut response = HttpResponse::Ok();
    response.insert_header((ETAG, tag)).insert_header((CACHE_CONTROL, CACHE));
    response.insert_header((CONTENT_TYPE, "application/json"));
    response.body(format!("{{\"server_time\":\"{time}\"{comma}{rest}"))
}

/// A reading that never changes its time: 200 without a tag.
///
/// # Errors
/// Only if the body cannot be printed.
pub(crate) fn plain(status: StatusCode, body: &impl Serialize) -> Result<HttpResponse, ApiError> {
    let mut response = HttpResponse::build(status);
    response.insert_header((CACHE_CONTROL, "no-store")).insert_header((CONTENT_TYPE, "application/json"));
    Ok(response.body(print(body)?))
}

/// A write of something: what it made, and where that is.
///
/// # Errors
/// Only if the body cannot be printed.
pub(crate) fn made(
    status: StatusCode,
    location: Option<String>,
    replayed: bool,
    body: &impl Serialize,
) -> Result<HttpResponse, ApiError> {
    let mut response = HttpResponse::build(status);
    mark(&mut response, replayed);
    if let Some(location) = location {
        response.insert_header((LOCATION, location));
    }
    response.insert_header((CONTENT_TYPE, "application/json"));
    Ok(response.body(print(body)?))
}

/// A write that leaves nothing to see, and that may be repeated as it is.
pub(crate) fn done() -> HttpResponse {
    let mut response = HttpResponse::NoContent();
    mark(&mut response, false);
    response.finish()
}

/// A write that leaves nothing to see.
pub(crate) fn gone(answer: &Answer) -> HttpResponse {
    let mut response = HttpResponse::NoContent();
    mark(&mut response, answer.replayed);
    response.finish()
}

fn mark(response: &mut actix_web::HttpResponseBuilder, replayed: bool) {
    response.insert_header((CACHE_CONTROL, "no-store"));
    if replayed {
        response.insert_header(("Idempotency-Replayed", "true"));
    }
}

/// A body as JSON.
///
/// # Errors
/// Only if it cannot be printed.
pub(crate) fn print(body: &impl Serialize) -> Result<String, ApiError> {
    serde_json::to_string(body).map_err(|error| {
        tracing::error!(%error, "an answer could not be printed");
        ApiError::plain(ProblemCode::Internal)
    })
}

/// Whether the client says that it has this tag; tags are compared weakly, as proxies weaken them.
pub(crate) fn holds(request: &HttpRequest, tag: &str) -> bool {
    let weak = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let given = request.headers().get_all(IF_NONE_MATCH).filter_map(|value| value.to_str().ok());
    given.flat_map(|value| value.split(',')).any(|given| given.trim() == "*" || weak(given) == weak(tag))
}

/// The first bytes in hexadecimal.
pub(crate) fn hex(bytes: &[u8], length: usize) -> String {
    bytes.iter().take(length).map(|byte| format!("{byte:02x}")).collect()
}
