//! The log: text for people or JSON for machines, and one span a request with the route, never the path or the
//! headers: codes, tokens and keys stay out of it.

use actix_web::HttpMessage;
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use tracing::Span;
use tracing_actix_web::{DefaultRootSpanBuilder, RequestId, RootSpanBuilder};
use tracing_subscriber::EnvFilter;
use uuid::Uuid;

/// Starts logging to standard error. `RUST_LOG` chooses what, `info` if it is not set.
pub fn start(format: &str) {
    let filter =
        EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info,actix_server=warn"));
    let terminal = std::io::IsTerminal::is_terminal(&std::io::stderr());
    let builder =
        tracing_subscriber::fmt().with_env_filter(filter).with_ansi(terminal).with_writer(std::io::stderr);
    // A second start, as in tests, changes nothing.
    let _ = match format {
        "json" => builder.json().try_init(),
        _ => builder.with_target(false).try_init(),
    };
}

/// A span that names method, route and request id, and in the end the status.
pub struct RequestSpan;

impl RootSpanBuilder for RequestSpan {
    fn on_request_start(request: &ServiceRequest) -> Span {
        let id = request_id(request);
        tracing::info_span!(
            "request",
            method = %request.method(),
            route = %request.match_pattern().unwrap_or_else(|| "none".to_owned()),
            request_id = %id,
            http.status_code = tracing::field::Empty,
            otel.status_code = tracing::field::Empty,
            exception.message = tracing::field::Empty,
            exception.details = tracing::field::Empty,
        )
    }

    fn on_request_end<B: MessageBody>(span: Span, outcome: &Result<ServiceResponse<B>, actix_web::Error>) {
        if let Ok(response) = outcome {
            span.in_scope(|| tracing::debug!(status = response.status().as_u16(), "answered"));
        }
        DefaultRootSpanBuilder::on_request_end(span, outcome);
    }
}

/// The identifier of a request: in its span, and in the `X-Request-Id` of its answer.
pub fn request_id(request: &impl HttpMessage) -> Uuid {
    request.extensions().get::<RequestId>().map_or_else(Uuid::nil, |id| **id)
}
