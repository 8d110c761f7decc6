//! Puts the parts together: database, use cases, routes, server.

use std::net::SocketAddr;
use std::time::Duration;

use actix_web::middleware::{Compress, from_fn};
use actix_web::web::{self, Bytes, Data};
use actix_web::{App, HttpResponse, HttpServer, Route};
use rand::TryRng;
use tokio::runtime::Handle;
use utoipa_actix_web::AppExt;
use utoipa_swagger_ui::{Config, SwaggerUi};

use crate::auth::Keeper;
use crate::auth::opaque::Seal;
use crate::auth::password::Passwords;
use crate::auth::token::Tokens;
use crate::config::{Secret, ServeOptions};
use crate::connections;
use crate::http::openapi::{Edition, document_text};
use crate::http::{self, Limits, Links, Methods, Origins};
use crate::outward::Postman;
use crate::outward::resolve::Guarded;
use crate::outward::vapid::{self, PushKey};
use crate::service::notices::Notices;
use crate::service::{Allowed, Services};
use crate::store::Store;
use crate::store::migrations;
use crate::store::secrets::{secret_find_or_insert, secret_map};

type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// How long open requests may go on after the signal to stop.
const SHUTDOWN_SECONDS: u64 = 8;

/// Names of secrets in the database: what signs access tokens, what verifies them besides while it is exchanged
/// (docs/operations.md), and what seals the other tokens.
const ACCESS_TOKEN: &str = "access_token";
const OTHER_ACCESS_TOKENS: [&str; 2] = ["access_token_next", "access_token_previous"];
const OPAQUE_TOKEN: &str = "opaque_token";
/// And what signs pushes.
const PUSH_KEY: &str = "push_key";

/// A service that listens.
pub struct Running {
    /// Where it listens.
    pub address: SocketAddr,
    /// Ends when the service has stopped.
    pub server: actix_web::dev::Server,
    services: Services,
}

impl Running {
    /// What ends the streams that are open, and answers whoever waits: to be called before the server is stopped.
    pub fn streams(&self) -> impl FnOnce() + use<> {
        let services = self.services.clone();
        move || services.end_streams()
    }

    /// Serves until it is stopped, then waits for the writes under way.
    ///
    /// # Errors
    /// Those of the server.
    pub async fn serve(self) -> std::io::Result<()> {
        self.server.await?;
        self.services.finish_writes().await;
        Ok(())
    }
}

/// Migrates the database and starts to listen.
///
/// # Errors
/// If the database is not to be had or not fit, a secret is too short, or the address is in use.
pub async fn start(options: &ServeOptions, database_url: &str) -> Result<Running, AnyError> {
    migrations::prepare(database_url).await?;
    let store = Store::new(database_url, options.database_connections.max(1), &Handle::current())?;
    let tokens = Tokens::new(&token_secrets(&store, options.token_secrets()?).await?)?;
    let seal = Seal::new(&drawn_secret(&store, OPAQUE_TOKEN).await?);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let memory = options.match_memory.saturating_mul(1024 * 1024);
    let keeper = Keeper { passwords: Passwords::new(cores / 2), tokens, seal };
    let notices = notices(&store, options).await?;
    let allowed = Allowed { sign_up: options.sign_up, sandboxes: options.sandboxes };
    let services = Services::new(store, keeper, Handle::current(), memory, allowed, notices)
        .with_streams(options.streams, Duration::from_secs(options.heartbeat));
    services.watch_ended().await?;
    services.take_care();
    services.attend_matches();
    services.tell();
    services.keep_books();
    services.rate_matches();
    let workers = if options.workers == 0 { cores } else { options.workers };
    let limits = Data::new(Limits::new(options.rate_limits, options.trusted_proxies.clone()));
    let forgetting = limits.clone();
    tokio::spawn(async move { forgetting.forget_now_and_then().await });
    let connections = connections::at_most(options.connections.max(1));
    let listening = Listening { address: options.listen, workers, connections };
    let links = Data::new(Links::new(options.public_url.as_deref()));
    listen(&listening, services, limits, Data::new(options.cors_origins.clone()), links)
}

/// What access tokens are signed with: the first signs, all of them verify.
async fn token_secrets(store: &Store, configured: Vec<Secret>) -> Result<Vec<Vec<u8>>, AnyError> {
    if !configured.is_empty() {
        return Ok(configured.iter().map(|secret| secret.expose().as_bytes().to_vec()).collect());
    }
    tracing::info!("no YANIV_TOKEN_SECRET: access tokens are signed with a secret kept in the database");
    let mut secrets = vec![drawn_secret(store, ACCESS_TOKEN).await?];
    let others = secret_map(&*store.connection().await?, &OTHER_ACCESS_TOKENS).await?;
    secrets.extend(others.into_values());
    Ok(secrets)
}

/// A secret that the service keeps for itself in the database.
async fn drawn_secret(store: &Store, name: &str) -> Result<Vec<u8>, AnyError> {
    let mut drawn = [0; 32];
    rand::rngs::SysRng.try_fill_bytes(&mut drawn)?;
    Ok(secret_find_or_insert(&*store.connection().await?, name, &drawn).await?)
}

/// What notices are sent with.
async fn notices(store: &Store, options: &ServeOptions) -> Result<Notices, AnyError> {
    let private = match options.push_key()? {
        Some(key) => vapid::read_private(key.expose())?,
        None => {
            let mut drawn = [0; 32];
            while !vapid::is_private(&drawn) {
                rand::rngs::SysRng.try_fill_bytes(&mut drawn)?;
            }
            secret_find_or_insert(&*store.connection().await?, PUSH_KEY, &drawn).await?
        }
    };
    let https = |url: &&String| url.starts_with("https://");
    let contact = options.contact.as_ref().filter(|contact| !contact.is_empty());
    let contact = contact.or(options.public_url.as_ref().filter(https)).cloned();
    let inside = options.private_destinations;
    let postman = Postman::new(Guarded::system(inside), inside)?;
    Ok(Notices::new(postman, PushKey::new(&private, contact)?, inside, options.public_url.clone()))
}

/// Where and how the server listens.
struct Listening {
    address: SocketAddr,
    workers: usize,
    /// At most, of all workers together.
    connections: usize,
}

fn listen(
    listening: &Listening,
    services: Services,
    limits: Data<Limits>,
    origins: Data<Origins>,
    links: Data<Links>,
) -> Result<Running, AnyError> {
    let Listening { address, workers, connections } = *listening;
    let [document, older] = [Edition::V31, Edition::V30].map(|edition| Bytes::from(document_text(edition)));
    let methods = Data::new(Methods::new());
    let data = Data::new(services.clone());
    let server = HttpServer::new(move || {
        let (app, _) = App::new()
            .into_utoipa_app()
            .app_data(data.clone())
            .app_data(methods.clone())
            .app_data(limits.clone())
            .app_data(origins.clone())
            .app_data(links.clone())
            .configure(http::routes)
            .split_for_parts();
        app.route("/openapi.json", serve_document(document.clone()))
            .route("/openapi-3.0.json", serve_document(older.clone()))
            .service(
                web::resource("/join/{code}")
                    .route(web::get().to(http::join_page))
                    .route(web::head().to(http::join_page)),
            )
            .route("/docs", web::get().to(redirect_to_docs))
            .service(
                SwaggerUi::new("/docs/{_:.*}").config(Config::from("/openapi.json").validator_url("none")),
            )
            .default_service(web::to(http::not_found))
            .wrap(Compress::default())
            .wrap(from_fn(http::guard))
    })
    .workers(workers)
    .shutdown_timeout(SHUTDOWN_SECONDS)
    .max_connections(connections.div_ceil(workers))
    .client_request_timeout(Duration::from_secs(5))
    .h1_allow_half_closed(false)
    .on_connect(|connection, _| connections::give_up_silent(connection))
    // `run` listens for them, from before there is a server.
    .disable_signals()
    .bind(address)
    .map_err(|error| format!("cannot listen on {address}: {error}"))?;
    let address = server.addrs().first().copied().ok_or("no address to listen on")?;
    Ok(Running { address, server: server.run(), services })
}

fn serve_document(text: Bytes) -> Route {
    web::get().to(move || {
        std::future::ready(HttpResponse::Ok().content_type("application/json").body(text.clone()))
    })
}

async fn redirect_to_docs() -> HttpResponse {
    std::future::ready(HttpResponse::PermanentRedirect().insert_header(("Location", "/docs/")).finish()).await
}
