//! Traces, in a build without them.

use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry};

/// What would export traces.
pub struct Traces;

/// Starts the log, with its lines and their filter.
///
/// # Errors
/// If the environment asks for traces.
pub fn start<L>(lines: L, filter: EnvFilter) -> Result<Traces, String>
where
    L: Layer<Registry> + Send + Sync,
{
    // Starting twice, as in tests, has no effect.
    let _ = tracing_subscriber::registry().with(lines).with(filter).try_init();
    let endpoint = std::env::var_os("OTEL_EXPORTER_OTLP_ENDPOINT");
    if endpoint.is_some_and(|value| !value.is_empty()) {
        tracing::warn!(
            "OTEL_EXPORTER_OTLP_ENDPOINT is set, but this build exports no traces: it was built without the feature otlp"
        );
    }
    Ok(Traces)
}
