//! Composition root: connects the database, use cases, routes and server.

use std::error::Error;
use std::iter::successors;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use chrono::TimeDelta;
use rand::TryRng;
use tokio::runtime::Handle;
use yaniv_app::notifications::Notifications;
use yaniv_app::{Allowed, Services};
use yaniv_auth::Keeper;
use yaniv_auth::opaque::Seal;
use yaniv_auth::password::Passwords;
use yaniv_auth::token::Tokens;
use yaniv_db::Store;
use yaniv_db::kernel::migrations;
use yaniv_db::kernel::secrets::{secret_find_or_insert, secret_map};
use yaniv_http::kernel::request_metrics::RequestMetrics;
use yaniv_http::oidc::CALLBACK;
use yaniv_http::server::listen::{Listening, listen};
use yaniv_http::server::metrics::{Metrics, listen_for_metrics};
use yaniv_http::server::web_client::{BuiltClient, WebClient};
use yaniv_http::server::{Server, connections};
use yaniv_http::{Limits, Links};
use yaniv_outbound::resolve::Guarded;
use yaniv_outbound::vapid::{self, PushKey};
use yaniv_outbound::{HttpSender, MailSender};

use crate::config::{Secret, ServeOptions};

type AnyError = Box<dyn Error + Send + Sync>;

/// Names of secrets in the database: the signing key of access tokens, the previous one during rotation
/// (docs/operations.md), and the seal of opaque tokens.
const ACCESS_TOKEN: &str = "access_token";
const OTHER_ACCESS_TOKENS: [&str; 2] = ["access_token_next", "access_token_previous"];
const OPAQUE_TOKEN: &str = "opaque_token";
/// Name of the VAPID key in the database.
const PUSH_KEY: &str = "push_key";

/// A service that is listening.
pub struct Running {
    /// The bound address.
    pub address: SocketAddr,
    /// Completes when the service has stopped.
    pub server: Server,
    services: Services,
}

impl Running {
    /// Closes open streams and answers long polls; call it before stopping the server.
    pub fn streams(&self) -> impl FnOnce() + use<> {
        let services = self.services.clone();
        move || services.end_streams()
    }

    /// Serves until stopped, then waits for pending writes.
    ///
    /// # Errors
    /// Errors of the server.
    pub async fn serve(self) -> std::io::Result<()> {
        self.server.await?;
        self.services.finish_writes().await;
        Ok(())
    }
}

/// Migrates the database and starts listening.
///
/// # Errors
/// If the database is unreachable or unfit, a secret is too short, or the address is in use.
pub async fn start(options: &ServeOptions, database_url: &str) -> Result<Running, AnyError> {
    migrations::prepare(database_url).await?;
    let store = Store::new(database_url, usize::from(options.database_connections), &Handle::current())?;
    let tokens = Tokens::new(&token_secrets(&store, options.token_secrets()?).await?)?;
    let seal = Seal::new(&drawn_secret(&store, OPAQUE_TOKEN).await?);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let memory = options.match_memory.saturating_mul(1024 * 1024);
    let keeper = Keeper { passwords: Passwords::new(cores / 2), tokens, seal };
    let notices = notices(&store, options).await?;
    let allowed =
        Allowed { sign_up: options.sign_up, sandboxes: options.sandboxes, most_codes: options.email_codes };
    let services = Services::new(store, keeper, Handle::current(), memory, allowed, notices)
        .with_oidc(options.oidc_provider(CALLBACK)?)
        .with_passkeys(options.public_url.as_deref())
        .with_streams(whole(options.streams), Duration::from_secs(options.heartbeat));
    services.start_workers().await?;
    if let Some(days) = options.archive_after {
        services.start_archiver(TimeDelta::days(days.into()));
    }
    let workers = if options.workers == 0 { cores } else { usize::from(options.workers) };
    let limits = Limits::new(options.rate_limits, options.trusted_proxies.clone());
    let connections = connections::at_most(whole(options.connections));
    let metrics = start_metrics(options.metrics_listen, &services)?;
    let listening = Listening { address: options.listen, workers, connections, metrics };
    let links = Links::new(options.public_url.as_deref(), options.join_link.as_deref());
    let (address, server) =
        listen(&listening, services.clone(), limits, options.cors_origins.clone(), links, client(options))?;
    Ok(Running { address, server, services })
}

/// Starts the listener of the metrics, if there is one; it answers until the process ends.
fn start_metrics(
    address: Option<SocketAddr>,
    services: &Services,
) -> Result<Option<Arc<RequestMetrics>>, AnyError> {
    let Some(address) = address else { return Ok(None) };
    let metrics = Metrics::new(services);
    let requests = metrics.requests();
    let (address, server) = listen_for_metrics(address, metrics, services.clone())?;
    tracing::info!("metrics at http://{address}/metrics");
    drop(tokio::spawn(server));
    Ok(Some(requests))
}

/// The web client, if it is built in and switched on. Below a path of the public address its files would not be found.
fn client(options: &ServeOptions) -> WebClient {
    let path = options.public_url.as_deref().and_then(|url| url.split_once("://")?.1.split_once('/'));
    if !options.web_client || path.is_some() {
        return WebClient::off();
    }
    #[cfg(feature = "web")]
    let built =
        BuiltClient { files: yaniv_web::FILES, missing: yaniv_web::MISSING, policy: yaniv_web::POLICY };
    #[cfg(not(feature = "web"))]
    let built = BuiltClient { files: &[], missing: "its feature `web` is off", policy: "" };
    WebClient::new(built)
}

fn whole(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Secrets of access tokens: the first signs, all verify.
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

/// A secret generated by the service and kept in the database.
async fn drawn_secret(store: &Store, name: &str) -> Result<Vec<u8>, AnyError> {
    let mut drawn = [0; 32];
    rand::rngs::SysRng.try_fill_bytes(&mut drawn)?;
    Ok(secret_find_or_insert(&*store.connection().await?, name, &drawn).await?)
}

/// Configures the sending of notifications.
async fn notices(store: &Store, options: &ServeOptions) -> Result<Notifications, AnyError> {
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
    let postman = HttpSender::new(Guarded::system(inside), inside).unwrap_or_else(|error| {
        // The innermost cause is the informative one.
        let error: &(dyn Error + 'static) = &error;
        let cause = successors(Some(error), |&error| error.source()).last().unwrap_or(error);
        tracing::warn!(
            %cause,
            "notifications are off: no web push and no webhook is sent, as there is no HTTPS client; install CA certificates and start again"
        );
        HttpSender::off()
    });
    let mail = options.mail_server()?.map_or_else(MailSender::off, MailSender::new);
    let key = PushKey::new(&private, contact)?;
    Ok(Notifications::new(postman, mail, key, inside, options.public_url.clone()))
}
