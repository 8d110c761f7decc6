//! Starts the HTTP server: workers, middleware, routes.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use actix_web::dev::Server;
use actix_web::middleware::{Compress, from_fn};
use actix_web::web::{self, Data};
use actix_web::{App, HttpServer};
use tokio::runtime::Handle;
use yaniv_app::Services;

use super::connections;
use super::docs::{docs, documents};
use super::fallback::{Methods, not_found};
use super::web_client::WebClient;
use crate::kernel::cors::Origins;
use crate::kernel::large_answers::{LargeAnswers, count_large_answers};
use crate::kernel::links::Links;
use crate::kernel::middleware::guard;
use crate::kernel::misfits::name_all_misfits;
use crate::kernel::rate_limit::Limits;
use crate::kernel::request_metrics::RequestMetrics;
use crate::lobby::join_page::join_page;
use crate::notifications::unsubscribe_page::{unsubscribe, unsubscribe_page};
use crate::oauth::endpoints;
use crate::oidc;
use crate::routes;

/// Time that open requests have to finish after the signal to stop.
const SHUTDOWN_SECONDS: u64 = 8;

/// Address and limits of the server, and where it counts requests.
pub struct Listening {
    /// Address to bind.
    pub address: SocketAddr,
    /// Worker threads.
    pub workers: usize,
    /// Most connections of all workers together.
    pub connections: usize,
    /// Counts of requests, if there are metrics.
    pub metrics: Option<Arc<RequestMetrics>>,
}

/// Binds the address and starts the server.
///
/// # Errors
/// If the address is in use.
pub fn listen(
    listening: &Listening,
    services: Services,
    limits: Limits,
    origins: Origins,
    links: Links,
    client: WebClient,
) -> Result<(SocketAddr, Server), String> {
    let Listening { address, workers, connections, .. } = *listening;
    let metrics = listening.metrics.clone().map(Data::from);
    let limits = Data::new(limits);
    limits.start_forgetting(&Handle::current());
    let documents = documents(links.public_url());
    let (origins, links) = (Data::new(origins), Data::new(links));
    let methods = Data::new(Methods::new(client.has_screens()));
    let client = Data::new(client);
    let data = Data::new(services);
    let large = Data::new(LargeAnswers::default());
    let server = HttpServer::new(move || {
        App::new()
            .app_data(data.clone())
            .app_data(methods.clone())
            .app_data(limits.clone())
            .app_data(large.clone())
            .app_data(origins.clone())
            .app_data(links.clone())
            .app_data(client.clone())
            .configure(|config| {
                if let Some(metrics) = &metrics {
                    config.app_data(metrics.clone());
                }
            })
            .configure(routes)
            .configure(|config| docs(config, documents))
            .configure(oidc::endpoints)
            .service(
                web::resource("/unsubscribe/{token}")
                    .route(web::get().to(unsubscribe_page))
                    .route(web::post().to(unsubscribe)),
            )
            .configure(|config| {
                // The web client has a screen for it, and the consent screen of OAuth.
                if client.has_screens() {
                    endpoints(config);
                } else {
                    config.route("/join/{code}", web::get().to(join_page));
                }
            })
            .default_service(web::to(not_found))
            .wrap(from_fn(name_all_misfits))
            .wrap(from_fn(count_large_answers))
            .wrap(Compress::default())
            .wrap(from_fn(guard))
    })
    .workers(workers)
    .shutdown_timeout(SHUTDOWN_SECONDS)
    .max_connections(connections.div_ceil(workers))
    .client_request_timeout(Duration::from_secs(5))
    .h1_allow_half_closed(false)
    // A compressed response is written in two parts. Nagle's algorithm would delay the second until the client has
    // acknowledged the first.
    .tcp_nodelay(true)
    .on_connect(|connection, _| connections::give_up_silent(connection))
    // `run` handles signals, from before the server starts.
    .disable_signals()
    .bind(address)
    .map_err(|error| format!("cannot listen on {address}: {error}"))?;
    let address = server.addrs().first().copied().ok_or("no address to listen on")?;
    Ok((address, server.run()))
}
