//! The log: text for people or JSON for machines, and one span a request with the route, never the path or the
//! headers: codes, tokens and keys stay out of it.

use actix_web::HttpMessage;
use actix_web::body::MessageBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use tracing::Span;
use tracing_actix_web::{RequestId, RootSpanBuilder};
use tracing_subscriber::EnvFilter;
use uuid::Uuid;

/// Crates that print what they send, parameters included, if they are let.
const SILENT: [&str; 2] = ["tokio_postgres=info", "postgres_protocol=info"];

/// Starts logging to standard error. `RUST_LOG` chooses what, `info` if it is not set; but nothing makes the log
/// show what statements carry: hands, seeds and hashes are among it.
pub fn start(format: &str) {
    let terminal = std::io::IsTerminal::is_terminal(&std::io::stderr());
    let builder =
        tracing_subscriber::fmt().with_env_filter(filter()).with_ansi(terminal).with_writer(std::io::stderr);
    // A second start, as in tests, changes nothing.
    let _ = match format {
        "json" => builder.json().try_init(),
        _ => builder.with_target(false).try_init(),
    };
}

fn filter() -> EnvFilter {
    let filter =
        EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info,actix_server=warn"));
    let silent = SILENT.iter().filter_map(|directive| directive.parse().ok());
    silent.fold(filter, EnvFilter::add_directive)
}

/// A span that names method, route and request id; and a line with the status at the end, at level debug. Errors are
/// not printed here: what is to be known of them is logged where they are answered.
pub struct RequestSpan;

impl RootSpanBuilder for RequestSpan {
    fn on_request_start(request: &ServiceRequest) -> Span {
        tracing::info_span!(
            "request",
            method = %request.method(),
            route = %request.match_pattern().unwrap_or_else(|| "none".to_owned()),
            request_id = %request_id(request),
        )
    }

    fn on_request_end<B: MessageBody>(span: Span, outcome: &Result<ServiceResponse<B>, actix_web::Error>) {
        let status = match outcome {
            Ok(response) => response.status(),
            Err(error) => error.as_response_error().status_code(),
        };
        span.in_scope(|| tracing::debug!(status = status.as_u16(), "answered"));
    }
}

/// The identifier of a request: in its span, and in the `X-Request-Id` of its answer.
pub fn request_id(request: &impl HttpMessage) -> Uuid {
    request.extensions().get::<RequestId>().map_or_else(Uuid::nil, |id| **id)
}
