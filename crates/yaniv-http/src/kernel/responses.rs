//! Successful responses: a type for each status and set of headers. `#[operation]` documents a handler by the type that
//! it returns.

use std::marker::PhantomData;

use actix_web::body::BoxBody;
use actix_web::cookie::Cookie;
use actix_web::http::StatusCode;
use actix_web::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, ContentEncoding, ETAG, IF_NONE_MATCH, LOCATION,
};
use actix_web::web::Bytes;
use actix_web::{HttpRequest, HttpResponse, HttpResponseBuilder, Responder, ResponseError};
use chrono::{DateTime, Utc};
use futures_util::Stream;
use serde::Serialize;
use sha2::{Digest, Sha256};
use yaniv_model::times::print_time;

use crate::kernel::error::ApiError;
use crate::kernel::problem::ProblemCode;

/// Result of a handler: a response of this module, or a problem.
pub(crate) type ApiResult<T> = Result<T, ApiError>;

/// `Cache-Control` of responses with an ETag.
const REVALIDATE: &str = "private, no-cache";
/// `Cache-Control` of responses that never change.
const FOR_EVER: &str = "private, max-age=31536000, immutable";

/// 200 with an ETag, or 304 if the client has it. The body has no `server_time`: it is added after the tag is computed,
/// so that it does not change the tag.
pub(crate) struct Tagged<T> {
    body: Option<T>,
    tag: Option<String>,
    now: DateTime<Utc>,
}

/// 200 with an ETag, for what never changes; 304 if the client has it. Without `server_time`, as it is cached.
pub(crate) struct Kept<T> {
    /// The resource.
    pub(crate) body: T,
    /// Its tag.
    pub(crate) tag: String,
    /// Whether the address names the tag, so that the answer may be cached for ever.
    pub(crate) named: bool,
}

/// 200, not cached: a read without a tag, or a write.
pub(crate) struct Reply<T> {
    body: T,
    replayed: bool,
    cookies: Vec<Cookie<'static>>,
}

/// 201 with the created resource.
pub(crate) struct Created<T> {
    body: T,
    replayed: bool,
    cookies: Vec<Cookie<'static>>,
}

/// 201 with the created resource and its path.
pub(crate) struct CreatedAt<T> {
    /// The created resource.
    pub(crate) body: T,
    /// Its path, for `Location`.
    pub(crate) location: String,
    /// Whether this is the response to an earlier request with the same key.
    pub(crate) replayed: bool,
}

/// 202: accepted, not done yet.
pub(crate) struct Accepted<T>(pub(crate) T);

/// 202 without a body.
pub(crate) struct AcceptedEmpty;

/// 204: a write without a body.
#[derive(Default)]
pub(crate) struct NoContent {
    replayed: bool,
    cookies: Vec<Cookie<'static>>,
}

/// 200: a file or a stream of the media type `M`, documented with the schema `B`.
pub(crate) struct Download<M, B> {
    response: HttpResponse,
    documented: PhantomData<(M, B)>,
}

/// A media type other than `application/json`.
pub(crate) trait Media {
    /// For `Content-Type`.
    const TYPE: &'static str;
}

impl<T: Serialize> Tagged<T> {
    /// The tag is a hash of the body.
    pub(crate) fn new(body: T, now: DateTime<Utc>) -> Self {
        Self { body: Some(body), tag: None, now }
    }

    /// The tag is known without the body.
    pub(crate) fn with_tag(tag: String, body: T, now: DateTime<Utc>) -> Self {
        Self { body: Some(body), tag: Some(tag), now }
    }

    /// The client has this tag (see [`has_tag`]).
    pub(crate) fn not_modified(tag: String, now: DateTime<Utc>) -> Self {
        Self { body: None, tag: Some(tag), now }
    }

    fn respond(self, request: &HttpRequest) -> ApiResult<HttpResponse> {
        let json = self.body.as_ref().map(print).transpose()?;
        let tag = match (self.tag, &json) {
            (Some(tag), _) => tag,
            (None, json) => {
                format!("W/\"{}\"", hex(&Sha256::digest(json.as_deref().unwrap_or_default()), 12))
            }
        };
        let Some(json) = json.filter(|_| !has_tag(request, &tag)) else {
            let mut response = HttpResponse::NotModified();
            return Ok(response
                .insert_header((ETAG, tag))
                .insert_header((CACHE_CONTROL, REVALIDATE))
                .finish());
        };
        let time = print_time(self.now);
        let rest = json.strip_prefix('{').unwrap_or(&json);
        let comma = if rest.starts_with('}') { "" } else { "," };
        let mut response = HttpResponse::Ok();
        response.insert_header((ETAG, tag)).insert_header((CACHE_CONTROL, REVALIDATE));
        response.insert_header((CONTENT_TYPE, "application/json"));
        Ok(response.body(format!("{{\"server_time\":\"{time}\"{comma}{rest}")))
    }
}

impl<T> Reply<T> {
    /// A read, or a write that needs no key.
    pub(crate) const fn new(body: T) -> Self {
        Self { body, replayed: false, cookies: Vec::new() }
    }

    /// The response to a write; `replayed` if an earlier request with the same key got it.
    pub(crate) const fn of_write(replayed: bool, body: T) -> Self {
        Self { body, replayed, cookies: Vec::new() }
    }

    /// Sets a cookie.
    pub(crate) fn with_cookie(mut self, cookie: Option<Cookie<'static>>) -> Self {
        self.cookies.extend(cookie);
        self
    }
}

impl<T> Created<T> {
    /// A write that needs no key.
    pub(crate) const fn new(body: T) -> Self {
        Self { body, replayed: false, cookies: Vec::new() }
    }

    /// The response to a write; `replayed` if an earlier request with the same key got it.
    pub(crate) const fn of_write(replayed: bool, body: T) -> Self {
        Self { body, replayed, cookies: Vec::new() }
    }

    /// Sets a cookie.
    pub(crate) fn with_cookie(mut self, cookie: Option<Cookie<'static>>) -> Self {
        self.cookies.extend(cookie);
        self
    }
}

impl NoContent {
    /// The response to a write; `replayed` if an earlier request with the same key got it.
    pub(crate) const fn of_write(replayed: bool) -> Self {
        Self { replayed, cookies: Vec::new() }
    }

    /// Sets a cookie.
    pub(crate) fn with_cookie(mut self, cookie: Option<Cookie<'static>>) -> Self {
        self.cookies.extend(cookie);
        self
    }
}

impl<M: Media, B> Download<M, B> {
    /// A whole file.
    pub(crate) fn file(name: &str, content: Vec<u8>) -> Self {
        Self::of(Self::builder(REVALIDATE, name).body(content))
    }

    /// A file that is sent while it is generated.
    pub(crate) fn streamed_file(
        name: &str,
        content: impl Stream<Item = std::io::Result<Bytes>> + 'static,
    ) -> Self {
        Self::of(Self::builder("no-store", name).streaming(Box::pin(content)))
    }

    /// An event stream. Never compressed, as the compressor would delay events. `X-Accel-Buffering: no` tells proxies
    /// not to buffer it.
    pub(crate) fn event_stream(content: impl Stream<Item = std::io::Result<Bytes>> + 'static) -> Self {
        let mut response = HttpResponse::Ok();
        response.insert_header((CONTENT_TYPE, M::TYPE)).insert_header((CACHE_CONTROL, "no-store"));
        response.insert_header(ContentEncoding::Identity).insert_header(("X-Accel-Buffering", "no"));
        Self::of(response.streaming(Box::pin(content)))
    }

    fn builder(cache: &'static str, name: &str) -> HttpResponseBuilder {
        let mut response = HttpResponse::Ok();
        response.insert_header((CONTENT_TYPE, M::TYPE)).insert_header((CACHE_CONTROL, cache));
        response.insert_header((CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")));
        response
    }

    fn of(response: HttpResponse) -> Self {
        Self { response, documented: PhantomData }
    }
}

impl<T: Serialize> Responder for Tagged<T> {
    type Body = BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        self.respond(request).unwrap_or_else(|error| error.error_response())
    }
}

impl<T: Serialize> Responder for Kept<T> {
    type Body = BoxBody;

    fn respond_to(self, request: &HttpRequest) -> HttpResponse {
        let tag = format!("W/\"{}\"", self.tag);
        let known = has_tag(request, &tag);
        let mut response = if known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
        response.insert_header((CACHE_CONTROL, if self.named { FOR_EVER } else { REVALIDATE }));
        response.insert_header((ETAG, tag));
        if known { response.finish() } else { json(response, &self.body) }
    }
}

impl<T: Serialize> Responder for Reply<T> {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        json(builder(StatusCode::OK, self.replayed, self.cookies), &self.body)
    }
}

impl<T: Serialize> Responder for Created<T> {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        json(builder(StatusCode::CREATED, self.replayed, self.cookies), &self.body)
    }
}

impl<T: Serialize> Responder for CreatedAt<T> {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        let mut response = builder(StatusCode::CREATED, self.replayed, Vec::new());
        response.insert_header((LOCATION, self.location));
        json(response, &self.body)
    }
}

impl<T: Serialize> Responder for Accepted<T> {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        json(builder(StatusCode::ACCEPTED, false, Vec::new()), &self.0)
    }
}

impl Responder for AcceptedEmpty {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        builder(StatusCode::ACCEPTED, false, Vec::new()).finish()
    }
}

impl Responder for NoContent {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        builder(StatusCode::NO_CONTENT, self.replayed, self.cookies).finish()
    }
}

impl<M, B> Responder for Download<M, B> {
    type Body = BoxBody;

    fn respond_to(self, _: &HttpRequest) -> HttpResponse {
        self.response
    }
}

fn builder(status: StatusCode, replayed: bool, cookies: Vec<Cookie<'static>>) -> HttpResponseBuilder {
    let mut response = HttpResponse::build(status);
    response.insert_header((CACHE_CONTROL, "no-store"));
    if replayed {
        response.insert_header(("Idempotency-Replayed", "true"));
    }
    for cookie in cookies {
        response.cookie(cookie);
    }
    response
}

fn json(mut response: HttpResponseBuilder, body: &impl Serialize) -> HttpResponse {
    match print(body) {
        Ok(json) => response.insert_header((CONTENT_TYPE, "application/json")).body(json),
        Err(error) => error.error_response(),
    }
}

/// Serializes a body as JSON.
///
/// # Errors
/// `internal`, if it cannot be serialized.
pub(crate) fn print(body: &impl Serialize) -> ApiResult<String> {
    serde_json::to_string(body).map_err(|error| {
        tracing::error!(%error, "a response could not be serialized");
        ApiError::plain(ProblemCode::Internal)
    })
}

/// Whether the client has this tag (`If-None-Match`). The comparison is weak, as proxies weaken tags.
pub(crate) fn has_tag(request: &HttpRequest, tag: &str) -> bool {
    let weak = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let given = request.headers().get_all(IF_NONE_MATCH).filter_map(|value| value.to_str().ok());
    given.flat_map(|value| value.split(',')).any(|given| given.trim() == "*" || weak(given) == weak(tag))
}

/// The first bytes in hexadecimal.
pub(crate) fn hex(bytes: &[u8], length: usize) -> String {
    bytes.iter().take(length).map(|byte| format!("{byte:02x}")).collect()
}
