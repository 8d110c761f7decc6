//! The operator's metrics in OpenMetrics text, on a listener of their own: `/metrics`, without authentication.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use actix_web::dev::Server;
use actix_web::web::{self, Data};
use actix_web::{App, HttpResponse, HttpServer};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use yaniv_app::Services;
use yaniv_app::kernel::metrics::Measured;

use crate::kernel::request_metrics::RequestMetrics;
use crate::openapi::identifiers;

const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// How a gauge is read. Without the database, what waits there is not a number.
type Read = fn(&Measured) -> f64;
/// The name and description of a gauge.
type Reading = (&'static str, &'static str, Read);

const READINGS: [Reading; 9] = [
    ("database_connections_open", "Open database connections", |measured| number(measured.connections[0])),
    ("database_connections_in_use", "Database connections in use", |measured| {
        number(measured.connections[1])
    }),
    ("database_up", "1 if the database answers", |measured| f64::from(u8::from(measured.backlog.is_some()))),
    ("cached_matches", "Matches in memory", |measured| number(measured.cached)),
    ("streams_open", "Open event streams", |measured| number(measured.streams)),
    ("due_matches", "Matches that are due and not yet attended to", |measured| {
        measured.backlog.map_or(f64::NAN, |backlog| backlog.due)
    }),
    ("due_matches_late_seconds", "Lateness of the match that is due for longest", |measured| {
        measured.backlog.map_or(f64::NAN, |backlog| backlog.due_seconds)
    }),
    ("outbox_pending", "Notifications that wait or are being sent", |measured| {
        measured.backlog.map_or(f64::NAN, |backlog| backlog.outbox)
    }),
    ("outbox_oldest_seconds", "Age of the oldest that is due or was tried", |measured| {
        measured.backlog.map_or(f64::NAN, |backlog| backlog.outbox_seconds)
    }),
];

fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// All metrics of an instance.
pub struct Metrics {
    registry: Registry,
    gauges: Vec<(Gauge<f64, AtomicU64>, Read)>,
    requests: Arc<RequestMetrics>,
}

impl Metrics {
    /// Those of the use cases, of requests, and of the process.
    pub fn new(services: &Services) -> Self {
        let mut registry = Registry::with_prefix("yaniv");
        let build = Info::new(vec![("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "The program", build);
        services.metrics().register(&mut registry);
        let requests = Arc::new(RequestMetrics::new(&mut registry, identifiers()));
        let gauges = READINGS.map(|(name, help, read)| {
            let gauge = Gauge::default();
            registry.register(name, help, Gauge::clone(&gauge));
            (gauge, read)
        });
        Self { registry, gauges: gauges.into(), requests }
    }

    /// For the server that counts them.
    #[must_use]
    pub fn requests(&self) -> Arc<RequestMetrics> {
        Arc::clone(&self.requests)
    }
}

/// Binds the address and starts the listener, with one thread.
///
/// # Errors
/// If the address is in use.
pub fn listen_for_metrics(
    address: SocketAddr,
    metrics: Metrics,
    services: Services,
) -> Result<(SocketAddr, Server), String> {
    let (metrics, services) = (Data::new(metrics), Data::new(services));
    let server = HttpServer::new(move || {
        let app = App::new().app_data(metrics.clone()).app_data(services.clone());
        app.route("/metrics", web::get().to(answer))
    })
    .workers(1)
    .disable_signals()
    .bind(address)
    .map_err(|error| format!("metrics cannot listen on {address}: {error}"))?;
    let address = server.addrs().first().copied().ok_or("no address to listen on")?;
    Ok((address, server.run()))
}

async fn answer(metrics: Data<Metrics>, services: Data<Services>) -> HttpResponse {
    let measured = services.measure().await;
    for (gauge, read) in &metrics.gauges {
        gauge.set(read(&measured));
    }
    let mut text = String::new();
    match encode(&mut text, &metrics.registry) {
        Ok(()) => HttpResponse::Ok().content_type(MEDIA_TYPE).body(text),
        Err(_) => HttpResponse::InternalServerError().finish(),
    }
}
