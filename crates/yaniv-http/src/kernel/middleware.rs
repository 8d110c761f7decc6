//! Around every request: an identifier under which the log knows it, headers of every answer, an answer where
//! a handler panics; and before it, the look-up of a personal token.
//!
//! HEAD is answered as GET is, without the body.
//!
//! The log names the route, never the path or the headers: codes, tokens and keys stay out of it.

use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use actix_web::Error;
use actix_web::body::{EitherBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderMap, HeaderName, HeaderValue,
    REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use actix_web::middleware::Next;
use actix_web::web::Data;
use futures_util::FutureExt;
use tracing::Instrument;
use uuid::Uuid;

use crate::kernel::cors::Origins;
use crate::kernel::drain_body::{HeldPayload, WithPayload};
use crate::kernel::error::ApiError;
use crate::kernel::extract::look_up;
use crate::kernel::head::{Bodiless, as_get};
use crate::kernel::problem::ProblemCode;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
/// What a browser may do with an answer: show it to nobody, run nothing of it.
const NOTHING: &str = "default-src 'none'; frame-ancestors 'none'";
/// The page of the documentation runs its own scripts, asks this service, and styles itself as it goes.
const OWN_PAGE: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
                        img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; \
                        form-action 'none'; frame-ancestors 'none'";

/// Gives the request an identifier, logs its status and duration, and answers 500 where a handler panics.
///
/// The identifier is in the log and in `X-Request-Id`. The line of the log is at level debug.
///
/// # Errors
/// Those of the handler.
pub async fn guard(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let begun = Instant::now();
    only_gzip(request.headers_mut());
    let id = Uuid::from_u128(rand::random()).to_string();
    let span = tracing::info_span!("request", method = %request.method(), request_id = id);
    let head = as_get(&mut request);
    let besides = headers(&request, &id);
    let payload = HeldPayload::of(&mut request);
    let answering = async {
        look_up(&request).await;
        next.call(request).await
    };
    let answered = AssertUnwindSafe(answering).catch_unwind().instrument(span.clone()).await;
    let result = answered.unwrap_or_else(|_| {
        span.in_scope(|| tracing::error!("a handler panicked"));
        // No answer of a handler: what goes with every answer has to be put into it here.
        Err(ApiError::plain(ProblemCode::Internal).with_headers(&besides).into())
    });
    span.in_scope(|| line(&result, begun.elapsed()));
    result.map(|mut response| {
        let headers = response.headers_mut();
        // What a handler may say itself.
        let own = [CACHE_CONTROL, CONTENT_SECURITY_POLICY];
        for (name, value) in besides {
            if name == VARY {
                headers.append(name, value);
            } else if !(own.contains(&name) && headers.contains_key(&name)) {
                headers.insert(name, value);
            }
        }
        let response = response.map_body(|_, body| {
            if head { EitherBody::right(Bodiless::instead_of(&body)) } else { EitherBody::left(body) }
        });
        match payload {
            None => response.map_body(|_, body| EitherBody::left(body)),
            Some(payload) => response
                .map_body(|_, body| EitherBody::right(WithPayload { body: body.boxed(), _payload: payload })),
        }
    })
}

/// What every answer has besides its own.
fn headers(request: &ServiceRequest, id: &str) -> Vec<(HeaderName, HeaderValue)> {
    let path = request.path();
    let (policy, cache) = match path {
        "/openapi.json" | "/openapi-3.0.json" => (NOTHING, "no-cache"),
        _ if path.starts_with("/docs") => (OWN_PAGE, "no-cache"),
        _ => (NOTHING, "no-store"),
    };
    let mut headers = vec![
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (X_FRAME_OPTIONS, HeaderValue::from_static("DENY")),
        (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (RESOURCE_POLICY, HeaderValue::from_static("same-origin")),
        (CONTENT_SECURITY_POLICY, HeaderValue::from_static(policy)),
        (CACHE_CONTROL, HeaderValue::from_static(cache)),
    ];
    if let Ok(id) = HeaderValue::try_from(id) {
        headers.push((REQUEST_ID, id));
    }
    if let Some(origins) = request.app_data::<Data<Origins>>().filter(|origins| !origins.is_empty()) {
        // A cache must not give one page the answer to another.
        headers.push((VARY, HeaderValue::from_static("origin")));
        headers.extend(origins.headers(request.headers()));
    }
    headers
}

/// Lets only gzip be negotiated: where a client forbids the plain form, `Compress` would answer 406 in plain text.
fn only_gzip(headers: &mut HeaderMap) {
    let Some(accepted) = headers.get(ACCEPT_ENCODING) else { return };
    let gzip =
        accepted.to_str().is_ok_and(|accepted| accepted.split(',').any(|coding| coding.trim() == "gzip"));
    if gzip {
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
    } else {
        headers.remove(ACCEPT_ENCODING);
    }
}

/// One line for each request. It has taken so long until its answer began: streams and files are sent afterwards.
fn line<B: MessageBody>(result: &Result<ServiceResponse<B>, Error>, duration: Duration) {
    let (status, route) = match result {
        Ok(response) => (response.status(), response.request().match_pattern()),
        Err(error) => (error.as_response_error().status_code(), None),
    };
    let (status, route) = (status.as_u16(), route.as_deref().unwrap_or("none"));
    let duration_ms = f64::from(u32::try_from(duration.as_micros()).unwrap_or(u32::MAX)) / 1000.0;
    tracing::debug!(status, route, duration_ms, "answered");
}
