//! The operator's metrics in OpenMetrics text, on a listener of their own: `/metrics`, without authentication.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use actix_web::dev::Server;
use actix_web::web::{self, Data};
use actix_web::{App, HttpResponse, HttpServer};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;
use yaniv_app::Services;
use yaniv_app::kernel::metrics::{Measured, Waiting};

use crate::kernel::request_metrics::RequestMetrics;
use crate::openapi::identifiers;

const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// How a gauge is read. Without the database, what waits there is not a number.
type Read = fn(&Measured) -> f64;
/// The name and description of a gauge.
type Reading = (&'static str, &'static str, Read);

const READINGS: [Reading; 13] = [
    ("database_connections_open", "Open database connections", |measured| number(measured.connections[0])),
    ("database_connections_in_use", "Database connections in use", |measured| {
        number(measured.connections[1])
    }),
    ("database_up", "1 if the database answers", |measured| f64::from(u8::from(measured.backlog.is_some()))),
    ("database_old_primary", "1 if an old primary was refused within the last minute", |measured| {
        f64::from(u8::from(measured.refuses_old_primary))
    }),
    ("cached_matches", "Matches in memory", |measured| number(measured.cached)),
    ("streams_open", "Open event streams", |measured| number(measured.streams)),
    ("due_matches", "Matches that are due and not yet attended to", |measured| {
        waiting(measured).map_or(f64::NAN, |waiting| waiting.due)
    }),
    ("due_matches_late_seconds", "Lateness of the match that is due for longest", |measured| {
        waiting(measured).map_or(f64::NAN, |waiting| waiting.due_seconds)
    }),
    ("outbox_pending", "Notifications that wait or are being sent", |measured| {
        waiting(measured).map_or(f64::NAN, |waiting| waiting.outbox)
    }),
    ("outbox_oldest_seconds", "Age of the oldest that is due or was tried", |measured| {
        waiting(measured).map_or(f64::NAN, |waiting| waiting.outbox_seconds)
    }),
    ("archive_pending", "Matches that should have been archived, up to 10,000", |measured| {
        waiting(measured).filter(|_| measured.archives).map_or(f64::NAN, |waiting| waiting.archive)
    }),
    ("archive_late_seconds", "For how long the first of them has been due", |measured| {
        waiting(measured).filter(|_| measured.archives).map_or(f64::NAN, |waiting| waiting.archive_seconds)
    }),
    ("schema_version", "The newest migration of the database: its date and time as a number", |measured| {
        waiting(measured).map_or(f64::NAN, |waiting| waiting.schema)
    }),
];

fn waiting(measured: &Measured) -> Option<&Waiting> {
    measured.backlog.as_ref().map(|backlog| &backlog.waiting)
}

fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// A gauge for each value of one label.
type ByLabel = Family<[(&'static str, String); 1], Gauge<f64, AtomicU64>>;

/// Gauges whose labels are those of the moment.
#[derive(Default)]
struct Labelled {
    workers: ByLabel,
    host_pending: ByLabel,
    host_seconds: ByLabel,
}

impl Labelled {
    fn register(&self, registry: &mut Registry) {
        registry.register(
            "worker_up",
            "1 if the last run of a background worker did not fail",
            self.workers.clone(),
        );
        let help = "Notifications that wait or are being sent, by host: five hosts and the rest";
        registry.register("outbox_host_pending", help, self.host_pending.clone());
        let help = "Age of the oldest that is due or was tried, by host";
        registry.register("outbox_host_oldest_seconds", help, self.host_seconds.clone());
    }

    fn set(&self, measured: &Measured) {
        for (name, runs) in &measured.workers {
            self.workers.get_or_create(&[("worker", (*name).to_owned())]).set(f64::from(u8::from(*runs)));
        }
        self.host_pending.clear();
        self.host_seconds.clear();
        for host in measured.backlog.iter().flat_map(|backlog| &backlog.hosts) {
            let label = [("host", host.host.clone())];
            self.host_pending.get_or_create(&label).set(host.pending);
            self.host_seconds.get_or_create(&label).set(host.seconds);
        }
    }
}

/// All metrics of an instance.
pub struct Metrics {
    registry: Registry,
    gauges: Vec<(Gauge<f64, AtomicU64>, Read)>,
    labelled: Labelled,
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
        let labelled = Labelled::default();
        labelled.register(&mut registry);
        Self { registry, gauges: gauges.into(), labelled, requests }
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
    metrics.labelled.set(&measured);
    let mut text = String::new();
    match encode(&mut text, &metrics.registry) {
        Ok(()) => HttpResponse::Ok().content_type(MEDIA_TYPE).body(text),
        Err(_) => HttpResponse::InternalServerError().finish(),
    }
}
