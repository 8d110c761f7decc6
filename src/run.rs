//! The `serve` command: starts the database and the service, waits for a signal, and stops both.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;
#[cfg(feature = "embedded-postgres")]
use std::{
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    path::Path,
    sync::mpsc,
};

#[cfg(feature = "embedded-postgres")]
use local_postgres::Cluster;

use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

use crate::app;
use crate::config::{HealthOptions, ServeOptions};

type AnyError = Box<dyn std::error::Error + Send + Sync>;

/// Serves until SIGINT or SIGTERM. Without a configured database, starts the embedded one and stops it at the
/// end.
///
/// # Errors
/// If there is no database (with advice), or the service cannot start.
pub fn serve(options: &ServeOptions) -> Result<(), AnyError> {
    tracing::info!(version = env!("CARGO_PKG_VERSION"), "yaniv is starting");
    // HTTP requests run on the server's own threads; this runtime drives database connections and background
    // workers.
    let threads = std::thread::available_parallelism().map_or(1, usize::from).div_ceil(2);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build()?;
    let mut stop = runtime.block_on(async { stop_signal() })?;
    match options.database_url()? {
        Some(url) => runtime.block_on(serve_on(options, url.expose(), &mut stop)),
        None => serve_embedded(&runtime, options, &mut stop),
    }
}

#[cfg(feature = "embedded-postgres")]
fn serve_embedded(
    runtime: &Runtime,
    options: &ServeOptions,
    stop: &mut watch::Receiver<bool>,
) -> Result<(), AnyError> {
    let directory = local_postgres::default_dir()?;
    let cluster = Cluster::start(&directory)?;
    tracing::info!(directory = %directory.display(), "a PostgreSQL of our own is running, as DATABASE_URL is not set");
    let (url, made) = (cluster.url("yaniv"), cluster.ensure_database("yaniv"));
    let (served, watched) = mpsc::channel();
    let watch = std::thread::spawn(move || keep_running(&directory, cluster, &watched));
    // The database is stopped even if the service panics.
    let result = catch_unwind(AssertUnwindSafe(|| {
        made?;
        runtime.block_on(serve_on(options, &url, stop))
    }));
    drop(served);
    let stopped = watch.join().map_err(|_| "the watch over the database died")?.stop();
    result.unwrap_or_else(|panic| resume_unwind(panic))?;
    Ok(stopped?)
}

/// Restarts the embedded database if it dies while the service runs; ends when the channel closes.
#[cfg(feature = "embedded-postgres")]
fn keep_running(directory: &Path, cluster: Cluster, served: &mpsc::Receiver<()>) -> Cluster {
    let mut cluster = cluster;
    while served.recv_timeout(Duration::from_secs(1)) == Err(mpsc::RecvTimeoutError::Timeout) {
        // Adopts a running server, and starts one only if there is none.
        match Cluster::start(directory) {
            Ok(running) => cluster = running,
            Err(error) => tracing::error!(error = %error, "the PostgreSQL of our own does not come back"),
        }
    }
    cluster
}

#[cfg(not(feature = "embedded-postgres"))]
fn serve_embedded(_: &Runtime, _: &ServeOptions, _: &mut watch::Receiver<bool>) -> Result<(), AnyError> {
    Err("DATABASE_URL is not set, and this build has no embedded PostgreSQL".into())
}

/// Serves on a database until the stop signal, which may arrive during start-up.
async fn serve_on(
    options: &ServeOptions,
    database_url: &str,
    stop: &mut watch::Receiver<bool>,
) -> Result<(), AnyError> {
    let running = tokio::select! {
        running = app::start(options, database_url) => running?,
        _ = stop.wait_for(|stopped| *stopped) => return Ok(()),
    };
    let address = reachable(running.address);
    tracing::info!("listening on http://{address}, documentation at http://{address}/docs/");
    let (server, end_streams) = (running.server.handle(), running.streams());
    let mut serving = tokio::spawn(running.serve());
    tokio::select! {
        ended = &mut serving => ended??,
        _ = stop.wait_for(|stopped| *stopped) => {
            tracing::info!("stopping: open requests are finished first");
            end_streams();
            server.stop(true).await;
            serving.await??;
        }
    }
    tracing::info!("stopped");
    Ok(())
}

/// Turns true with the first SIGINT or SIGTERM. Installed before anything starts, so that nothing is
/// interrupted halfway.
fn stop_signal() -> Result<watch::Receiver<bool>, AnyError> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let (stopping, stop) = watch::channel(false);
    tokio::spawn(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        // The receiver may be gone.
        let _ = stopping.send(true);
    });
    Ok(stop)
}

/// Checks the readiness of a service on this machine; built in because the container has no HTTP client.
///
/// # Errors
/// If it does not answer 200 within three seconds.
pub fn health(options: &HealthOptions) -> Result<(), AnyError> {
    let mut stream = TcpStream::connect_timeout(&reachable(options.listen), Duration::from_secs(3))?;
    stream.set_read_timeout(Some(Duration::from_secs(3)))?;
    stream.write_all(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    if answer.starts_with("HTTP/1.1 200") { Ok(()) } else { Err("the service is not ready".into()) }
}

/// The address by which a client on this machine reaches the service.
fn reachable(address: SocketAddr) -> SocketAddr {
    let mut address = address;
    if address.ip().is_unspecified() {
        address.set_ip(if address.is_ipv4() {
            std::net::Ipv4Addr::LOCALHOST.into()
        } else {
            std::net::Ipv6Addr::LOCALHOST.into()
        });
    }
    address
}
