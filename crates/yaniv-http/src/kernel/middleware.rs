//! The outermost middleware: request id, log line, trace, common headers, 500 on a panic, and the look-up of a personal
//! token.
//!
//! HEAD is handled as GET, without the body.
//!
//! The log contains the route, never the path or headers, so that codes, tokens and keys stay out of it.

use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use actix_web::Error;
use actix_web::body::{BodySize, EitherBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{
    ACCEPT_ENCODING, ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderMap,
    HeaderName, HeaderValue, REFERRER_POLICY, VARY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use actix_web::http::{ConnectionType, Method, Version};
use actix_web::middleware::Next;
use actix_web::web::Data;
use futures_util::FutureExt;
#[cfg(feature = "otlp")]
use opentelemetry::trace::TraceContextExt;
use tracing::{Instrument, Level, Span};
#[cfg(feature = "otlp")]
use tracing_opentelemetry::OpenTelemetrySpanExt;
use uuid::Uuid;
use yaniv_model::traces::TRACES;

use crate::kernel::cors::Origins;
use crate::kernel::drain_body::{HeldPayload, WithPayload};
use crate::kernel::error::ApiError;
use crate::kernel::extract::look_up;
use crate::kernel::head::{Bodiless, as_get};
use crate::kernel::problem::ProblemCode;
#[cfg(feature = "otlp")]
use crate::kernel::rate_limit::Limits;
use crate::kernel::request_metrics::RequestMetrics;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
/// Policy of API responses: no frames, no scripts, no other content.
const NOTHING: &str = "default-src 'none'; frame-ancestors 'none'";
/// Policy of the documentation page, which runs its own scripts, calls this service and sets inline styles.
const OWN_PAGE: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
                        img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; \
                        form-action 'none'; frame-ancestors 'none'";

/// The paths of the OpenAPI documents, in both editions.
pub(crate) const DOCUMENTS: [&str; 2] = ["/openapi.json", "/openapi-3.0.json"];

/// Gives the request an id, logs status and duration, and answers 500 if a handler panics.
///
/// The id is in the log and in `X-Request-Id`. The log line is at level debug.
///
/// # Errors
/// Those of the handler.
pub async fn guard(
    mut request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<impl MessageBody>, Error> {
    let begun = Instant::now();
    only_gzip(&mut request);
    let old = request.version() < Version::HTTP_11;
    let id = Uuid::from_u128(rand::random()).to_string();
    let span = tracing::info_span!("request", method = %request.method(), request_id = id);
    let trace = span.in_scope(|| trace_span(&request, &id));
    let head = as_get(&mut request);
    let counted =
        request.app_data::<Data<RequestMetrics>>().map(|metrics| (metrics.clone(), request.method().clone()));
    let besides = headers(&request, &id);
    let payload = HeldPayload::of(&mut request);
    let answering = async {
        look_up(&request).await;
        next.call(request).await
    };
    let answered =
        AssertUnwindSafe(answering).catch_unwind().instrument(trace.clone()).instrument(span.clone()).await;
    let result = answered.unwrap_or_else(|_| {
        span.in_scope(|| tracing::error!("a handler panicked"));
        // This response skips the code below that adds the common headers, so it gets them here.
        Err(ApiError::plain(ProblemCode::Internal).with_headers(&besides).into())
    });
    #[cfg(feature = "otlp")]
    trace_answer(&trace, &result);
    span.in_scope(|| line(&result, begun.elapsed(), counted));
    result.map(|mut response| {
        if old {
            without_chunks(&mut response);
        }
        let headers = response.headers_mut();
        // Headers that a handler may set itself.
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

/// The span of a request in traces, below that of a trusted proxy if it sent one (`traceparent`). Names are those of
/// OpenTelemetry.
fn trace_span(request: &ServiceRequest, id: &str) -> Span {
    let span = tracing::trace_span!(
        target: TRACES,
        "request",
        otel.kind = "server",
        http.request.method = %request.method(),
        request_id = id,
    );
    #[cfg(feature = "otlp")]
    if !span.is_disabled() && is_from_proxy(request) {
        let headers = Carrier(request.headers());
        let parent =
            opentelemetry::global::get_text_map_propagator(|propagator| propagator.extract(&headers));
        // It has not been entered yet.
        let _ = span.set_parent(parent);
    }
    span
}

/// Whether the request comes by a trusted proxy. A client must not choose what is sampled.
#[cfg(feature = "otlp")]
fn is_from_proxy(request: &ServiceRequest) -> bool {
    let peer = request.peer_addr().map(|peer| peer.ip().to_canonical());
    let limits = request.app_data::<Data<Limits>>();
    peer.zip(limits).is_some_and(|(peer, limits)| limits.trusts(peer))
}

/// Records the answer. As in the log, the path is left out.
#[cfg(feature = "otlp")]
fn trace_answer<B: MessageBody>(trace: &Span, result: &Result<ServiceResponse<B>, Error>) {
    if trace.is_disabled() {
        return;
    }
    let status = match result {
        Ok(response) => {
            let request = response.request();
            if let Some(route) = request.match_pattern() {
                trace.context().span().update_name(format!("{} {route}", request.method()));
                trace.set_attribute("http.route", route);
            }
            response.status()
        }
        Err(error) => error.as_response_error().status_code(),
    };
    trace.set_attribute("http.response.status_code", i64::from(status.as_u16()));
    if status.is_server_error() {
        trace.set_status(opentelemetry::trace::Status::error(""));
    }
}

/// The headers that continue a trace.
#[cfg(feature = "otlp")]
struct Carrier<'a>(&'a HeaderMap);

#[cfg(feature = "otlp")]
impl opentelemetry::propagation::Extractor for Carrier<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(HeaderName::as_str).collect()
    }
}

/// The headers of every response.
fn headers(request: &ServiceRequest, id: &str) -> Vec<(HeaderName, HeaderValue)> {
    let path = request.path();
    let (policy, cache) = match path {
        _ if DOCUMENTS.contains(&path) => (NOTHING, "no-cache"),
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
        // A cache must not give one origin the response for another.
        headers.push((VARY, HeaderValue::from_static("origin")));
        headers.extend(origins.headers(request.headers()));
    }
    if DOCUMENTS.contains(&path) {
        // Editors on the web load them.
        headers.push((ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*")));
        headers.push((RESOURCE_POLICY, HeaderValue::from_static("cross-origin")));
    }
    headers
}

/// Reduces `Accept-Encoding` to gzip or nothing: if a client forbids `identity`, `Compress` would answer 406 in plain
/// text. Nothing for HTTP/1.0, where the end of a compressed answer could not be told.
fn only_gzip(request: &mut ServiceRequest) {
    let old = request.version() < Version::HTTP_11;
    let headers = request.headers_mut();
    let lines: Vec<_> = headers.remove(ACCEPT_ENCODING).collect();
    let lines: Vec<_> = lines.iter().filter_map(|line| line.to_str().ok()).collect();
    if !old && wants_gzip(&lines.join(",")) {
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
    }
}

/// HTTP/1.0 has no chunks: an answer of unknown length ends with the connection.
fn without_chunks<B: MessageBody>(response: &mut ServiceResponse<B>) {
    if response.response().body().size() == BodySize::Stream {
        let head = response.response_mut().head_mut();
        head.no_chunking(true);
        head.set_connection_type(ConnectionType::Close);
    }
}

/// Whether `Accept-Encoding` allows gzip, and does not prefer the answer as it is.
fn wants_gzip(accepted: &str) -> bool {
    let weight = |name: &str| {
        let codings = accepted.split(',').map(|coding| coding.split_once(';').unwrap_or((coding, "")));
        let (_, parameter) =
            codings.into_iter().find(|(coding, _)| coding.trim().eq_ignore_ascii_case(name))?;
        let value = parameter.trim().strip_prefix(['q', 'Q']).and_then(|rest| rest.trim().strip_prefix('='));
        Some(value.map_or(1.0, |value| value.trim().parse::<f32>().unwrap_or(0.0)))
    };
    let gzip = weight("gzip").or_else(|| weight("x-gzip")).or_else(|| weight("*")).unwrap_or(0.0);
    gzip > 0.0 && gzip >= weight("identity").unwrap_or(0.0)
}

/// Logs one line for each request, and counts it. The duration ends when the response begins: streams and files are
/// sent afterwards.
fn line<B: MessageBody>(
    result: &Result<ServiceResponse<B>, Error>,
    duration: Duration,
    counted: Option<(Data<RequestMetrics>, Method)>,
) {
    if counted.is_none() && !tracing::enabled!(Level::DEBUG) {
        return;
    }
    let (status, route) = match result {
        Ok(response) => (response.status(), response.request().match_pattern()),
        Err(error) => (error.as_response_error().status_code(), None),
    };
    let route = route.as_deref().unwrap_or("none");
    if let Some((metrics, method)) = counted {
        metrics.count(&method, route, status, duration);
    }
    let status = status.as_u16();
    let duration_ms = f64::from(u32::try_from(duration.as_micros()).unwrap_or(u32::MAX)) / 1000.0;
    tracing::debug!(status, route, duration_ms, "answered");
}

#[cfg(test)]
mod tests {
    use super::wants_gzip;

    #[test]
    fn weights_of_codings_are_honoured() {
        for accepted in ["gzip", "GZIP", "br, gzip;q=1.0", "gzip ; q=0.5", "*", "br;q=1, *;q=0.1", "x-gzip"] {
            assert!(wants_gzip(accepted), "{accepted}");
        }
        for accepted in ["", "br", "gzip;q=0", "gzip;q=0.000, *", "gzip;q=0.5, identity;q=1", "gzip;q=x"] {
            assert!(!wants_gzip(accepted), "{accepted}");
        }
    }
}
