//! Traces: spans of requests, exported by OTLP over HTTP, configured by the variables of OpenTelemetry
//! (`OTEL_EXPORTER_OTLP_ENDPOINT` and others). Without an endpoint there are none.
//!
//! A span has no path, header, body or parameter of a statement: what a log may not have, a trace may not either.

use std::env;

use opentelemetry::trace::TracerProvider;
use opentelemetry::{KeyValue, global};
use opentelemetry_otlp::{OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, SpanExporter};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::subscriber::Interest;
use tracing_subscriber::filter::dynamic_filter_fn;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, Registry};
use yaniv_model::traces::TRACES;

/// The exporter; dropped, it exports what it still has.
#[derive(Default)]
pub struct Traces(Option<SdkTracerProvider>);

/// Starts the log, with its lines and their filter, and the export of traces if an endpoint is configured.
///
/// # Errors
/// If the endpoint, or another variable of OpenTelemetry, cannot be used.
pub fn start<L>(lines: L, filter: EnvFilter) -> Result<Traces, String>
where
    L: Layer<Registry> + Send + Sync,
{
    // Starting twice, as in tests, has no effect.
    if !is_configured() {
        let _ = tracing_subscriber::registry().with(lines).with(filter).try_init();
        return Ok(Traces(None));
    }
    let provider = provider()?;
    // One filter for each layer: the spans of traces are not for the log. What background workers do is no trace.
    let spans = dynamic_filter_fn(|metadata, context| {
        metadata.target() == TRACES && (metadata.name() == "request" || context.lookup_current().is_some())
    })
    .with_callsite_filter(|metadata| {
        if metadata.target() == TRACES { Interest::sometimes() } else { Interest::never() }
    });
    let exported = tracing_opentelemetry::layer().with_tracer(provider.tracer("yaniv")).with_filter(spans);
    let _ = tracing_subscriber::registry().with(lines.with_filter(filter)).with(exported).try_init();
    global::set_text_map_propagator(TraceContextPropagator::new());
    Ok(Traces(Some(provider)))
}

fn is_configured() -> bool {
    let off = env::var("OTEL_SDK_DISABLED").is_ok_and(|value| value.eq_ignore_ascii_case("true"));
    let endpoints = [OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT];
    !off && endpoints.iter().any(|name| env::var_os(name).is_some_and(|value| !value.is_empty()))
}

fn provider() -> Result<SdkTracerProvider, String> {
    let exporter = SpanExporter::builder().with_http().build();
    let exporter = exporter.map_err(|error| format!("traces cannot be exported: {error}"))?;
    let mut resource =
        Resource::builder().with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")));
    if env::var_os("OTEL_SERVICE_NAME").is_none() {
        resource = resource.with_service_name("yaniv");
    }
    Ok(SdkTracerProvider::builder().with_batch_exporter(exporter).with_resource(resource.build()).build())
}

impl Drop for Traces {
    fn drop(&mut self) {
        if let Some(Err(error)) = self.0.as_ref().map(SdkTracerProvider::shutdown) {
            eprintln!("yaniv: the last traces were not exported: {error}");
        }
    }
}
