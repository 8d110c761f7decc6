//! Successful answers: JSON with a tag for conditional requests, and marks on replayed writes.

use std::sync::OnceLock;

use actix_web::http::StatusCode;
use actix_web::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH, LOCATION};
use actix_web::{HttpRequest, HttpResponse};
use chrono::{DateTime, SecondsFormat, Utc};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::body::match_body::MatchBody;
use super::error::ApiError;
use super::links::Links;
use super::openapi::{Edition, document_text};
use super::problem::ProblemCode;
use crate::service::looks::Mark;
use crate::service::replay::Answer;

/// Of readings with a tag: to be asked about each time.
const CACHE: &str = "private, no-cache";

/// A reading: 200 with a weak tag made of what the viewer sees, or 304 if the client has it.
///
/// # Errors
/// Only if the body cannot be printed.
pub(super) fn tagged(
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

/// The tag of a view: what it depends on, and the form in which this program prints it.
pub(super) fn view_tag(mark: Mark, links: &Links) -> String {
    let Mark { version, gifts, updated_at, seat, names } = mark;
    let seat = seat.map_or(-1, |seat| i32::from(seat.number()));
    let (at, names) = (updated_at.timestamp_micros(), names.join(" "));
    let link = links.public_url().unwrap_or_default();
    let said = format!("{} {version} {gifts} {at} {seat} {names} {link}", form());
    format!("W/\"{}\"", hex(&Sha256::digest(said), 12))
}

/// Which form our answers have, from the document: a release that changes it changes all tags.
fn form() -> &'static str {
    static FORM: OnceLock<String> = OnceLock::new();
    FORM.get_or_init(|| hex(&Sha256::digest(document_text(Edition::V31)), 4))
}

/// The client has it.
pub(super) fn not_modified(tag: String) -> HttpResponse {
    let mut response = HttpResponse::NotModified();
    response.insert_header((ETAG, tag)).insert_header((CACHE_CONTROL, CACHE)).finish()
}

/// An answer with its tag. The server's time is put in afterwards, so that it does not change the tag: `json` is an
/// object without `server_time`.
pub(super) fn with_tag(tag: String, json: &str, now: DateTime<Utc>) -> HttpResponse {
    let time = now.to_rfc3339_opts(SecondsFormat::Micros, true);
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
pub(super) fn plain(status: StatusCode, body: &impl Serialize) -> Result<HttpResponse, ApiError> {
    let mut response = HttpResponse::build(status);
    response.insert_header((CACHE_CONTROL, "no-store")).insert_header((CONTENT_TYPE, "application/json"));
    Ok(response.body(print(body)?))
}

/// A write: the match after it, the same bytes each time.
///
/// # Errors
/// Only if the body cannot be printed.
pub(super) fn written(status: StatusCode, answer: Answer) -> Result<HttpResponse, ApiError> {
    written_with_link(status, answer, &Links::default())
}

/// The same of a match that waits for players, with the link to share.
///
/// # Errors
/// Only if the body cannot be printed.
pub(super) fn written_with_link(
    status: StatusCode,
    answer: Answer,
    links: &Links,
) -> Result<HttpResponse, ApiError> {
    let location =
        (status == StatusCode::CREATED).then(|| format!("/v1/matches/{}", answer.view.settings.id));
    made(status, location, answer.replayed, &links.put(MatchBody::at_its_time(answer.view)))
}

/// A write of something: what it made, and where that is.
///
/// # Errors
/// Only if the body cannot be printed.
pub(super) fn made(
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
pub(super) fn done() -> HttpResponse {
    let mut response = HttpResponse::NoContent();
    mark(&mut response, false);
    response.finish()
}

/// A write that leaves nothing to see.
pub(super) fn gone(answer: &Answer) -> HttpResponse {
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
pub(super) fn print(body: &impl Serialize) -> Result<String, ApiError> {
    serde_json::to_string(body).map_err(|error| {
        tracing::error!(%error, "an answer could not be printed");
        ApiError::plain(ProblemCode::Internal)
    })
}

/// Whether the client says that it has this tag; tags are compared weakly, as proxies weaken them.
pub(super) fn holds(request: &HttpRequest, tag: &str) -> bool {
    let weak = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let given = request.headers().get_all(IF_NONE_MATCH).filter_map(|value| value.to_str().ok());
    given.flat_map(|value| value.split(',')).any(|given| given.trim() == "*" || weak(given) == weak(tag))
}

fn hex(bytes: &[u8], length: usize) -> String {
    bytes.iter().take(length).map(|byte| format!("{byte:02x}")).collect()
}
