//! Traces, in a build without them.

use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry};

/// What would export traces.
pub struct Traces;

/// Starts the log, with its lines and their filter.
///
/// # Errors
/// Never; it warns if the environment asks for traces.
pub fn start<L>(lines: L, filter: EnvFilter) -> Result<Traces, String>
where
    L: Layer<Registry> + Send + Sync,
{
    // Starting twice, as in tests, has no effect.
    let _ = tracing_subscriber::registry().with(lines).with(filter).try_init();
    let endpoints = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"];
    if endpoints.iter().any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty())) {
        tracing::warn!(
            "an endpoint for traces is set, but this build exports none: it lacks the feature otlp"
        );
    }
    Ok(Traces)
}
